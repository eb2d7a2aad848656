"""Linear models against what R prints: examples of MASS and quantreg, and values of statsmodels beside them."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidParameter, NotEstimated
from suffice.losses import HuberLoss, NegativeBinomialLoss, TweedieLoss

REFERENCE = Path(__file__).parents[2] / "reference"
VALUES = json.loads((REFERENCE / "likelihood_values.json").read_text(encoding="utf-8"))
# R's stackloss (Brownlee, 1965): air flow, water temperature, acid concentration, loss.
STACKLOSS = np.array([
    [80, 80, 75, 62, 62, 62, 62, 62, 58, 58, 58, 58, 58, 58, 50, 50, 50, 50, 50, 56, 70],
    [27, 27, 25, 24, 22, 23, 24, 24, 23, 18, 18, 17, 18, 19, 18, 18, 19, 19, 20, 20, 20],
    [89, 88, 90, 87, 87, 87, 93, 93, 87, 80, 89, 88, 82, 93, 89, 86, 72, 79, 80, 82, 91],
    [42, 37, 37, 28, 18, 18, 19, 20, 15, 14, 14, 13, 11, 12, 8, 7, 8, 8, 9, 15, 15],
], dtype=float).T  # fmt: skip
AIR, LOSS = STACKLOSS[:, :3], STACKLOSS[:, 3]
GLM = sf.GeneralizedLinearRegressor


def table(name):
    with open(REFERENCE / name, encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("quantile", "expected"), [
    (0.5, [-39.68985507, 0.83188406, 0.57391304, -0.06086957]),
    (0.25, [-36.0, 0.5, 1.0, 0.0]),
])  # fmt: skip
def test_stackloss_by_rq(quantile, expected):
    """rq(stack.loss ~ stack.x) and rq(stack.loss ~ stack.x, .25), the examples of ?rq."""
    model = sf.QuantileRegressor(quantile=quantile, alpha=0).fit(AIR, LOSS)
    assert_allclose([model.intercept_, *model.coef_], expected, atol=5e-9)


@pytest.mark.parametrize(("quantile", "intercept", "slope"), [
    (0.05, 124.8800408, 0.3433611),
    (0.1, 110.1415742, 0.4017658),
    (0.25, 95.4835396, 0.4741032),
    (0.5, 81.4822474, 0.5601806),
    (0.75, 62.3965855, 0.6440141),
    (0.9, 67.3508721, 0.6862995),
    (0.95, 64.1039632, 0.7090685),
])  # fmt: skip
def test_engel_by_rq(quantile, intercept, slope):
    """rq(foodexp ~ income, tau, engel), as the vignette of quantreg prints it."""
    rows = np.array([[float(row["income"]), float(row["foodexp"])] for row in table("engel.csv")])
    model = sf.QuantileRegressor(quantile=quantile, alpha=0).fit(rows[:, :1], rows[:, 1])
    assert_allclose([model.intercept_, model.coef_[0]], [intercept, slope], atol=5e-7, rtol=1e-7)


def test_stackloss_by_rlm():
    """summary(rlm(stack.loss ~ ., stackloss)) of MASS: Huber's loss with k = 1.345 times the scale that it ends at."""
    scale = 2.440714
    model = sf.LinearModel(HuberLoss(1.345 * scale)).fit(AIR, LOSS)
    assert_allclose([model.intercept_, *model.coef_], [-41.0265, 0.8294, 0.9261, -0.1278], atol=6e-5)
    assert_allclose(np.median(np.abs(LOSS - model.predict(AIR))) / 0.6745, scale, rtol=1e-4)  # the MAD, as rlm has it


