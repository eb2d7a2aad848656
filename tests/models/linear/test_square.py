"""Tables with about as many rows as columns, and the score of predictions."""

import numpy as np
import pytest
import sklearn.metrics
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import IllConditioned, InvalidData
from suffice.models.linear.orthogonal_rows import by_orthogonal_rows


def smallest(X, y, weight, intercept):
    """The smallest slopes that fit best, by the singular values of the weighted rows."""
    if intercept:
        X, y = X - weight @ X / weight.sum(), y - weight @ y / weight.sum()
    root = np.sqrt(weight)
    return np.linalg.lstsq(root[:, None] * X, root * y, rcond=1e-10)[0]


@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("twins", [False, True], ids=["independent", "twins"])
@pytest.mark.parametrize("rows", [20, 59, 60, 61])
def test_the_smallest_slopes_that_fit_best(rows, twins, intercept):
    rng = np.random.default_rng(rows)
    X, y, weight = rng.normal(3, 1, (rows, 60)), rng.normal(size=rows), rng.random(rows) + 0.1
    if twins:
        X[:, 5], X[7] = X[:, 6], X[8]
    found = sf.LinearRegression(fit_intercept=intercept).fit(X, y, sample_weight=weight)
    assert_allclose(found.coef_, smallest(X, y, weight, intercept), rtol=1e-7, atol=1e-9)
    assert found.rank_ == min(rows - intercept - twins, 60 - twins)


def test_centred_rows_have_one_rank_less_and_others_are_left_to_singular_values():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(8, 10)), rng.normal(size=(8, 2))
    slope, rank = by_orthogonal_rows(X, Y)
    assert rank == 8
    assert_allclose(X @ slope, Y)
    assert by_orthogonal_rows(X - X.mean(axis=0), Y)[1] == 7
    X[2] = X[3] = X[4]
    assert by_orthogonal_rows(X, Y) is None


def test_a_rank_that_is_not_full_is_said():
    rng = np.random.default_rng(0)
    with pytest.warns(IllConditioned, match="rank 29"):
        sf.LinearRegression().fit(rng.normal(size=(30, 30)), rng.normal(size=30))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_score_is_that_of_scikit_learn(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(dtype)
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=50)
    model = sf.LinearRegression().fit(X, y)
    assert_allclose(model.score(X, y), sklearn.metrics.r2_score(y, model.predict(X)), rtol=1e-6)
    assert model.score(X, np.full(50, 2.0)) == 0
    with pytest.raises(InvalidData):
        model.score(X, np.full(50, np.nan))
    with pytest.raises(InvalidData):
        model.score(X, y[:-1])
