"""Dissimilarities of rows: any metric that SciPy knows, a function, or a matrix that was computed before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from ... import backend
from ...backend.medoids import fault
from ...errors import InvalidData

METRICS = (
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean", "hamming",
    "jaccard", "jensenshannon", "mahalanobis", "minkowski", "rogerstanimoto", "russellrao", "seuclidean",
    "sokalsneath", "sqeuclidean", "yule",
)  # fmt: skip
Metric = str | Callable[[Any, Any], float]
Array = NDArray[Any]

_BLOCK_CELLS = 1 << 20  # dissimilarities computed at once: some megabytes


@dataclass(frozen=True)
class Dissimilarity:
    """A way to compare rows; `arguments` are what a metric has learned from all rows."""

    owner: str
    metric: Metric
    arguments: dict[str, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, owner: str, metric: Metric, X: Array, weight: Array | None) -> Dissimilarity:
        """The metric, with the variances or the covariance of the rows where it needs them."""
        if metric not in ("seuclidean", "mahalanobis"):
            return cls(owner, metric)
        total, _, scatter = backend.moments(X, weight=weight)
        covariance = scatter / max(total - 1, 1)
        if metric == "mahalanobis":
            return cls(owner, metric, {"VI": np.linalg.pinv(covariance)})
        variance = np.diag(covariance)
        return cls(owner, metric, {"V": np.where(variance > 0, variance, 1.0)})

    def between(self, X: Array, at: Array, rows: Array | None) -> Array:
        """From the rows X to the learned rows number `at`, which are `rows`, (m, k), in the type of X."""
        if self.metric == "precomputed":
            return X[:, at]
        distances: Any = cdist
        values: Array = distances(X, rows, self.metric, **self.arguments)
        if isinstance(self.metric, str):
            np.maximum(values, 0, out=values)  # cosines may round to just below 0
        if not values.min(initial=0) >= 0:  # also for NaN
            i, j = np.argwhere(~(values >= 0))[0]
            raise InvalidData(
                f"{self.owner}: metric={self.metric!r} gives {float(values[i, j])} for the rows {X[i]} and {rows[j]}; "  # type: ignore[index]
                "a dissimilarity must be a number, at least 0. Drop such rows, or use another metric."
            )
        return values.astype(X.dtype, copy=False)

    def blocks(self, n: int, width: int) -> list[slice]:
        """The n rows cut so that `width` dissimilarities for each row of a block take some megabytes."""
        height = max(1, _BLOCK_CELLS // max(1, width))
        return [slice(start, min(n, start + height)) for start in range(0, n, height)]

    def matrix(self, X: Array) -> Array:
        """All pairs of rows, (n, n), in the type of X; each pair is computed once."""
        n = len(X)
        D = np.empty((n, n), dtype=X.dtype)
        for rows in self.blocks(n, n):
            later = slice(rows.start, n)
            D[rows, later] = self.between(X[rows], np.arange(n)[later], X[later])
            D[later, rows] = D[rows, later].T
        return D


def check_precomputed(owner: str, D: Array) -> None:
    """Refuse a matrix that does not hold the dissimilarities of all pairs of rows."""
    if D.shape[0] != D.shape[1]:
        raise InvalidData(
            f"{owner}: metric='precomputed' needs a square matrix, one row and one column for each object; "
            f"X has shape {D.shape}. Give all pairs, or rows with another metric."
        )
    tolerance = 1e-8 if D.dtype == np.float64 else 1e-5
    bad = fault(D, tolerance)
    if bad is not None:
        kind, i, j = bad
        here, there = f"X[{i}, {j}] is {float(D[i, j])}", f"X[{j}, {i}] is {float(D[j, i])}"
        if kind == "negative":
            raise InvalidData(
                f"{owner}: {here}; precomputed dissimilarities must be finite and not negative. "
                "Turn similarities s into dissimilarities, such as max(s) - s."
            )
        raise InvalidData(
            f"{owner}: {here} but {there}; precomputed dissimilarities must be symmetric. Use (X + X.T) / 2."
        )
    own = np.diagonal(D)
    at = int(np.argmax(own))
    if own[at] > 0 and own[at] > tolerance * float(D.max()):
        raise InvalidData(
            f"{owner}: X[{at}, {at}] is {float(own[at])}; the dissimilarity of a row to itself must be 0. "
            "Set it with numpy.fill_diagonal(X, 0)."
        )
