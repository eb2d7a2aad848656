"""Trees with linear models in their leaves."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import suffice as sf


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] < 0, X[:, 1], 6 - 2 * X[:, 1]) + 0.1 * rng.normal(size=n)
    return X, y, rng.integers(1, 4, size=n).astype(float)


def test_leaves_are_least_squares_of_their_rows():
    X, y, w = rows()
    model = sf.LinearTreeRegressor(max_leaf_nodes=4, alpha=0).fit(X, y, w)
    leaf = model.tree_.apply(X)
    predicted = model.predict(X)
    for k, number in enumerate(np.unique(leaf)):
        own = leaf == number
        other = LinearRegression().fit(X[own], y[own], w[own])
        assert model.coef_[k] == pytest.approx(other.coef_)
        assert predicted[own] == pytest.approx(other.predict(X[own]))


def test_it_beats_means_where_leaves_are_linear():
    X, y, _ = rows()
    new, truth, _ = rows(seed=1)
    linear = sf.LinearTreeRegressor(max_leaf_nodes=2).fit(X, y)
    means = sf.DecisionTreeRegressor(max_leaf_nodes=2).fit(X, y)
    assert linear.score(new, truth) > 0.99 > 0.9 > means.score(new, truth)


def test_ridge_has_no_unit_and_shrinks():
    X, y, _ = rows()
    one, other = (sf.LinearTreeRegressor(max_leaf_nodes=3, alpha=0.1).fit(scale * X, y) for scale in (1, 1000))
    assert one.predict(X) == pytest.approx(other.predict(1000 * X))
    assert np.abs(sf.LinearTreeRegressor(max_leaf_nodes=3, alpha=1e9).fit(X, y).coef_).max() < 1e-6


def test_small_leaves_say_their_mean():
    X, y, _ = rows(40)
    model = sf.LinearTreeRegressor(max_leaf_nodes=None, min_samples_leaf=2).fit(X, y)
    leaf = np.searchsorted(np.unique(model.tree_.apply(X)), model.tree_.apply(X))
    small = np.bincount(leaf) < 8
    assert small.any()
    assert (model.coef_[small] == 0).all()
    assert model.predict(X)[small[leaf]] == pytest.approx(model.tree_.predict(X)[small[leaf]])


def test_missing_values_and_categories_add_nothing():
    X, y, _ = rows()
    X[::5, 1] = np.nan
    X[:, 2] = np.random.default_rng(3).integers(0, 4, size=300)
    model = sf.LinearTreeRegressor(max_leaf_nodes=3, categorical_features=[2]).fit(X, y)
    assert (model.coef_[:, 2] == 0).all()
    assert np.isfinite(model.predict(X)).all()
    gone = model.predict([[1.0, np.nan, 0.0]])[0]
    leaf = np.searchsorted(np.unique(model.tree_.apply(X)), model.tree_.apply([[1.0, np.nan, 0.0]]))[0]
    at_mean = [[1.0, model.centre_[leaf, 1], 0.0]]
    assert gone == pytest.approx(model.predict(at_mean)[0])


def test_weights_are_repetitions_and_constant_columns_do_no_harm():
    X, y, w = rows(100)
    X[:, 2] = 3.0
    times = w.astype(int)
    weighted = sf.LinearTreeRegressor(max_leaf_nodes=3).fit(X, y, w)
    repeated = sf.LinearTreeRegressor(max_leaf_nodes=3).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.predict(X) == pytest.approx(repeated.predict(X))
    assert (weighted.coef_[:, 2] == 0).all()
