"""Neighbours."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.neighbors as sk

from suffice.models.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    ParzenClassifier,
    ParzenRegressor,
)

from .contest import UNGROUPED, Contest, answers, same
from .tables import Table, classes, groups, numbers


class TreePeer:
    """SciPy's tree, as an estimator."""

    def __init__(self, n_neighbors: int = 5, radius: float = 1.0) -> None:
        self.n_neighbors, self.radius = n_neighbors, radius

    def fit(self, X: np.ndarray) -> TreePeer:
        """Build the tree."""
        from scipy.spatial import cKDTree

        self.tree_ = cKDTree(X)
        return self

    def kneighbors(self, Q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The distances, and the rows."""
        found: tuple[np.ndarray, np.ndarray] = self.tree_.query(Q, self.n_neighbors, workers=-1)
        return found


ASKED = 1000  # rows


class NearestNeighborsAsked:
    """A fit that goes on to the first question: an index built in `fit` and one never built do the same work."""

    def __init__(self, make: Callable[..., Any] = NearestNeighbors, **options: Any) -> None:
        self.model = make(**options)

    def fit(self, X: Any) -> NearestNeighborsAsked:
        """Fit, and find the neighbours of some rows."""
        self.distances_ = self.model.fit(X).kneighbors(X[:ASKED])[0]
        return self


def _by(cls: type) -> dict[str, Callable[..., Any]]:
    names = ("auto", "brute", "kd_tree")
    return {f"scikit-learn, {name}": partial(cls, algorithm=name, n_jobs=-1) for name in names}


def _radius(table: Table) -> dict[str, Any]:
    return {"radius": table.radius}


NO_INDEX = "brute force builds no index in fit: see NearestNeighborsAsked, fit and first question"
REMARKS = {
    "fit": {
        "scikit-learn, brute": NO_INDEX,
        "scipy, cKDTree": "no estimator: a tree alone, which checks no parameters and no columns",
    }
}
COMMON: dict[str, Any] = {
    "alike_after_fit": False, "few_asked": True, "sparse": True, "axes": UNGROUPED, "remarks": REMARKS,
}  # fmt: skip
SEARCHES: dict[str, Callable[..., Any]] = {**_by(sk.NearestNeighbors), "scipy, cKDTree": TreePeer}
CONTESTS = [
    Contest(
        NearestNeighbors, SEARCHES,
        lambda ours, theirs, table: None, rows=groups, options=_radius, **COMMON,
    ),
    Contest(
        NearestNeighborsAsked,
        {name: partial(NearestNeighborsAsked, make=make) for name, make in SEARCHES.items()},
        same("distances_", tolerance=1e-5), rows=groups, options=_radius, **{**COMMON, "remarks": {}},
    ),
    Contest(KNeighborsClassifier, _by(sk.KNeighborsClassifier), answers("predict"), rows=classes, **COMMON),
    Contest(KNeighborsRegressor, _by(sk.KNeighborsRegressor), answers("predict", 1e-4), rows=numbers, **COMMON),
    Contest(
        ParzenClassifier, _by(sk.RadiusNeighborsClassifier), answers("predict"), rows=classes, options=_radius,
        **COMMON,
    ),
    Contest(
        ParzenRegressor, _by(sk.RadiusNeighborsRegressor), answers("predict", 1e-4), rows=numbers, options=_radius,
        **COMMON,
    ),
]  # fmt: skip
