"""Logistic regression with L2: tall, square, wide and of several classes"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.linear_model as sk

import suffice as sf

from .families.contest import installed
from .harness import SAME, Workload, loosest, reduced

INTELEX = ("intelex", "sklearnex.linear_model", "LogisticRegression")


def objective(model: Any, X: np.ndarray, y: np.ndarray, C: float) -> float:
    """Σ ℓ + ‖w‖² / 2C, of two classes or more."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.column_stack([np.zeros(len(X)), scores[:, 0]])
    top = scores.max(axis=1)
    own = scores[np.arange(len(X)), np.searchsorted(model.classes_, y)]
    logs = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top - own
    return float(logs.sum() + np.sum(model.coef_**2) / (2 * C))


def _compared(X: np.ndarray, y: np.ndarray, C: float, solvers: tuple[str, ...]) -> dict[str, Callable[[], Any]]:
    """Everybody with the loosest tolerance that brings the objective within 1e-6 of the minimum."""

    def fit(solver: str, model: Any = sk.LogisticRegression) -> Callable[[float], Any]:
        scaling = {"intercept_scaling": 100.0} if solver == "liblinear" else {}  # which penalises the intercept
        return lambda tol: model(C=C, solver=solver, tol=tol, max_iter=5000, **scaling).fit(X, y)

    def ours(tol: float) -> Any:
        return sf.LogisticRegression(C=C, tol=tol).fit(X, y)

    def cost(model: Any) -> float:
        return objective(model, X, y, C)

    least = cost(ours(1e-13))
    everybody = {"suffice": ours, **{solver: fit(solver) for solver in solvers}}
    everybody |= {name: fit("lbfgs", model) for name, model in installed(*INTELEX).items()}
    return {name: loosest(made, cost, least) for name, made in everybody.items()}


def _workload(
    name: str, X: np.ndarray, y: np.ndarray, C: float, solvers: tuple[str, ...], floor: float, **limit: float
) -> Workload:
    everybody = _compared(X, y, C, solvers)
    ours = everybody.pop("suffice")

    def check(mine: Any, others: dict[str, Any]) -> None:
        found = {name: objective(other, X, y, C) for name, other in others.items()}
        own = objective(mine, X, y, C)
        assert own <= min(found.values()) * (1 + SAME), f"{own:.9g}, and of the peers {found}"
        assert max(found.values()) <= own * (1 + 1e-5), f"{own:.9g}, and of the peers {found}"

    size = f"{X.shape[0]:,} × {X.shape[1]:,}" + (f", {len(np.unique(y))} classes" if y.dtype.kind == "i" else "")
    return Workload(name, size, ours, everybody, check, floor=dict.fromkeys(everybody, floor), repeat=3, **limit)


def _two_classes(n: int, d: int, floor: float, solvers: tuple[str, ...], C: float = 1.0, passes: int = 6) -> Workload:
    """The limit: so many passes over the rows, each with the products of all columns where these are fewer."""
    n, d = (reduced(n), d) if n >= d else (n, reduced(d))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)
    y = np.where(X @ rng.normal(size=d) / np.sqrt(d) + rng.logistic(size=n) > 0, "yes", "no")
    limit = {"bytes_read": X.nbytes * passes, "operations": min(n, d) * X.size}
    return _workload("LogisticRegression.fit, L2", X, y, C, solvers, floor, **limit)


def _digits(n: int, d: int, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pictures like handwritten digits: k blurred shapes, of which rows are mixtures, from 0 to 1, most of it dark."""
    y = rng.integers(0, k, n)
    side = int(np.ceil(np.sqrt(d)))
    place = np.stack(np.divmod(np.arange(d), side)) / side
    centre, shape = rng.random((k, 4, 2)), np.zeros((k, d))
    for c in range(k):
        for blob in centre[c]:
            shape[c] += np.exp(-((place - blob[:, None]) ** 2).sum(axis=0) / 0.01)
    mix = rng.random((n, k))
    mix[np.arange(n), y] += 0.6
    X = mix @ shape + 0.1 * rng.normal(size=(n, d))
    return np.clip(X, 0.0, 1.0), y


def _multinomial(n: int, d: int, k: int, floor: float, C: float, solvers: tuple[str, ...]) -> Workload:
    n = reduced(n)
    X, y = _digits(n, d, k, np.random.default_rng(0))
    limit = {"bytes_read": 20 * X.nbytes, "operations": 20 * 4 * k * X.size}
    return _workload("LogisticRegression.fit, multinomial", X, y, C, solvers, floor, **limit)


def _answers(method: str, k: int) -> Workload:
    n = reduced(1_000_000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 30))
    y = np.argmax(X[:5000, :k] + rng.gumbel(size=(5000, k)), axis=1)
    ours, theirs = sf.LogisticRegression().fit(X[:5000], y), sk.LogisticRegression().fit(X[:5000], y)
    theirs.coef_, theirs.intercept_ = ours.coef_.copy(), ours.intercept_.copy()

    def check(mine: Any, others: dict[str, Any]) -> None:
        np.testing.assert_allclose(mine, others["scikit-learn"], rtol=1e-8, atol=1e-10)

    return Workload(
        f"LogisticRegression.{method}", f"{n:,} × 30, {k} classes", lambda: getattr(ours, method)(X),
        {"scikit-learn": lambda: getattr(theirs, method)(X)}, check, floor={"scikit-learn": 1.0}, bytes_read=X.nbytes,
    )  # fmt: skip


TALL = ("lbfgs", "newton-cholesky", "newton-cg", "liblinear")

WORKLOADS = [
    lambda: _two_classes(50_000, 20, 1.5, TALL),
    lambda: _two_classes(1_000_000, 30, 2.0, ("lbfgs", "newton-cholesky")),
    lambda: _two_classes(5_000, 2_000, 1.3, ("lbfgs", "newton-cg", "liblinear")),
    lambda: _two_classes(300, 20_000, 1.3, ("lbfgs", "newton-cg", "liblinear")),
    lambda: _multinomial(60_000, 784, 10, 1.5, 3e-4, ("lbfgs",)),  # a C of 0.01 takes lbfgs thousands of iterations
    lambda: _multinomial(200_000, 20, 5, 1.5, 1.0, ("lbfgs", "newton-cholesky")),
    *(lambda method=method, k=k: _answers(method, k) for method in ("predict", "predict_proba") for k in (2, 5)),
]
