"""Projections."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sklearn.decomposition as sk

import suffice as sf

from .contest import UNGROUPED, Contest, Differs
from .tables import Table

SOLVERS = ("auto", "full", "covariance_eigh", "randomized", "arpack")


def _kept(table: Table) -> int:
    return int(max(1, min(10, *(side - 1 for side in table.X.shape))))


def _as_much_variance(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = float(np.sum(ours.explained_variance_)), float(np.sum(theirs.explained_variance_))
    text = f"explained variance {mine:.6g} against {other:.6g}"
    assert mine >= other * (1 - 1e-4), text
    if other < mine * (1 - 1e-4):  # an approximation that is worse than ours
        raise Differs(text)


def _components(table: Table) -> dict[str, Any]:
    return {"n_components": _kept(table)}


def _product(table: Table) -> float:
    return float(2.0 * table.X.shape[0] * table.X.shape[1] * _kept(table))


def _gram(table: Table) -> float:
    """The smaller of the two products of the table with itself."""
    n, d = table.X.shape
    return float(n * d * min(n, d))


def solver(name: str) -> Any:
    """Scikit-learn's PCA by this way to find the axes."""
    return partial(sk.PCA, svd_solver=name, random_state=0)


# What our float32 answers have that theirs do not: sums in double precision, which take twice the arithmetic.
SUMMED = dict.fromkeys(
    ("fit", "transform", "fit_transform", "inverse_transform"), "theirs sums in single precision, ours in double"
)
MIXED = (
    "theirs finds axes in single precision: those of nearly equal variance are mixed, and coordinates off by percents"
)

CONTESTS = [
    Contest(
        sf.PCA, {f"scikit-learn, {name}": solver(name) for name in SOLVERS}, _as_much_variance, options=_components,
        shared=("components_", "mean_", "explained_variance_"), sparse=True, axes=UNGROUPED,
        operations={"fit": _gram, "transform": _product, "inverse_transform": _product, "fit_transform": _gram},
        in_single=SUMMED,
    ),
    Contest(
        sf.Whiten, {"scikit-learn, PCA": lambda: sk.PCA(whiten=True)}, lambda ours, theirs, table: None,
        shape=lambda n, d: (n, min(d, n // 2, 500)), free_signs=True, axes=UNGROUPED,
        unlike={"inverse_transform": "signs differ"},
        in_single={**SUMMED, **dict.fromkeys(("transform", "fit_transform"), MIXED)}, unlike_in_single=("transform",),
    ),
]  # fmt: skip
