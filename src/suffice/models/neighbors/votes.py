"""Rows near queries as pairs, what each pair counts, and what follows for classes and targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...backend.neighbors import Nearest, Within
from ...errors import InvalidData
from ...indices import Index
from ...typing import Floats, Whole

Weighing = str | Callable[[Floats], Any]


@dataclass(frozen=True)
class Pairs:
    """Neighbours of m queries, one after the other, those of one query by distance; `weight` is what each counts."""

    m: int
    query: Whole
    row: Whole
    distance: Floats
    weight: Floats

    @classmethod
    def of_nearest(cls, found: Nearest, weight: Floats | None = None) -> Pairs:
        """From lists of equal length; `weight` (m, k)."""
        m, k = found.rows.shape
        counts = np.ones(m * k) if weight is None else weight.ravel()
        pairs = cls(m, np.repeat(np.arange(m), k), found.rows.ravel(), found.distances.ravel(), counts)
        return pairs if weight is None else pairs.where(counts > 0)

    @classmethod
    def of_within(cls, found: Within, weight: Floats | None) -> Pairs:
        """From lists of any length; `weight` (n,) of the rows."""
        m = len(found.ends)
        query = np.repeat(np.arange(m), np.diff(found.ends, prepend=0))
        counts = np.ones(len(found.rows)) if weight is None else weight[found.rows]
        return cls(m, query, found.rows, found.distances, counts)

    def where(self, kept: NDArray[np.bool_]) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.m, self.query[kept], self.row[kept], self.distance[kept], self.weight[kept])

    def weighed(self, factors: Floats) -> Pairs:
        """Each pair counts so much more or less."""
        return replace(self, weight=self.weight * factors)

    def shares(self, codes: Whole, classes: int) -> Floats:
        """How much counts for each class, (m, classes)."""
        cell = self.query * classes + codes[self.row]
        found = np.asarray(np.bincount(cell, self.weight, self.m * classes), dtype=np.float64)
        return found.reshape(self.m, classes)

    def sums(self, y: Floats) -> Floats:
        """The weighted sums of the targets (n, q) of the neighbours, (m, q)."""
        columns = [np.bincount(self.query, self.weight * column[self.row], self.m) for column in y.T]
        return np.stack(columns, axis=1)

    @property
    def total(self) -> Floats:
        """How much counts in all, (m,)."""
        return np.asarray(np.bincount(self.query, self.weight, self.m), dtype=np.float64)


def nearest_by_weight(index: Index, Q: Any, k: int, weight: Floats | None) -> Pairs:
    """The nearest rows until their weights sum to k; the last one counts in part. Without weights the k nearest."""
    if weight is None:
        return Pairs.of_nearest(index.kneighbors(Q, k))
    rows = min(k, index.n_rows)
    while True:
        found = index.kneighbors(Q, rows)
        before = np.cumsum(weight[found.rows], axis=1) - weight[found.rows]
        counts = np.clip(k - before, 0, weight[found.rows])
        if rows == index.n_rows or np.all(counts.sum(axis=1) >= k * (1 - 1e-12)):
            return Pairs.of_nearest(found, counts)
        rows = min(2 * rows, index.n_rows)


def by_distance(pairs: Pairs, weights: Weighing, owner: str) -> Pairs:
    """What pairs count by `weights`: "uniform", "distance" (1 / d; only rows at distance 0, if any), or a function."""
    if isinstance(weights, str):
        return pairs if weights == "uniform" else pairs.weighed(_inverse(pairs))
    factors = np.asarray(weights(pairs.distance), dtype=np.float64)
    if factors.shape != pairs.distance.shape or not np.all(factors >= 0) or np.isinf(factors).any():
        raise InvalidData(f"{owner}: weights must give one number, at least 0, for each distance; got {factors!r}.")
    return pairs.weighed(factors)


def _inverse(pairs: Pairs) -> Floats:
    at_zero = pairs.distance == 0
    has_zero = np.bincount(pairs.query, at_zero, pairs.m)[pairs.query] > 0
    first = np.searchsorted(pairs.query, pairs.query)  # relative to the nearest: no overflow
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(has_zero, at_zero, pairs.distance[first] / pairs.distance)
