"""A bounded sample of rows that does not depend on how the data are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..backend.weights import given_or_ones
from .base import Statistic

Floats = NDArray[np.float64]


def row_uniforms(X: Any, seed: int) -> Floats:
    """A number in (0, 1) for each row that depends on its cells and the seed alone, so on no chunk or thread.

    >>> u = row_uniforms(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]]), seed=0)
    >>> bool(u[0] == u[2]), bool(u[0] == u[1])
    (True, False)
    """
    with np.errstate(over="ignore"):
        mixed = np.full(len(X), seed, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        for column in np.asarray(X, dtype=np.float64).T:
            mixed = _mix(mixed ^ np.ascontiguousarray(column + 0.0).view(np.uint64))
        return ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A bijection of 64 bits that spreads every bit over all (as in SplitMix64)."""
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@dataclass(frozen=True)
class RowSample(Statistic):
    """At most `size` rows in their order, drawn with chances proportional to their weights.

    Each row has a key −log(u) / w; the rows with the smallest keys are kept (Efraimidis & Spirakis, 2006), so the
    sample of two pieces is found from the samples of each.
    """

    rows: Floats
    weight: Floats
    keys: Floats
    size: int
    seen: int

    @classmethod
    def of(cls, X: Any, weight: Any = None, size: int = 20, seed: int = 0) -> RowSample:
        """The sample of the rows of X; rows that weigh nothing are not drawn."""
        w = np.asarray(given_or_ones(weight, len(X)), dtype=np.float64)
        some = w > 0
        rows = np.asarray(X[some], dtype=np.float64)
        sample = cls(rows, w[some], -np.log(row_uniforms(rows, seed)) / w[some], size, len(rows))
        return sample._smallest()

    def _smallest(self) -> RowSample:
        if len(self.keys) <= self.size:
            return self
        kept = np.sort(np.argsort(self.keys, kind="stable")[: self.size])
        return RowSample(self.rows[kept], self.weight[kept], self.keys[kept], self.size, self.seen)

    def __add__(self, other: RowSample) -> RowSample:
        rows = np.vstack([self.rows, other.rows])
        weight, keys = np.append(self.weight, other.weight), np.append(self.keys, other.keys)
        return RowSample(rows, weight, keys, self.size, self.seen + other.seen)._smallest()

    @property
    def is_everything(self) -> bool:
        """Whether no row had to be left out."""
        return self.seen <= self.size

    def comparable(self) -> dict[str, NDArray[Any]]:
        """The same rows in any order."""
        order = np.lexsort((*self.rows.T, self.keys))
        return {"rows": self.rows[order], "keys": self.keys[order], "seen": np.asarray(self.seen)}
