"""The lasso and its relatives: one strength, paths, cross-validation, and logistic regression with L1."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model as sk

import suffice as sf

from .families.contest import is_installed
from .harness import Workload

TOL = 1e-6  # of the dual gap, for everybody


def _celer() -> Any:
    """The peer that is mostly the fastest, or None."""
    return importlib.import_module("celer") if is_installed("celer") else None


def _skglm() -> Any:
    return importlib.import_module("skglm") if is_installed("skglm") else None


def _correlated(n: int, p: int, correlation: float) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring columns go together, and a hundred of them have slopes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    for j in range(1, p):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X, _target(X, 100, rng)


def _scattered(n: int, p: int, density: float) -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(0)
    X = sp.random_array((n, p), density=density, rng=rng, format="csr")
    return X, _target(X, 300, rng)


def _target(X: Any, slopes: int, rng: np.random.Generator) -> np.ndarray:
    w = np.zeros(X.shape[1])
    w[rng.choice(len(w), slopes, replace=False)] = rng.normal(size=slopes)
    y = X @ w
    return np.asarray(y + rng.normal(size=len(y)) * y.std() / 3)


def _largest(X: Any, y: np.ndarray) -> float:
    return float(np.abs(X.T @ (y - y.mean())).max()) / len(y)


def _objective(X: Any, y: np.ndarray, w: np.ndarray, b: float, strength: float) -> float:
    rest = y - X @ w - b
    return 0.5 * float(np.mean(rest**2)) + strength * float(np.abs(w).sum())


def _one_strength() -> Workload:
    X, y = _correlated(2000, 5000, 0.9)
    by_columns, strength = np.asfortranarray(X), _largest(X - X.mean(axis=0), y) / 20
    peers: dict[str, Callable[[], Any]] = {
        "scikit-learn": lambda: sk.Lasso(strength, tol=TOL, max_iter=10**5).fit(by_columns, y)
    }
    if celer := _celer():
        peers["celer"] = lambda: celer.Lasso(strength, tol=TOL).fit(by_columns, y)
    if skglm := _skglm():
        peers["skglm"] = lambda: skglm.Lasso(strength, tol=TOL).fit(by_columns, y)

    def check(ours: Any, others: dict[str, Any]) -> None:
        mine = _objective(X, y, ours.coef_, ours.intercept_, strength)
        for other in others.values():
            assert mine <= _objective(X, y, other.coef_, other.intercept_, strength) * (1 + 1e-6)

    return Workload(
        "Lasso.fit", "2,000 × 5,000 correlated, λ = λ_max / 20",
        lambda: sf.Lasso(strength, tol=TOL).fit(X, y), peers, check,
        floor=dict.fromkeys(peers, 1.2), bytes_read=X.nbytes,
    )  # fmt: skip


def _path(X: Any, y: np.ndarray, size: str) -> Workload:
    """The peers are given centred columns where they are dense; sparse ones have no intercept."""
    dense = not sp.issparse(X)
    centred = np.asfortranarray(X - X.mean(axis=0)) if dense else X.tocsc()
    target = y - y.mean() if dense else y
    model = sf.Lasso(tol=TOL, fit_intercept=dense)
    alphas = np.geomspace(1.0, 0.01, 100) * float(np.abs(centred.T @ target).max()) / len(y)
    peers: dict[str, Callable[[], Any]] = {
        "scikit-learn": lambda: sk.lasso_path(centred, target, alphas=alphas, tol=TOL, max_iter=10**5)[1]
    }
    if celer := _celer():
        peers["celer"] = lambda: celer.celer_path(centred, target, "lasso", alphas=alphas, tol=TOL)[1]

    def check(ours: Any, others: dict[str, Any]) -> None:
        for other in others.values():
            for k in range(0, 100, 9):
                mine = _objective(centred, target, ours.coef[k], 0.0, alphas[k])
                assert mine <= _objective(centred, target, other[:, k], 0.0, alphas[k]) * (1 + 1e-6)

    return Workload(
        "Lasso.path", size, lambda: model.path(X, y, alphas=alphas), peers, check,
        floor=dict.fromkeys(peers, 1.2), repeat=3, memory=False,
    )  # fmt: skip


def _cross_validated() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 200)) + rng.normal(size=(20_000, 1))
    y = _target(X, 20, rng)

    def check(ours: Any, others: dict[str, Any]) -> None:
        """The folds differ, so the strengths differ by a step or two."""
        for other in others.values():
            assert 0.5 < ours.alpha_ / other.alpha_ < 2

    return Workload(
        "ElasticNet, alpha chosen", "20,000 × 200, 5 folds, 50 values",
        lambda: sf.ElasticNet("cv", n_alphas=50, tol=1e-4).fit(X, y),
        {"scikit-learn": lambda: sk.ElasticNetCV(alphas=50, cv=5, tol=1e-4).fit(X, y)},
        check, floor={"scikit-learn": 5.0}, repeat=3,
    )  # fmt: skip


def _logistic() -> Workload:
    rng = np.random.default_rng(0)
    n = p = 50_000
    X = sp.random_array((n, p), density=1e-3, rng=rng, format="csr")
    X.data = rng.normal(size=X.nnz)
    w = np.zeros(p)
    w[rng.choice(p, 200, replace=False)] = 4 * rng.normal(size=200)
    y = np.where(X @ w + 0.3 * rng.logistic(size=n) > 0, 1, -1)
    C = 10 / (_largest(X, y.astype(float)) / 2 * n)  # λ is a tenth of that which leaves no slope

    def cost(model: Any) -> float:
        slope = np.ravel(model.coef_)
        return float(C * np.logaddexp(0, -y * (X @ slope + model.intercept_)).sum() + np.abs(slope).sum())

    def check(ours: Any, others: dict[str, Any]) -> None:
        for other in others.values():
            assert cost(ours) <= cost(other) * (1 + 1e-6)

    columns = X.tocsc()
    peers: dict[str, Callable[[], Any]] = {
        "liblinear": lambda: sk.LogisticRegression(
            C=C, l1_ratio=1, solver="liblinear", tol=1e-4, intercept_scaling=100
        ).fit(X, y),
    }
    if celer := _celer():
        peers["celer, no intercept"] = lambda: celer.LogisticRegression(C=C, tol=TOL, fit_intercept=False).fit(
            columns, y
        )
    return Workload(
        "LogisticRegression.fit, L1", "sparse 50,000 × 50,000",
        lambda: sf.LogisticRegression(C=C, l1_ratio=1, tol=TOL).fit(X, y), peers, check,
        floor={"liblinear": 1.2}, repeat=3,
    )  # fmt: skip


WORKLOADS = [
    _one_strength,
    lambda: _path(*_correlated(1000, 10_000, 0.5), "1,000 × 10,000, 100 values"),
    lambda: _path(*_scattered(20_000, 100_000, 1e-3), "sparse 20,000 × 100,000, 100 values"),
    _cross_validated,
    _logistic,
]
