"""Linear models."""

from __future__ import annotations

from functools import partial

import sklearn.linear_model as sk
import sklearn.svm

import suffice as sf

from .contest import UNGROUPED, Contest, answers, as_accurate, at_most
from .tables import Table, classes, numbers


def _product(table: Table) -> float:
    return float(2.0 * table.X.shape[0] * table.X.shape[1])


def _gram(table: Table) -> float:
    """The smaller of the two products of the table with itself."""
    n, d = table.X.shape
    return float(n * d * min(n, d))


OPERATIONS = {"fit": _gram, "predict": _product, "score": _product}
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
        sf.Lasso, {"scikit-learn": sk.Lasso}, answers("predict", 1e-3), rows=numbers, sparse=True,
        options=lambda table: {"alpha": 0.1, "tol": 1e-8}, operations=OPERATIONS, axes=UNGROUPED,
    ),
    Contest(
        sf.ElasticNet, {"scikit-learn": sk.ElasticNet}, answers("predict", 1e-3), rows=numbers, sparse=True,
        options=lambda table: {"alpha": 0.1, "tol": 1e-8}, operations=OPERATIONS, axes=UNGROUPED,
    ),
    Contest(
        sf.SGDClassifier, {"scikit-learn": sk.SGDClassifier}, as_accurate(0.05), rows=classes, sparse=True,
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
        sf.LinearSVC, {"scikit-learn": sklearn.svm.LinearSVC}, as_accurate(), rows=classes, sparse=True, shared=PLANE,
        shape=at_most(20_000, 500),
    ),
    Contest(
        sf.LinearSVC, {"scikit-learn": sklearn.svm.LinearSVC}, as_accurate(), rows=classes, variant="hinge",
        options=lambda table: {"loss": "hinge"}, sparse=True, shape=at_most(5000, 100), only_fit=True,
    ),
    Contest(
        sf.LinearSVR, {"scikit-learn": sklearn.svm.LinearSVR}, as_accurate(), rows=numbers, sparse=True, shared=PLANE,
        axes=UNGROUPED, shape=at_most(5000, 100),
    ),
]  # fmt: skip
