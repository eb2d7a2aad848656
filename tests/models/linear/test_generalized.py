"""Generalized linear models against statsmodels, R and scikit-learn."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model as sk
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import IllConditioned, InvalidData, InvalidParameter, Separated
from suffice.losses import NegativeBinomialLoss, TweedieLoss

REFERENCE = Path(__file__).parents[2] / "reference"
VALUES = json.loads((REFERENCE / "glm_values.json").read_text(encoding="utf-8"))
with open(REFERENCE / "mtcars.csv", encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
CARS = {name: np.array([float(row[name]) for row in ROWS]) for name in ("mpg", "wt", "hp", "carb", "am", "qsec")}
X = np.column_stack([CARS["wt"], CARS["hp"] / 100])
GLM = sf.GeneralizedLinearRegressor
MODELS = {
    "poisson": (sf.PoissonRegressor(alpha=0), "carb"),
    "poisson sqrt": (GLM("poisson", link="sqrt"), "carb"),
    "poisson offset": (sf.PoissonRegressor(alpha=0, offset=2), "carb"),
    "poisson exposure": (sf.PoissonRegressor(alpha=0, exposure=2), "carb"),
    "poisson weights": (sf.PoissonRegressor(alpha=0), "carb"),
    "gamma": (sf.GammaRegressor(alpha=0), "mpg"),
    "gamma inverse": (GLM("gamma", link="inverse"), "mpg"),
    "negative binomial": (GLM(NegativeBinomialLoss(2.0)), "carb"),
    "binomial": (GLM("binomial"), "am"),
    "binomial probit": (GLM("binomial", link="probit"), "am"),
    "binomial cloglog": (GLM("binomial", link="cloglog"), "am"),
    "tweedie": (GLM(TweedieLoss(1.5)), "mpg"),
    "squared": (GLM("squared"), "mpg"),
}


def table_of(name):
    beside = {"poisson offset": CARS["qsec"] / 20, "poisson exposure": CARS["qsec"]}.get(name)
    weight = np.arange(len(X)) % 3 + 1.0 if name.endswith("weights") else None
    return X if beside is None else np.column_stack([X, beside]), weight


@pytest.mark.parametrize("name", MODELS)
def test_statsmodels(name):
    model, target = MODELS[name]
    rows, weight = table_of(name)
    expected = VALUES[name]
    model.fit(rows, CARS[target], weight)
    assert_allclose([model.intercept_, *model.coef_[:2]], expected["coefficients"], rtol=1e-6, atol=1e-7)
    if not hasattr(model, "_information"):
        assert name == "tweedie"  # its density has no formula
        return
    errors = [model.intercept_standard_error_, *model.standard_errors_[:2]]
    assert_allclose(errors, expected["errors"], rtol=1e-6)
    assert_allclose(model.deviance_, expected["deviance"], rtol=1e-9)
    assert_allclose(model.null_deviance_, expected["null_deviance"], rtol=1e-9)
    assert_allclose(model.dispersion_, expected["dispersion"], rtol=1e-6)
    if name in ("poisson", "poisson offset", "poisson exposure", "gamma inverse", "binomial", "squared"):
        # with other links statsmodels takes the observed information, we the expected one, as R's sandwich does
        robust = model.robust_coefficients(rows, CARS[target]).standard_error[:3, 0]
        assert_allclose(robust, expected["robust"], rtol=1e-5)


def test_dobson_in_r():
    """The example of R's glm: counts by outcome and treatment."""
    counts = np.array([18, 17, 15, 20, 10, 20, 25, 13, 12])
    outcome, treatment = np.tile([0, 1, 2], 3), np.repeat([0, 1, 2], 3)
    rows = np.column_stack([outcome == 1, outcome == 2, treatment == 1, treatment == 2]).astype(float)
    model = sf.PoissonRegressor(alpha=0).fit(rows, counts)
    table = model.coefficients()
    assert_allclose(table.estimate[:3, 0].round(4), [3.0445, -0.4543, -0.2930])
    assert_allclose(table.standard_error[:, 0].round(4), [0.1709, 0.2022, 0.1927, 0.2, 0.2])
    assert (round(model.null_deviance_, 4), round(model.deviance_, 4)) == (10.5814, 5.1291)
    assert round(model.aic_, 2) == 56.76
    assert " z " in str(table)


