"""Linear models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.linear_model as sk
import sklearn.svm

import suffice as sf

from .contest import UNGROUPED, Contest, Equal, answers, as_accurate, at_most
from .tables import Cell, Table, classes, numbers


def _product(table: Table) -> float:
    return float(2.0 * table.X.shape[0] * table.X.shape[1])


def _gram(table: Table) -> float:
    """The smaller of the two products of the table with itself."""
    n, d = table.X.shape
    return float(n * d * min(n, d))


def _positive(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """Targets above 0 whose logarithm is a linear function of the columns, and noise."""
    X = classes(rng, cell, k)[0]
    return X, rng.gamma(2.0, np.exp(X @ rng.normal(size=cell.d) / (2 * cell.d**0.5 + 2 * k**0.5)))


def _counts(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """Counts with such means."""
    X, mean = _positive(rng, cell, k)
    return X, rng.poisson(mean).astype(float)


def _lower_or_equal(loss: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Equal:
    """Our ½‖w‖² + C Σ loss(y, X w + b), of each class against the others, is at most the peer's, but for a small part.

    The intercept is not penalised: a peer that penalises it solves another problem, and is no better at this one.
    """

    def check(ours: Any, theirs: Any, table: Table) -> None:
        mine, other = (_objective(model, loss, table) for model in (ours, theirs))
        assert mine <= other * 1.01, f"objective {mine:.6g} against {other:.6g}"
        as_accurate()(ours, theirs, table)

    return check


def _objective(model: Any, loss: Callable[[np.ndarray, np.ndarray], np.ndarray], table: Table) -> float:
    coefficients = np.atleast_2d(model.coef_).astype(np.float64)  # (k or 1, d)
    scores = np.asarray(table.X @ coefficients.T + model.intercept_)  # (n, k or 1)
    target = np.asarray(table.y)[:, None]
    if hasattr(model, "classes_"):
        positive = model.classes_[-1:] if len(coefficients) == 1 else model.classes_
        target = np.where(target == positive, 1.0, -1.0)
    return float(0.5 * np.sum(coefficients**2) + model.C * np.sum(loss(target, scores)))


def _hinge(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return np.maximum(0.0, 1 - y * scores)


def _squared_hinge(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return _hinge(y, scores) ** 2


def _absolute(y: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return np.abs(y - scores)


def _svm(peer: Callable[..., Any]) -> Callable[..., Any]:
    """The peer that stops where ours does: by default it leaves most digits undetermined, or gives up before."""
    return partial(peer, tol=1e-6, max_iter=100_000)


OPERATIONS = {"fit": _gram, "predict": _product, "score": _product}
DEVIANCE = {"score": "theirs is the share of the deviance that is explained, ours that of the variance"}
GLM = ("lbfgs", "newton-cholesky")
SOLVERS = ("auto", "cholesky", "svd", "lsqr", "sparse_cg")
EXACT = 1e-12  # where peers stop iterating over sparse rows: by default they leave most digits undetermined
PLANE = ("coef_", "intercept_")
CONTESTS = [
    Contest(
        sf.LinearRegression, {"scikit-learn": partial(sk.LinearRegression, tol=EXACT)}, answers("predict"),
        rows=numbers, sparse=True, operations=OPERATIONS, axes=UNGROUPED,
    ),
    Contest(
        sf.Ridge, {f"scikit-learn, {name}": partial(sk.Ridge, solver=name, tol=EXACT) for name in SOLVERS},
        answers("predict"), rows=numbers, sparse=True, operations=OPERATIONS, axes=UNGROUPED,
    ),
    Contest(
        sf.LogisticRegression,
        {f"scikit-learn, {name}": partial(sk.LogisticRegression, solver=name, tol=1e-6, max_iter=1000)
         for name in ("lbfgs", "newton-cholesky", "newton-cg")},
        answers("predict_proba", 1e-3), rows=classes, sparse=True, shape=at_most(1_000_000, 2000),
    ),
    Contest(
        sf.PoissonRegressor,
        {f"scikit-learn, {name}": partial(sk.PoissonRegressor, solver=name, tol=1e-6) for name in GLM},
        answers("predict", 1e-3), rows=_counts, options=lambda table: {"alpha": 0.01}, axes=UNGROUPED,
        shape=at_most(1_000_000, 500), unlike=DEVIANCE,
    ),
    Contest(
        sf.GammaRegressor, {f"scikit-learn, {name}": partial(sk.GammaRegressor, solver=name, tol=1e-6) for name in GLM},
        answers("predict", 1e-3), rows=_positive, options=lambda table: {"alpha": 0.01}, axes=UNGROUPED,
        shape=at_most(1_000_000, 500), unlike=DEVIANCE,
    ),
    Contest(
        sf.TweedieRegressor,
        {f"scikit-learn, {name}": partial(sk.TweedieRegressor, solver=name, tol=1e-6) for name in GLM},
        answers("predict", 1e-3), rows=_positive, options=lambda table: {"alpha": 0.01, "power": 1.5}, axes=UNGROUPED,
        shape=at_most(1_000_000, 500), unlike=DEVIANCE,
    ),
    Contest(
        sf.Lasso, {"scikit-learn": sk.Lasso}, answers("predict", 1e-3), rows=numbers, sparse=True,
        options=lambda table: {"alpha": 0.1, "tol": 1e-8}, operations=OPERATIONS, axes=UNGROUPED,
    ),
    Contest(
        sf.ElasticNet, {"scikit-learn": sk.ElasticNet}, answers("predict", 1e-3), rows=numbers, sparse=True,
        options=lambda table: {"alpha": 0.1, "tol": 1e-8}, operations=OPERATIONS, axes=UNGROUPED,
    ),
    Contest(
        sf.SGDClassifier, {"scikit-learn": sk.SGDClassifier}, as_accurate(0.1), rows=classes, sparse=True,
        options=lambda table: {"max_iter": 20, "tol": None, "random_state": 0}, shape=at_most(200_000, 2000),
        shared=PLANE,
    ),
    Contest(
        sf.SGDRegressor, {"scikit-learn": sk.SGDRegressor}, as_accurate(), rows=numbers, sparse=True, axes=UNGROUPED,
        options=lambda table: {"max_iter": 5, "tol": None, "random_state": 0, "eta0": 1e-3}, shared=PLANE,
        shape=at_most(200_000, 100),
    ),
    Contest(
        sf.Perceptron, {"scikit-learn": sk.Perceptron}, as_accurate(0.2), rows=classes, sparse=True, shared=PLANE,
        options=lambda table: {"max_iter": 20, "tol": None, "random_state": 0}, shape=at_most(200_000, 2000),
    ),
    Contest(
        sf.LinearSVC, {"scikit-learn": _svm(sklearn.svm.LinearSVC)}, _lower_or_equal(_squared_hinge), rows=classes,
        sparse=True, shared=PLANE, shape=at_most(20_000, 500),
    ),
    Contest(
        sf.LinearSVC, {"scikit-learn": _svm(sklearn.svm.LinearSVC)}, _lower_or_equal(_hinge), rows=classes,
        variant="hinge", options=lambda table: {"loss": "hinge"}, sparse=True, shape=at_most(5000, 100), only_fit=True,
    ),
    Contest(
        sf.LinearSVR, {"scikit-learn": _svm(sklearn.svm.LinearSVR)}, _lower_or_equal(_absolute), rows=numbers,
        sparse=True, shared=PLANE, axes=UNGROUPED, shape=at_most(5000, 100),
    ),
    Contest(
        sf.QuantileRegressor, {"scikit-learn": sk.QuantileRegressor}, answers("predict"), rows=numbers,
        options=lambda table: {"alpha": 0.01}, shape=at_most(2000, 50), cut="the peer takes minutes for more rows",
        axes=UNGROUPED,
    ),
    Contest(
        sf.BayesianRidge, {"scikit-learn": sk.BayesianRidge}, answers("predict"), rows=numbers, operations=OPERATIONS,
        axes=UNGROUPED,
    ),
    Contest(
        sf.HuberRegressor, {"scikit-learn": partial(sk.HuberRegressor, tol=1e-8, max_iter=1000)},
        answers("predict", 1e-2), rows=numbers, operations=OPERATIONS, axes=UNGROUPED,
    ),
]  # fmt: skip
ALONE = {
    sf.GeneralizedLinearRegressor: "no peer takes any loss, link and penalty; its named members have contests",
    sf.LinearModel: "a composition; its parts are compared in the models of that name",
    sf.LinearModelClassifier: "a composition; its parts are compared in the models of that name",
    sf.LpRegressor: "scikit-learn has none; SciPy's optimisers are compared in the tests",
    sf.StudentTRegressor: "scikit-learn has none; SciPy's optimisers are compared in the tests",
}
