"""Rows near queries as pairs, what each pair counts, and what follows for classes and targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...backend.neighbors import Within
from ...errors import InvalidData
from ...indices import Index
from ...params import are_numbers
from ...typing import Floats, Whole

_LARGEST = 1e100  # larger factors are taken in units of the largest
Weighing = str | Callable[[Floats], object]


@dataclass(frozen=True)
class Pairs:
    """Neighbours of m queries, one after the other, those of one query by distance; `weight` is what each counts."""

    m: int
    query: Whole
    row: Whole
    distance: Floats
    weight: Floats

    @classmethod
    def of_within(cls, found: Within, weight: Floats | None) -> Pairs:
        """From lists of any length; `weight` (n,) of the rows."""
        counts = np.ones(len(found.rows)) if weight is None else weight[found.rows]
        return cls(len(found.ends), found.queries(), found.rows, found.distances, counts)

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


def nearest_by_weight(index: Index, Q: object, k: int, weight: Floats | None) -> Pairs:
    """The nearest rows until their weights sum to k; those as near as the last share what is left of k."""
    pairs = Pairs.of_within(index.tied_neighbors(Q, k, weight), weight)
    if weight is None and len(pairs.row) == k * pairs.m:
        return pairs  # nothing is as near as the last but the last
    ends = np.searchsorted(pairs.query, np.arange(pairs.m), side="right")
    is_last = pairs.distance == pairs.distance[ends - 1][pairs.query]  # as near as the farthest of its query
    nearer, farthest = (np.bincount(pairs.query, pairs.weight * part, pairs.m) for part in (~is_last, is_last))
    share = np.minimum((k - nearer) / farthest, 1.0)
    return pairs.weighed(np.where(is_last, share[pairs.query], 1.0))


def by_distance(pairs: Pairs, weights: Weighing, owner: str) -> Pairs:
    """What pairs count by `weights`: "uniform", "distance" (1 / d; only rows at distance 0, if any), or a function."""
    if isinstance(weights, str):
        return pairs if weights == "uniform" else pairs.weighed(_inverse(pairs))
    return pairs.weighed(given_factors(owner, "weights", weights(pairs.distance), len(pairs.distance)))


def given_factors(owner: str, name: str, values: object, n: int) -> Floats:
    """What a function of n distances gives, in a unit in which sums of them do not overflow."""
    factors = np.asarray(values, dtype=np.float64) if are_numbers(values, 1) else np.empty(0)
    if factors.shape != (n,) or not np.all(factors >= 0) or np.isinf(factors).any():
        raise InvalidData(f"{owner}: {name} must give one number, at least 0, for each distance; got {values!r}.")
    largest = float(factors.max(initial=0.0))
    return factors / largest if largest > _LARGEST else factors


def _inverse(pairs: Pairs) -> Floats:
    at_zero = pairs.distance == 0
    has_zero = np.bincount(pairs.query, at_zero, pairs.m)[pairs.query] > 0
    first = np.searchsorted(pairs.query, pairs.query)  # relative to the nearest: no overflow
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(has_zero, at_zero, pairs.distance[first] / pairs.distance)
