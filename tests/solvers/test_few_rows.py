"""Solvers that let some rows speak for all, or all columns be spoken for by few rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.data import as_source


def _objective(model: sf.LogisticRegression, X: np.ndarray, y: np.ndarray) -> float:
    return float(-np.log(model.predict_proba(X)[np.arange(len(y)), y]).sum() + 0.5 * np.sum(model.coef_**2))


def _blurred(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring columns that go together, and classes that overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    X = np.cumsum(rng.normal(size=(n, d)), axis=1) / np.sqrt(d) + 0.1 * rng.normal(size=(k, d))[y]
    return X, y


def test_some_rows_say_which_columns_go_together():
    X, y = _blurred(6000, 40, 4)
    found = sf.LogisticRegression(solver="lbfgs").fit(X, y)
    many = sf.LogisticRegression(solver="lbfgs").fit(X[:700], y[:700])  # too few to borrow from
    exact = sf.LogisticRegression(solver="lbfgs", tol=0.0, max_iter=2000)
    exact.fit(X, y)
    assert_allclose(_objective(found, X, y), _objective(exact, X, y), rtol=1e-7)
    assert found.n_iter_ < 0.5 * many.n_iter_


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_few_rows_of_many_columns_are_solved_in_the_space_they_span(k, fit_intercept):
    X, y = _blurred(60, 900, k)
    X[7] = X[3]  # which adds nothing to what rows span
    X += 5.0
    weight = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    model = sf.LogisticRegression(fit_intercept=fit_intercept, C=0.1).fit(X, y, sample_weight=weight)
    scores = X @ model.coef_.T + model.intercept_
    scores = np.column_stack([np.zeros(60), scores[:, 0]]) if k == 2 else scores
    share = np.exp(scores - scores.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    rest = weight[:, None] * (share - np.eye(k)[y])
    gradient = rest.T @ X + (model.coef_ if k > 2 else np.vstack([-model.coef_, model.coef_])) / 0.1
    assert np.abs(gradient).max() < 1e-4 * np.abs(X).sum(axis=0).max()
    if fit_intercept:
        assert np.abs(rest.sum(axis=0)).max() < 1e-5
    assert model.n_iter_ < 10


def test_files_begin_where_some_rows_end(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 3))
    y = (X @ [1.0, -2.0, 0.5] + rng.logistic(size=60_000) > 0).astype(int)
    path = tmp_path / "rows.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="", fmt=["%.17g"] * 3 + ["%d"])
    from_file = sf.LogisticRegression().fit(sf.scan(path, target="y"))
    from_memory = sf.LogisticRegression().fit(as_source(X, y))
    assert_allclose(from_file.coef_, from_memory.coef_, atol=1e-6)
    assert from_file.n_iter_ <= 4


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_newton_of_several_classes_finds_the_optimum_of_lbfgs(C, fit_intercept):
    X, y = _blurred(800, 5, 4)
    X = 3 * X + 1
    given = {"C": C, "fit_intercept": fit_intercept}
    found = sf.LogisticRegression(solver="newton", **given).fit(X, y)
    other = sf.LogisticRegression(solver="lbfgs", tol=1e-15, **given).fit(X, y)
    assert_allclose(found.predict_proba(X), other.predict_proba(X), atol=1e-5)
    assert_allclose(found.coef_, other.coef_, atol=1e-4)
    assert found.history_.objective[-1] <= other.history_.objective[-1] * (1 + 1e-12)
    assert found.n_iter_ <= 8


def test_several_classes_borrow_the_hessian_of_few_rows():
    X, y = _blurred(60_000, 4, 3)
    found = sf.LogisticRegression().fit(X, y)
    exact = sf.LogisticRegression(solver="lbfgs", tol=1e-15).fit(X, y)
    assert_allclose(found.coef_, exact.coef_, atol=1e-5)


def test_columns_of_unequal_spread_under_a_penalty_take_few_iterations():
    """What the penalty adds to the curvature belongs to the unit of a column; by its spread alone it took hundreds."""
    rng = np.random.default_rng(0)
    X = rng.random((600, 150)) * np.geomspace(1e-3, 1, 150)
    y = rng.integers(0, 3, 600)
    for C in (1.0, 0.01):
        model = sf.LogisticRegression(C=C, solver="lbfgs").fit(X + X[:, :1], y)
        assert model.n_iter_ < 30
        other = sf.LogisticRegression(C=C, solver="newton").fit(X + X[:, :1], y)
        np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-5)