def test_clotting_in_r():
    """The example of R's glm with gamma and the inverse link."""
    u = np.log([5, 10, 15, 20, 30, 40, 60, 80, 100])[:, None]
    lot1 = np.array([118.0, 58, 42, 35, 27, 25, 21, 19, 18])
    model = GLM("gamma", link="inverse").fit(u, lot1)
    assert_allclose([model.intercept_, model.coef_[0]], [-0.01655438, 0.01534311], atol=1e-8)
    assert_allclose([model.intercept_standard_error_, model.standard_errors_[0]], [0.00092754, 0.00041496], atol=1e-8)
    assert (round(model.null_deviance_, 5), round(model.deviance_, 5)) == (3.51283, 0.01673)
    assert (round(model.aic_, 2), round(model.dispersion_, 6)) == (37.99, 0.002446)


def test_logistic_in_r():
    """glm(am ~ wt, binomial, mtcars)."""
    model = sf.LogisticRegression(C=np.inf).fit(CARS["wt"][:, None], CARS["am"])
    table = model.coefficients()
    assert_allclose(table.estimate[:, 0].round(3), [12.040, -4.024])
    assert_allclose(table.standard_error[:, 0], [4.510, 1.436], atol=1e-3)  # R's are those of the step before
    assert (round(model.null_deviance_, 3), round(model.deviance_, 3)) == (43.230, 19.176)
    assert round(model.aic_, 3) == 23.176
    assert_allclose(model.odds_ratios().estimate, np.exp(table.estimate))


@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
def test_penalties_of_scikit_learn(alpha):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 4))
    mean = np.exp(0.3 + rows @ [0.5, -0.2, 0.1, 0.0])
    for ours, theirs, y in (
        (sf.PoissonRegressor, sk.PoissonRegressor, rng.poisson(mean)),
        (sf.GammaRegressor, sk.GammaRegressor, rng.gamma(2.0, mean / 2)),
        (sf.TweedieRegressor, sk.TweedieRegressor, rng.gamma(2.0, mean) * rng.integers(0, 2, 200)),
    ):
        given = {"power": 1.5} if ours is sf.TweedieRegressor else {}
        a, b = (
            ours(alpha=alpha, **given).fit(rows, y),
            theirs(alpha=alpha, tol=1e-12, max_iter=10_000, **given).fit(rows, y),
        )
        assert_allclose(a.coef_, b.coef_, atol=1e-6)
        assert_allclose(a.predict(rows), b.predict(rows), rtol=1e-5)


def test_tests_of_columns():
    large = sf.PoissonRegressor(alpha=0).fit(X, CARS["carb"])
    small = sf.PoissonRegressor(alpha=0).fit(X[:, :1], CARS["carb"])
    by_ratio, by_wald = sf.likelihood_ratio_test(small, large), large.wald_test([1])
    assert_allclose(by_ratio.statistic, small.deviance_ - large.deviance_)
    assert_allclose(by_wald.p, large.coefficients().p[2, 0], rtol=1e-9)
    assert 0 < by_ratio.p < 0.01
    with pytest.raises(InvalidParameter, match="give the smaller one first"):
        sf.likelihood_ratio_test(large, small)
    gauss, part = GLM("squared").fit(X, CARS["mpg"]), GLM("squared").fit(X[:, :1], CARS["mpg"])
    assert_allclose(sf.likelihood_ratio_test(part, gauss).p, gauss.wald_test([1]).p)  # both are the exact F test