def test_insurance_by_glm():
    """glm(Claims ~ District + Group + Age + offset(log(Holders)), poisson, Insurance), the example of ?Insurance."""
    rows = table("insurance.csv")
    codes = [[int(row["District"] == d) for d in "234"] for row in rows]
    groups, ages = ["<1l", "1-1.5l", "1.5-2l", ">2l"], ["<25", "25-29", "30-35", ">35"]
    contrasts = polynomials(4)  # R's contr.poly, which ordered factors have
    X = np.column_stack([
        codes,
        [contrasts[groups.index(row["Group"])] for row in rows],
        [contrasts[ages.index(row["Age"])] for row in rows],
        [float(row["Holders"]) for row in rows],
    ])  # fmt: skip
    claims = np.array([float(row["Claims"]) for row in rows])
    model = sf.PoissonRegressor(alpha=0, exposure=9).fit(X, claims)
    estimates = [
        -1.810508,
        0.025868,
        0.038524,
        0.234205,
        0.429708,
        0.004632,
        -0.029294,
        -0.394432,
        -0.000355,
        -0.016737,
    ]
    errors = [0.032972, 0.043016, 0.050512, 0.061673, 0.049459, 0.041988, 0.033069, 0.049404, 0.048918, 0.048478]
    assert_allclose([model.intercept_, *model.coef_[:9]], estimates, atol=6e-7)
    assert_allclose([model.intercept_standard_error_, *model.standard_errors_[:9]], errors, atol=6e-7)
    assert (round(model.null_deviance_, 2), round(model.deviance_, 2)) == (236.26, 51.42)
    assert (model.degrees_of_freedom_, round(model.aic_, 2)) == (54, 388.74)


def housing():
    """Satisfaction, its influence, type and contact in R's treatment contrasts, and how many householders say so."""
    rows = table("housing.csv")
    levels = {"Infl": ["Medium", "High"], "Type": ["Apartment", "Atrium", "Terrace"], "Cont": ["High"]}
    X = [[float(row[name] == level) for name, known in levels.items() for level in known] for row in rows]
    return np.array(X), np.array([row["Sat"] for row in rows]), np.array([float(row["Freq"]) for row in rows])


def test_housing_by_multinom():
    """multinom(Sat ~ Infl + Type + Cont, weights = Freq, data = housing), the example of ?housing in MASS."""
    X, y, times = housing()
    model = sf.LogisticRegression(C=np.inf, tol=1e-12).fit(X, y, times)
    found = model.coefficients(reference="Low")
    known = {
        "Medium": [-0.4192316, 0.4464003, 0.6649367, -0.4356851, 0.1313663, -0.6665728, 0.3608513],
        "High": [-0.1387453, 0.7348626, 1.6126294, -0.7356261, -0.4079808, -1.4123333, 0.4818236],
    }
    for name, column in zip(found.targets, found.estimate.T, strict=True):
        assert_allclose(column, known[name.partition(" ")[0]], atol=2e-5)  # multinom stops at a relative change of 1e-8
    assert (round(model.deviance_, 3), round(model.aic_, 3)) == (3470.084, 3498.084)


def polynomials(k):
    """Orthogonal polynomials of degree 1 to k − 1 over 1 … k, each of length 1 and rising at the end."""
    Q, R = np.linalg.qr(np.vander(np.arange(1.0, k + 1) - (k + 1) / 2, increasing=True))
    return (Q * np.sign(np.diagonal(R)))[:, 1:]


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors_of_least_squares(kind):
    X, y = cars()
    errors = GLM("squared").fit(X, y).robust_coefficients(X, y, kind=kind).standard_error[:, 0]
    assert_allclose(errors, VALUES["least squares"][kind], rtol=1e-8)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_errors_by_their_formula(kind):
    """As sandwich::vcovHC has them, with hat values of the last weighted least squares; weights are repeated rows."""
    X, y = cars()
    times = np.arange(len(X)) % 3
    counts, again = np.round(y / 5), np.repeat(np.arange(len(X)), times)
    model = sf.PoissonRegressor(alpha=0).fit(X, counts, times)
    A, mean = np.column_stack([np.ones(len(again)), X[again]]), model.predict(X)[again]
    bread = np.linalg.inv(A.T @ (A * mean[:, None]))
    left = 1 - mean * np.einsum("np,pq,nq->n", A, bread, A)
    factor = {"HC0": 1, "HC1": len(A) / (len(A) - 3), "HC2": 1 / left, "HC3": 1 / left**2}[kind]
    spread = A.T @ (A * (factor * (counts[again] - mean) ** 2)[:, None])
    expected = np.sqrt(np.diagonal(bread @ spread @ bread))
    found = model.robust_coefficients(X, counts, times, kind=kind).standard_error[:, 0]
    assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(InvalidParameter, match="kind must be one of HC0, HC1, HC2, HC3; got 'HC4'"):
        model.robust_coefficients(X, counts, kind="HC4")


