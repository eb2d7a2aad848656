"""Regression with more columns than rows works in the rows, and gives what the columns give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression as Theirs
from sklearn.linear_model import Ridge as TheirRidge

import suffice as sf
from suffice.statistics import Moments, RootMoments


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 120)) @ np.diag(rng.uniform(0.5, 5, 120)) + 10 * rng.normal(size=120)
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + rng.normal(size=40), rng.integers(1, 4, 40).astype(float)


LAZY = ("noise_variance_", "degrees_of_freedom_", "standard_errors_", "intercept_standard_error_", "condition_")


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [3.0, 30.0, 300.0])
def test_rows_give_what_columns_give(table, alpha, intercept):
    X, y, weight = table
    by_rows, by_columns = (
        sf.Ridge(alpha, solver=solver, fit_intercept=intercept).fit(X, y, sample_weight=weight)
        for solver in ("auto", "moments")
    )
    assert isinstance(by_rows.summary_.moments, RootMoments)
    assert isinstance(by_columns.summary_.moments, Moments)
    assert_allclose(by_rows.predict(X), by_columns.predict(X), rtol=1e-8, atol=1e-8)
    assert_allclose(by_rows.coef_, by_columns.coef_, rtol=1e-6, atol=1e-8)
    for name in LAZY:
        assert_allclose(getattr(by_rows, name), getattr(by_columns, name), rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("alpha", [1e-9, 1e-3, 1.0, 1e6])
def test_ridge_is_that_of_scikit_learn(table, alpha):
    X, y, weight = table
    ours = sf.Ridge(alpha).fit(X, y, sample_weight=weight)
    theirs = TheirRidge(alpha, solver="svd").fit(X, y, sample_weight=weight)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10 * np.abs(theirs.coef_).max())
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-8)


def test_the_smallest_slopes_are_those_of_scikit_learn(table):
    X, y, _ = table
    with pytest.warns(sf.errors.IllConditioned, match="rank 39"):
        ours = sf.LinearRegression().fit(X, y)
    assert_allclose(ours.coef_, Theirs().fit(X, y).coef_, rtol=1e-8, atol=1e-12)
    assert np.isnan(ours.standard_errors_).all()
    assert ours.condition_ == np.inf


def test_rows_that_are_close_to_dependent_are_not_squared(table):
    X, y, _ = table
    X = X.copy()
    X[1] = X[0] + 1e-7 * X[2]
    y = np.append(y[:1], [y[0] + 1e-7 * y[2], *y[2:]])
    assert_allclose(sf.Ridge(1e-13).fit(X, y).predict(X), y, rtol=1e-9)  # no penalty to speak of: it interpolates


def test_several_targets_with_their_own_penalties(table):
    X, y, _ = table
    Y = np.column_stack([y, X[:, 5], y**2])
    both = sf.Ridge([1.0, 7.0, 1.0]).fit(X, Y)
    for j, alpha in enumerate([1.0, 7.0, 1.0]):
        alone = sf.Ridge(alpha).fit(X, Y[:, j])
        assert_allclose(both.coef_[j], alone.coef_, rtol=1e-9, atol=1e-12)
        assert_allclose(both.standard_errors_[j], alone.standard_errors_, rtol=1e-8)
        assert both.noise_variance_[j] == pytest.approx(alone.noise_variance_, rel=1e-8)


def test_what_is_computed_late_belongs_to_the_fit(table, tmp_path):
    X, y, weight = table
    model = sf.Ridge(2.0).fit(X, y, sample_weight=weight)
    assert not set(LAZY) & set(vars(model))
    sf.save(model, tmp_path / "ridge.sff")
    loaded = sf.load(tmp_path / "ridge.sff")
    model.set_params(alpha=50.0, fit_intercept=False)
    for name in LAZY:
        assert_allclose(getattr(model, name), getattr(loaded, name), err_msg=name)
    before = model.standard_errors_
    model.set_params(alpha=2.0, fit_intercept=True).partial_fit(X[:5] + 1.0, y[:5])
    assert not np.allclose(model.standard_errors_, before)


def test_an_attribute_that_is_computed_late_is_absent_before_the_fit():
    assert not hasattr(sf.Ridge(), "standard_errors_")
    assert "standard_errors_" in sf.Ridge.__doc__


def test_rows_are_added_and_removed_in_the_form_of_the_fit(table):
    X, y, _ = table
    model = sf.Ridge().fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    assert_allclose(model.coef_, sf.Ridge().fit(X, y).coef_, rtol=1e-8, atol=1e-10)
    model.remove(X[20:], y[20:])
    assert_allclose(model.predict(X), sf.Ridge().fit(X[:20], y[:20]).predict(X), rtol=1e-6)