def test_what_cannot_be_compared_is_refused():
    large = sf.PoissonRegressor(alpha=0).fit(X, CARS["carb"])
    other = np.roll(CARS["carb"], 1) + 1
    for small in (sf.PoissonRegressor(alpha=0).fit(X[:, :1], other), sf.GammaRegressor(alpha=0).fit(X[:, :1], other)):
        with pytest.raises(InvalidParameter, match="fitted to other rows"):
            sf.likelihood_ratio_test(small, large)
    with pytest.raises(InvalidParameter, match="Lasso has no likelihood"):
        sf.likelihood_ratio_test(sf.Lasso().fit(X, CARS["mpg"]), large)
    with pytest.raises(InvalidParameter, match="names a column twice"):
        large.wald_test([0, 0])
    with pytest.raises(InvalidParameter, match="GeneralizedLinearRegressor: L1 cannot be used with an offset"):
        GLM("poisson", penalty="l1", offset=0).fit(X, CARS["carb"])


def test_columns_are_tested_by_name_as_well():
    model = sf.PoissonRegressor(alpha=0).fit(pd.DataFrame(X, columns=["a", "b"]), CARS["carb"])
    assert model.wald_test(["b"]) == model.wald_test([1])
    for wrong in (["c"], ["a", 1], "a"):
        with pytest.raises(InvalidParameter, match="or of names that the fit has seen"):
            model.wald_test(wrong)


def test_intervals_of_means():
    least = sf.LinearRegression().fit(X, CARS["mpg"])
    model = GLM("squared").fit(X, CARS["mpg"])
    assert_allclose(model.predict(X), least.predict(X))
    ends = model.predict_interval(X)
    A = np.column_stack([X, np.ones(len(X))])
    half = 2.0452296 * np.sqrt(least.noise_variance_ * np.einsum("np,pq,nq->n", A, np.linalg.inv(A.T @ A), A))
    assert_allclose(ends, np.column_stack([least.predict(X) - half, least.predict(X) + half]), rtol=1e-6)
    counts = sf.PoissonRegressor(alpha=0).fit(X, CARS["carb"])
    low, high = counts.predict_interval(X).T
    assert np.all((low > 0) & (low < counts.predict(X)) & (counts.predict(X) < high))


def test_many_rows_borrow_the_hessian_of_few():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60_000, 3)) + 2
    y = rng.random(60_000) < 1 / (1 + np.exp(-rows @ [0.5, -0.4, 0.1]))
    with_few = sf.LogisticRegression().fit(rows, y)
    exact = sf.LogisticRegression(solver="lbfgs", tol=1e-15).fit(rows, y)
    assert_allclose(with_few.coef_, exact.coef_, atol=1e-7)
    assert_allclose(with_few.history_.objective[-1], exact.history_.objective[-1], rtol=1e-13)
    assert np.all(np.diff(with_few.history_.objective) <= 1e-15)


def test_separation_is_said():
    x = np.arange(10.0)[:, None]
    with pytest.warns(Separated, match="a plane separates the classes"):
        sf.LogisticRegression(C=np.inf).fit(x, x[:, 0] > 4)
    touching = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    x[5] = x[6]
    with pytest.warns(Separated, match="rows of one class on its own side alone"):
        sf.LogisticRegression(C=np.inf).fit(x, touching)
    iris = sf.datasets.load("iris")
    with pytest.warns(Separated):
        sf.LogisticRegression(C=np.inf).fit(iris.matrix(), iris["species"])
    sf.LogisticRegression().fit(iris.matrix(), iris["species"])