def test_mean_intervals_of_least_squares():
    X, y = cars()
    assert_allclose(GLM("squared").fit(X, y).predict_interval(X[:5]), VALUES["mean interval"], rtol=1e-8)


@pytest.mark.parametrize(("name", "power"), [("inverse gaussian", 3), ("tweedie", 1.5)])
def test_variances_that_are_powers_of_the_mean(name, power):
    X, y = cars()
    expected, model = VALUES[name], GLM(TweedieLoss(power)).fit(X, y)
    assert_allclose([model.intercept_, *model.coef_], expected["coefficients"], rtol=1e-7)
    assert_allclose([model.intercept_standard_error_, *model.standard_errors_], expected["errors"], rtol=1e-6)
    assert_allclose(model.deviance_, expected["deviance"], rtol=1e-9)
    assert_allclose(model.null_deviance_, expected["null_deviance"], rtol=1e-9)
    assert_allclose(model.dispersion_, expected["dispersion"], rtol=1e-7)
    wald, small = model.wald_test([0, 1]), GLM(TweedieLoss(power)).fit(X[:, :1], y)
    assert_allclose([wald.statistic, wald.p], expected["wald"], rtol=1e-5)
    by_ratio = sf.likelihood_ratio_test(small, model)
    assert_allclose(by_ratio.statistic, (expected["smaller deviance"] - expected["deviance"]) / expected["dispersion"])
    if power == 3:
        assert_allclose(model.log_likelihood_, expected["log_likelihood"], rtol=1e-9)
        assert_allclose(model.aic_, -2 * expected["log_likelihood"] + 2 * 4)
    else:
        with pytest.raises(NotEstimated, match="has no formula"):
            model.aic_  # noqa: B018


def test_families_that_tweedie_has_too():
    X, y = cars()
    ours, by_power = sf.GammaRegressor(alpha=0).fit(X, y), sf.TweedieRegressor(power=2, alpha=0).fit(X, y)
    assert_allclose(by_power.aic_, ours.aic_)
    assert_allclose(by_power.standard_errors_, ours.standard_errors_, rtol=1e-6)
    gauss = sf.TweedieRegressor(power=0, alpha=0).fit(X, y)
    assert_allclose(gauss.aic_, GLM("squared").fit(X, y).aic_)


@pytest.mark.parametrize("loss", ["poisson", "gamma", NegativeBinomialLoss(2.0), TweedieLoss(1.5), TweedieLoss(3.0)])
def test_score_is_the_share_of_the_deviance_explained(loss):
    X, y = cars()
    weight = np.arange(len(X)) % 3 + 1.0
    model = GLM(loss).fit(X, y, weight)
    assert_allclose(model.score(X, y, weight), 1 - model.deviance_ / model.null_deviance_)
    assert_allclose(sf.LinearModel(loss).fit(X, y, weight).score(X, y, weight), model.score(X, y, weight))


def cars():
    rows = table("mtcars.csv")
    return np.array([[float(row["wt"]), float(row["hp"]) / 100] for row in rows]), np.array(
        [float(r["mpg"]) for r in rows]
    )


def test_anorexia_by_glm():
    """glm(Postwt ~ Prewt + Treat + offset(Prewt), gaussian, anorexia), the example of ?glm: a column and its offset."""
    rows = table("anorexia.csv")
    before = [float(row["Prewt"]) for row in rows]
    X = np.array([[b, row["Treat"] == "Cont", row["Treat"] == "FT", b] for b, row in zip(before, rows, strict=True)])
    model = GLM("squared", offset=3).fit(X, [float(row["Postwt"]) for row in rows])
    known = json.loads((REFERENCE / "anorexia_values.json").read_text(encoding="utf-8"))
    assert_allclose([model.intercept_, *model.coef_[:3]], known["estimates"], rtol=1e-8)
    assert_allclose([model.intercept_standard_error_, *model.standard_errors_[:3]], known["errors"], rtol=1e-8)
    for name in ("dispersion", "deviance", "null_deviance"):
        assert_allclose(getattr(model, f"{name}_"), known[name], rtol=1e-8)
    assert round(model.aic_, 2) == 489.97  # R counts the dispersion as a parameter
