"""Generalized linear models against statsmodels, and robust errors by their formula."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import InvalidParameter, NotEstimated
from suffice.losses import NegativeBinomialLoss, TweedieLoss

REFERENCE = Path(__file__).parents[2] / "reference"
VALUES = json.loads((REFERENCE / "likelihood_values.json").read_text(encoding="utf-8"))
GLM = sf.GeneralizedLinearRegressor


def table(name):
    with open(REFERENCE / name, encoding="utf-8") as file:
        return list(csv.DictReader(file))


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