@pytest.mark.parametrize(
    ("model", "y", "error", "sentence"),
    [
        (sf.PoissonRegressor(), [-1.0, 2.0, 3.0], InvalidData, "PoissonRegressor: needs targets at least 0; got -1"),
        (sf.GammaRegressor(), [0.0, 2.0, 3.0], InvalidData, "GammaRegressor: needs targets above 0; got 0"),
        (sf.PoissonRegressor(offset="z"), [1.0, 2.0, 3.0], InvalidParameter, "offset names the column 'z'; X has x0"),
        (sf.PoissonRegressor(offset=7), [1.0, 2.0, 3.0], InvalidParameter, "offset is column 7; X has 1 columns"),
        (sf.PoissonRegressor(exposure=0), [1.0, 2.0, 3.0], InvalidData, "the exposure must be above 0; row 0 has 0"),
        (GLM("huber", link="log"), [1.0, 2.0, 3.0], InvalidParameter, "HuberLoss takes no link"),
        (sf.LogisticRegression(), ["a", "a", "a"], InvalidData, "y holds one class, 'a'; at least 2 are needed"),
        (sf.LogisticRegression(class_weight={"c": 1}), ["a", "b", "a"], InvalidParameter, "names the class 'c'"),
        (
            sf.LogisticRegression(solver="newton", l1_ratio=1.0),
            ["a", "b", "a"],
            InvalidParameter,
            "Newton needs a penalty",
        ),
    ],
)
def test_refused(model, y, error, sentence):
    with pytest.raises(error, match=sentence):
        model.fit([[0.0], [1.0], [2.0]], y)


def test_no_errors_after_selection():
    iris = sf.datasets.load("iris")
    model = sf.LogisticRegression(l1_ratio=1.0, C=0.5).fit(iris.matrix(), iris["species"] == "virginica")
    with pytest.raises(InvalidData, match="no L1 penalty, after which intervals would not hold"):
        model.coefficients()


def test_the_command_line_prints_coefficients(tmp_path):
    from click.testing import CliRunner

    from suffice.cli.main import cli

    run = CliRunner().invoke(
        cli,
        [
            "fit",
            "PoissonRegressor",
            str(REFERENCE / "mtcars.csv"),
            "--target",
            "carb",
            "--alpha",
            "0",
            "--columns",
            "wt,hp",
        ],
    )
    assert run.exit_code == 0, run.output
    assert "std. error" in run.output
    assert "0.0054872" in run.output  # of hp in its own unit: without a penalty nothing is scaled
    run = CliRunner().invoke(cli, ["fit", "LogisticRegression", "iris", "--target", "species"])
    assert run.exit_code == 0, run.output


@pytest.mark.parametrize("model", [sf.PoissonRegressor(alpha=0), GLM("gamma"), GLM("poisson", link="sqrt")])
def test_dependent_columns_are_said(model):
    twice = np.column_stack([X, X[:, 0] * 2])
    with pytest.warns(IllConditioned, match="the 3 columns have rank 2"):
        model.fit(twice, CARS["carb"])
    plain = type(model)(**model.get_params()).fit(X, CARS["carb"])
    assert_allclose(model.predict(twice), plain.predict(X), rtol=1e-5)
    assert np.isnan(model.standard_errors_[[0, 2]]).all()
    assert_allclose(model.standard_errors_[1], plain.standard_errors_[1], rtol=1e-4)


@pytest.mark.parametrize(
    ("model", "low", "high"),
    [
        (sf.PoissonRegressor(alpha=0), 0.0, 3.0),
        (sf.TweedieRegressor(power=1.5, alpha=0), 0.0, 3.0),
        (GLM("binomial"), 0.0, 1.0),
        (GLM("binomial", link="probit"), 0.0, 1.0),
        (GLM(NegativeBinomialLoss(2.0)), 0.0, 3.0),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
def test_targets_at_the_end_of_their_range_have_no_finite_coefficients(model, low, high):
    rng = np.random.default_rng(0)
    group = np.arange(60) % 2
    rows = np.column_stack([group, rng.normal(size=60)])
    mixed = np.where(rng.uniform(size=60) < 0.5, low, high)
    with pytest.warns(Separated, match="larger coefficients are always better"):
        model.fit(rows, np.where(group == 0, low, mixed))
    with pytest.warns(Separated, match="every target is 0"):
        model.fit(rows, np.full(60, low))
    model.fit(rows, mixed)  # warnings are errors
