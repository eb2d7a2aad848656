"""Losses with straight parts, and rows so placed that a curvature is missing or lost by rounding."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import suffice as sf
from suffice.errors import IllConditioned
from suffice.penalties import L1, MCP, SCAD
from suffice.solvers.line_search import searched

FAR = np.r_[np.zeros(35), np.full(15, 1000.0)]  # beyond any δ from their mean
SIGNS = np.r_[-np.ones(49), 1.0]


def _hinge(model: sf.LinearSVC, X: np.ndarray, signs: np.ndarray) -> float:
    w = model.coef_.ravel()
    return float(model.C * np.maximum(0, 1 - signs * (X @ w + model.intercept_)).sum() + 0.5 * w @ w)


def test_a_search_goes_on_along_a_straight_line() -> None:
    def evaluate(t: np.ndarray) -> tuple[float, np.ndarray]:
        away = float(t[0]) - 1e4
        return (0.5 * away**2 if away > -1 else -away - 0.5), np.array([max(away, -1.0)])

    value, gradient = evaluate(np.zeros(1))
    found = searched(evaluate, np.zeros(1), np.ones(1), value, gradient, 1.0)
    assert found is not None
    assert abs(found[2][0]) <= 0.9


@pytest.mark.parametrize("solver", ["auto", "newton", "lbfgs"])
@pytest.mark.parametrize("columns", [0.0, 1.0])
def test_rows_that_are_all_far_away_still_pull(solver: str, columns: float) -> None:
    model = sf.LinearModel("huber", solver=solver).fit(np.full((50, 2), columns), FAR)
    level = model.predict(np.full((1, 2), columns))
    np.testing.assert_allclose(level, 15 * 1.35 / 35, rtol=1e-6)


def test_a_penalty_does_not_hide_that_the_intercept_has_no_curvature() -> None:
    X = np.tile([[1.0], [-1.0]], (25, 1))
    found = sf.LinearModel(sf.losses.HuberLoss(0.01), penalty="l2").fit(X, FAR)
    other = sf.LinearModel(sf.losses.HuberLoss(0.01), penalty="l2", solver="fista", max_iter=200_000).fit(X, FAR)
    assert found.history_.objective[-1] <= other.history_.objective[-1] * (1 + 1e-9)
    assert abs(found.intercept_) < 0.02


@pytest.mark.parametrize("solver", ["smoothing", "dual"])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_a_hinge_without_columns_votes_for_the_larger_class(solver: str, C: float) -> None:
    X = np.zeros((50, 1))
    model = sf.LinearSVC(loss="hinge", C=C, solver=solver).fit(X, SIGNS)
    assert _hinge(model, X, SIGNS) == pytest.approx(2 * C, rel=2e-6)


@pytest.mark.parametrize("unit", [1e-8, 1.0])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e3])
@pytest.mark.parametrize("seed", range(4))
def test_two_ways_to_a_hinge_meet(unit: float, C: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, signs = rng.normal(size=(50, 3)) * unit, np.where(rng.uniform(size=50) < 0.2 * (1 + seed), 1.0, -1.0)
    signs[:2] = -1.0, 1.0
    ways = [sf.LinearSVC(loss="hinge", C=C, solver=solver).fit(X, signs) for solver in ("smoothing", "dual")]
    one, other = (_hinge(model, X, signs) for model in ways)
    assert one == pytest.approx(other, rel=3e-6)


def test_regression_with_straight_losses_is_as_close_as_it_says() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), 1e3 * rng.standard_cauchy(40)
    values = []
    for solver in ("smoothing", "dual"):
        model = sf.LinearSVR(epsilon=1.0, solver=solver).fit(X, y)
        rest = np.maximum(0, np.abs(y - model.predict(X)) - 1.0)
        values.append(rest.sum() + 0.5 * model.coef_ @ model.coef_)
    assert values[0] == pytest.approx(values[1], rel=3e-6)


@pytest.mark.parametrize("model", [sf.GammaRegressor(alpha=0), sf.LpRegressor(1.5), sf.LogisticRegression(C=np.inf)])
def test_columns_far_from_zero_converge_where_rounding_allows_no_more(model: sf.LinearModel) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4)) + np.array([1e6, 0.0, -1e4, 0.0])
    y = rng.gamma(2.0, size=200) + 0.1
    if isinstance(model, sf.LogisticRegression):
        y = y > 2
    model.fit(X, y)
    assert model.history_.status == "converged"
    assert len(model.history_) < 200


def test_nearly_dependent_columns_are_resolved_as_far_as_rounding_allows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = rng.uniform(size=200) < 1 / (1 + np.exp(-X[:, 0] - X[:, 1]))
    near = X.copy()
    near[:, 1] = X[:, 0] + 1e-7 * X[:, 1]
    apart = sf.LogisticRegression(C=np.inf).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditioned)
        found = sf.LogisticRegression(C=np.inf).fit(near, y)
    assert found.history_.status == "converged"
    assert found.history_.objective[-1] == pytest.approx(apart.history_.objective[-1], rel=1e-6)


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_a_few_rows_of_three_classes_are_no_small_problem_of_two(C: float) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = sf.LogisticRegression(C=C, solver="newton").fit(X, np.arange(60) % 3)
    other = sf.LogisticRegression(C=C, solver="lbfgs", tol=1e-12).fit(X, np.arange(60) % 3)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("penalty", [L1(0.1), SCAD(0.1), MCP(0.1), SCAD(0.01)], ids=repr)
def test_coordinate_descent_goes_on_where_most_rows_have_no_curvature(penalty):
    X, y = load_diabetes(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = sf.LinearModel("huber", penalty=penalty).fit(X, y)
    other = sf.LinearModel("huber", penalty=penalty, solver="fista", tol=1e-12, max_iter=5000).fit(X, y)
    assert model.history_.objective[-1] <= other.history_.objective[-1] * (1 + 1e-6)
