"""Errors beside columns that depend on each other: what the rows determine has those of a fit without the surplus."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.special import stdtrit
from sklearn.base import clone

import suffice as sf
from suffice.errors import IllConditioned, InvalidParameter, NotEstimated

RNG = np.random.default_rng(5)
X = RNG.normal([3.0, -1.0, 50.0], [1.0, 2.0, 10.0], (120, 3))
SURPLUS = np.column_stack([X, X[:, 1] - X[:, 0] / 2, np.full(len(X), 7.0)])  # columns 0, 1 and 3 depend on each other
NUMBERS = X @ [0.5, -0.25, 0.02] + RNG.normal(size=len(X))
MODELS = {
    "least squares": (sf.LinearRegression(), NUMBERS),
    "square root": (sf.LinearRegression(solver="qr"), NUMBERS),
    "squared": (sf.GeneralizedLinearRegressor("squared"), NUMBERS),
    "poisson": (sf.PoissonRegressor(alpha=0, tol=1e-12), RNG.poisson(np.exp(NUMBERS / 2))),
    "two classes": (sf.LogisticRegression(C=np.inf, tol=1e-12), NUMBERS > 2),
    "three classes": (sf.LogisticRegression(C=np.inf), np.digitize(NUMBERS + RNG.normal(size=120), [2, 3])),
}


def both(name):
    """The model of columns that depend on each other, and of those alone that do not."""
    model, y = MODELS[name]
    with pytest.warns(IllConditioned, match="rank 3"):
        dependent = clone(model).fit(SURPLUS, y)
    return dependent, clone(model).fit(X, y), y


@pytest.mark.parametrize("name", MODELS)
def test_errors_of_what_is_determined(name):
    dependent, alone, y = both(name)
    for found, known in (
        (dependent.coefficients(), alone.coefficients()),
        (dependent.robust_coefficients(SURPLUS, y), alone.robust_coefficients(X, y)),
    ):
        kept = [0, 3]  # the intercept and the column that nothing else depends on
        assert_allclose(found.estimate[kept], known.estimate[kept], rtol=1e-5)
        assert_allclose(found.standard_error[kept], known.standard_error[kept], rtol=1e-5)
        assert np.isnan(np.delete(found.standard_error, kept, axis=0)).all()
    assert_allclose(dependent.degrees_of_freedom_, alone.degrees_of_freedom_, rtol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_intervals_of_rows_like_those_of_the_fit(name):
    dependent, alone, _ = both(name)
    assert_allclose(dependent.predict_interval(SURPLUS[:9]), alone.predict_interval(X[:9]), rtol=1e-5)
    assert_allclose(dependent.predict_interval(csr_array(SURPLUS[:9])), alone.predict_interval(X[:9]), rtol=1e-5)
    elsewhere = SURPLUS[:9] + np.eye(5)[0]
    assert np.isnan(dependent.predict_interval(elsewhere)).all()


@pytest.mark.parametrize("name", ["squared", "two classes", "three classes"])
def test_tests_of_what_is_determined(name):
    dependent, alone, _ = both(name)
    assert_allclose(dependent.wald_test([2]).statistic, alone.wald_test([2]).statistic, rtol=1e-5)
    with pytest.raises(NotEstimated, match="do not determine these slopes"):
        dependent.wald_test([0])


@pytest.mark.parametrize(
    "model", [sf.LinearRegression(), sf.Ridge([3.0, 0.5]), sf.LinearRegression(fit_intercept=False)]
)
def test_intervals_of_several_targets(model):
    Y = np.column_stack([NUMBERS, NUMBERS**2])
    found = model.fit(X, Y).predict_interval(X[:4], level=0.8)
    assert found.shape == (4, 2, 2)
    for k in range(2):
        own = type(model)(**model.get_params())
        if isinstance(own, sf.Ridge):
            own.set_params(alpha=model.alpha[k])
        assert_allclose(found[:, k], own.fit(X, Y[:, k]).predict_interval(X[:4], level=0.8), rtol=1e-9)
    wider = model.predict_interval(X[:4], level=0.8, of="target")
    noise = np.diff(wider)[..., 0] ** 2 - np.diff(found)[..., 0] ** 2
    assert_allclose(noise / noise[0], np.ones((4, 2)), rtol=1e-9)


def test_intervals_of_wide_tables():
    """With more columns than rows: of ridge by the rows alone, equal to the formula."""
    wide = RNG.normal(size=(20, 40)) + 3
    y = RNG.normal(size=20)
    model = sf.Ridge(2.0).fit(wide, y)
    centred = wide - wide.mean(axis=0)
    A = np.linalg.inv(centred.T @ centred + 2 * np.eye(40))
    new = RNG.normal(size=(3, 40)) - wide.mean(axis=0)
    variance = model.noise_variance_ * (1 / 20 + np.einsum("np,pq,nq->n", new @ A, centred.T @ centred, new @ A))
    half = np.diff(model.predict_interval(new + wide.mean(axis=0), level=0.6826894921370859))[:, 0] / 2

    assert_allclose(
        half, stdtrit(model.degrees_of_freedom_, (1 + 0.6826894921370859) / 2) * np.sqrt(variance), rtol=1e-6
    )


def test_intervals_that_are_not_there():
    with pytest.raises(InvalidParameter, match="of must be 'mean' or 'target'; got 'row'"):
        sf.LinearRegression().fit(X, NUMBERS).predict_interval(X, of="row")
    with pytest.raises(InvalidParameter, match="needs normal noise"):
        sf.PoissonRegressor(alpha=0).fit(X, np.exp(NUMBERS)).predict_interval(X, of="target")
    with pytest.raises(NotEstimated, match="positive=True"):
        sf.LinearRegression(positive=True).fit(X, NUMBERS).predict_interval(X)


def test_wald_test_beside_an_offset():
    """The slopes that were given are no part of the covariance, wherever they stand."""
    y = RNG.poisson(np.exp(NUMBERS / 2))
    shift = 0.1 * RNG.normal(size=(len(X), 1))
    first = sf.PoissonRegressor(alpha=0, offset=0, tol=1e-12).fit(np.hstack([shift, X]), y)
    last = sf.PoissonRegressor(alpha=0, offset=3, tol=1e-12).fit(np.hstack([X, shift]), y)
    assert_allclose(first.wald_test([1, 3]).statistic, last.wald_test([0, 2]).statistic, rtol=1e-6)
