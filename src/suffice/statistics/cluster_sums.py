"""The summary of k-means: what the rows nearest to each centre add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..backend import kmeans
from ..backend.weights import doubles, given_or_ones
from ..data.rows import as_rows, as_weight, is_sparse
from ..errors import InvalidData
from ..holds import either, floats, number
from ..typing import Flags, Floats, Numbers
from .base import Statistic


@dataclass(frozen=True)
class ClusterSums(Statistic):
    """For each centre the weight of its rows, (k, 1) or (k, d) where cells are missing, and their sums (k, d).

    Sums are about a shift, so that large means cost no digits; `cost` is Σ w ‖x − nearest centre‖² over the cells
    that are there, or NaN where it was not asked for.

    >>> s = ClusterSums.of(np.array([[0.0], [1.0], [9.0]]), None, np.array([[0.0], [10.0]]))
    >>> s.centres(np.array([[0.0], [10.0]])).tolist(), s.cost
    ([[0.5], [9.0]], 2.0)
    """

    weight: Floats
    sums: Floats
    shift: Floats
    cost: float

    leaves_out_missing: ClassVar = True
    holds: ClassVar = {
        "weight": either(floats("k", 1, finite=False), floats("k", "d", finite=False)),
        "sums": floats("k", "d", finite=False),
        "shift": floats("d", finite=False),
        "cost": number(finite=False),
    }

    @classmethod
    def of(
        cls, X: Any, weight: Numbers | None = None, centres: Any = None, shift: Any = None, costed: bool = True
    ) -> ClusterSums:
        """Assign the rows of X to the centres and add them up; without the cost this takes less time."""
        X = as_rows(X, cls.__name__, sparse=True)
        weight = as_weight(weight, X.shape[0], cls.__name__)
        centres = np.eye(2, X.shape[1]) if centres is None else doubles(centres)
        shift = np.zeros(X.shape[1]) if shift is None else doubles(shift)
        if centres.ndim != 2 or not centres.shape[1] == X.shape[1] == shift.size or not len(centres):
            raise InvalidData(
                f"ClusterSums: centres must have shape (k, {X.shape[1]}) and shift ({X.shape[1]},); got "
                f"{centres.shape} and {shift.shape}."
            )
        if costed:
            found = kmeans.assign(X, centres, shift, weight)
            sums, mass, cost = found.sums, found.weight, found.cost
        else:
            (sums, mass), cost = kmeans.sums(X, centres, shift, weight), np.nan
        if not np.isfinite(sums).all():  # a cell is missing
            if is_sparse(X):
                raise InvalidData(f"{cls.__name__}: a cell of the sparse matrix is not finite; give finite numbers.")
            return cls._with_missing(X, np.isnan(X), weight, centres, shift)
        return cls(mass[:, None], sums, shift, cost)

    @classmethod
    def _with_missing(
        cls, X: Numbers, is_missing: Flags, weight: Floats | None, centres: Floats, shift: Floats
    ) -> ClusterSums:
        labels, squared = nearest_with_missing(X, centres, shift)
        w = given_or_ones(weight, len(X))
        cells, sums = np.zeros_like(centres), np.zeros_like(centres)
        np.add.at(cells, labels, np.where(is_missing, 0.0, w[:, None]))
        np.add.at(sums, labels, np.where(is_missing, 0.0, w[:, None] * (X - shift)))
        return cls(cells, sums, shift, float(w @ squared))

    def __add__(self, other: ClusterSums) -> ClusterSums:
        cost = self.cost + other.cost
        return ClusterSums(self.weight + other.weight, self.sums + other.sums, self.shift, cost)

    def centres(self, before: Floats) -> Floats:
        """The means; a centre (or one of its columns) without rows stays where it was."""
        some = self.weight > 0
        if some.all():
            return np.asarray(self.shift + self.sums / self.weight)
        return np.where(some, self.shift + self.sums / np.where(some, self.weight, 1.0), before)

    def cost_at(self, centres: Floats, total: float) -> float:
        """Σ w ‖x − c‖² of the same rows about other centres; `total` is Σ w ‖x − shift‖² of all rows."""
        c = centres - self.shift
        return max(float(total + np.vdot(c, self.weight * c - 2 * self.sums)), 0.0)


def nearest_with_missing(X: Numbers, centres: Floats, shift: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The nearest centre by partial distances, Σ (x − c)² over the cells that are there, and that distance."""
    there = ~np.isnan(X)
    filled = np.where(there, X - shift, 0.0).astype(np.float64)
    C = centres - shift
    squared = np.sum(filled**2, axis=1)[:, None] - 2 * filled @ C.T + there @ (C**2).T  # (n, k)
    labels = np.argmin(squared, axis=1)
    own = np.where(there, filled - C[labels], 0.0)
    return labels, np.sum(own**2, axis=1)
