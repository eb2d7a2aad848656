"""Slopes of columns that depend on each other are thinned: the same predictor, at no greater cost."""

import numpy as np
import pytest

import suffice as sf
from suffice.solvers.dependent import thinned


@pytest.mark.parametrize("scale", [1.0, 1e-8, 1e8])
def test_the_predictor_stays_and_as_many_slopes_as_columns_can_be_independent_are_left(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 15)) * np.where(np.arange(15) % 2, scale, 1.0)
    X[:, 3] = 2 * X[:, 1]  # so that two depend on each other alone
    own = rng.normal(size=15) / np.abs(X).max(axis=0)
    right = -np.sign(own)  # of ‖w‖₁, where residuals are 0
    found = thinned(X.T @ X, right, own, np.ones(15, dtype=bool))
    assert np.count_nonzero(found) == 6
    np.testing.assert_allclose(X @ found, X @ own, rtol=0, atol=1e-9)
    assert np.abs(found).sum() <= np.abs(own).sum()
    assert np.all(found * own >= 0)


def test_independent_columns_stay_as_they_are():
    X = np.random.default_rng(1).normal(size=(20, 5))
    assert thinned(X.T @ X, np.zeros(5), np.ones(5), np.ones(5, dtype=bool)) is None


def test_slopes_that_cost_nothing_may_cross_zero():
    X = np.random.default_rng(2).normal(size=(2, 3))
    assert thinned(X.T @ X, np.zeros(3), np.ones(3), np.zeros(3, dtype=bool)) is None


def test_a_lasso_of_many_more_columns_than_rows_fulfils_the_conditions_of_its_minimum():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 400))
    y = X[:, :60] @ rng.normal(size=60)
    model = sf.Lasso(alpha=0.01, tol=1e-12).fit(X, y)
    pull = (X - X.mean(axis=0)).T @ (y - model.predict(X)) / len(y)
    support = model.coef_ != 0
    assert np.count_nonzero(support) < 40
    np.testing.assert_allclose(pull[support], 0.01 * np.sign(model.coef_[support]), rtol=1e-6)
    assert np.abs(pull).max() <= 0.01 * (1 + 1e-6)
