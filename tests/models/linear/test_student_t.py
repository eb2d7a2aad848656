"""Regression with Student's t errors against SciPy's optimiser and distribution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize
from scipy.stats import t

import suffice as sf
from suffice.errors import IllConditioned

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) + 3
Y = X @ [1.0, -2.0, 0.5] + 2 * RNG.standard_t(3, 300)
WEIGHT = RNG.integers(0, 3, 300).astype(float)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("df", [1.0, 4.0, None])
def test_maximum_likelihood(df, weight):
    model = sf.StudentTRegressor(df).fit(X, Y, weight)

    def cost(v):
        own = np.exp(v[5]) if df is None else df
        return -np.average(t.logpdf(Y - X @ v[:3] - v[3], own, scale=np.exp(v[4])), weights=weight)

    found = np.array([*model.coef_, model.intercept_, np.log(model.scale_), np.log(model.df_)])
    best = minimize(cost, found + 0.1, method="BFGS", options={"gtol": 1e-8})
    assert_allclose(model.history_.objective[-1], cost(found), rtol=1e-12)
    assert_allclose(cost(found), best.fun, rtol=1e-11)
    assert_allclose(found[:5], best.x[:5], rtol=1e-4, atol=1e-5)
    assert np.all(np.diff(model.history_.objective) <= 0)


def test_a_gaussian_has_many_degrees_of_freedom():
    y = X @ [1.0, -2.0, 0.5] + np.random.default_rng(1).uniform(-1, 1, len(X))
    model = sf.StudentTRegressor(df=None).fit(X, y)
    assert model.df_ > 100
    assert_allclose(model.coef_, sf.LinearRegression().fit(X, y).coef_, atol=1e-2)


def test_outliers_count_little():
    y = Y.copy()
    y[:20] = 1e4
    assert_allclose(sf.StudentTRegressor(df=1).fit(X, y).coef_, [1.0, -2.0, 0.5], atol=0.6)


def test_targets_on_a_plane_are_said_to_have_no_maximum():
    with pytest.warns(IllConditioned, match="the residuals vanish"):
        model = sf.StudentTRegressor().fit(X, X @ [1.0, 2.0, 3.0])
    assert_allclose(model.coef_, [1.0, 2.0, 3.0])


def test_sparse_rows_give_the_answer_of_dense_ones():
    rows = np.where(RNG.random(X.shape) < 0.5, 0.0, X)
    dense = sf.StudentTRegressor().fit(rows, Y)
    assert_allclose(sf.StudentTRegressor().fit(sparse.csr_array(rows), Y).coef_, dense.coef_, rtol=1e-6)
