"""What a search of medoids knows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals

Indices = NDArray[np.int64]

LEAST = 1e-10  # a swap must lower the cost by this part of it


@dataclass(frozen=True)
class Search:
    """Where a search stands: the medoids (k,), their cost, and the candidates judged since the last swap."""

    medoids: Indices
    cost: float = math.inf
    quiet: int = 0
    bound: Floats = field(default_factory=lambda: np.empty(0))  # (n,), of the native code: see fasterpam.cpp
    drift: float = 0.0

    def is_done(self, n: int) -> bool:
        """Whether no swap can lower the cost."""
        return self.quiet >= n

    def comparable(self) -> dict[str, object]:
        """What does not depend on the code that searched."""
        return {"medoids": self.medoids, "cost": self.cost, "quiet": self.quiet}


@dataclass(frozen=True)
class Nearest:
    """What every row knows: its nearest medoid's slot, the distances to it and to the second nearest, (n,) each."""

    slot: Indices
    first: Floats
    second: Floats

    @classmethod
    def of(cls, distances: NDArray[np.generic]) -> Nearest:
        """From the distances to the medoids, (n, k); without a second medoid it is infinitely far."""
        slot = np.argmin(distances, axis=1)
        if distances.shape[1] == 1:
            return cls(slot, distances[:, 0].astype(np.float64), np.full(len(slot), np.inf))
        first, second = np.partition(distances.astype(np.float64, copy=False), 1, axis=1)[:, :2].T
        return cls(slot, first, second)

    def changes(self, row: Reals, weight: Floats, k: int) -> Floats:
        """How the cost changes when the candidate with these distances (n,) takes each medoid's place, (k,)."""
        joined = weight @ np.minimum(row - self.first, 0)
        freed = np.minimum(np.maximum(row, self.first), self.second) - self.first
        return np.asarray(joined + np.bincount(self.slot, weight * freed, minlength=k))


def by_rows(D: Reals) -> Reals:
    """The symmetric matrix with contiguous rows, copied only where neither rows nor columns are."""
    return D.T if D.flags.f_contiguous else np.ascontiguousarray(D)
