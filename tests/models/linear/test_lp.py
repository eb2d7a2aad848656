"""Regression by a power of the residuals against SciPy's optimisers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import suffice as sf
from suffice.errors import NotConverged

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) + 3
Y = X @ [1.0, -2.0, 0.5] + 2 * RNG.standard_t(3, 300)
WEIGHT = RNG.integers(0, 3, 300).astype(float)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("p", [1.5, 2.0, 3.0, 6.0])
def test_scipy(p, weight):
    model = sf.LpRegressor(p).fit(X, Y, weight)

    def cost(v):
        return np.average(np.abs(Y - X @ v[:3] - v[3]) ** p, weights=weight) / p

    found = np.array([*model.coef_, model.intercept_])
    best = minimize(cost, found + 0.01, method="BFGS", options={"gtol": 1e-8})
    assert_allclose(model.history_.objective[-1], cost(found), rtol=1e-12)
    assert cost(found) <= best.fun * (1 + 1e-12)


def test_known_powers():
    assert_allclose(sf.LpRegressor(2).fit(X, Y).coef_, sf.LinearRegression().fit(X, Y).coef_, rtol=1e-9)
    assert_allclose(sf.LpRegressor(1).fit(X, Y).coef_, sf.LinearModel("absolute").fit(X, Y).coef_)


@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
def test_a_power_below_one_passes_through_rows():
    """Where residuals of 0 are the cheapest, a minimum has as many of them as there are coefficients."""
    model = sf.LpRegressor(0.5).fit(X, Y)
    assert np.all(np.diff(model.history_.objective) <= 0)
    assert np.sum(np.abs(Y - model.predict(X)) < 1e-5) == 4


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("p", [1.01, 1.1])
def test_powers_near_one_converge_in_any_unit(p, scale):
    model = sf.LpRegressor(p).fit(X, Y * scale)
    assert model.history_.status == "converged"
    assert_allclose(model.coef_ / scale, sf.LpRegressor(p).fit(X, Y).coef_, rtol=1e-6)


def test_slow_powers_are_said():
    with pytest.warns(NotConverged, match="not converged after max_iter=20"):
        sf.LpRegressor(1.05, max_iter=20).fit(X, Y)
