"""Linear models."""

from __future__ import annotations

from functools import partial

import sklearn.linear_model as sk

import suffice as sf

from .contest import UNGROUPED, Contest, answers, at_most
from .tables import Table, numbers


def _product(table: Table) -> float:
    return float(2.0 * table.X.shape[0] * table.X.shape[1])


def _gram(table: Table) -> float:
    """The smaller of the two products of the table with itself."""
    n, d = table.X.shape
    return float(n * d * min(n, d))


OPERATIONS = {"fit": _gram, "predict": _product, "score": _product}
SOLVERS = ("auto", "cholesky", "svd", "lsqr", "sparse_cg")
EXACT = 1e-12  # where peers stop iterating over sparse rows: by default they leave most digits undetermined
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
    sf.LinearModel: "a composition; its parts are compared in the models of that name",
    sf.LpRegressor: "scikit-learn has none; SciPy's optimisers are compared in the tests",
    sf.StudentTRegressor: "scikit-learn has none; SciPy's optimisers are compared in the tests",
}
