"""Merges of pairs of rows, and the linkages that say how far a union is from other clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, Whole

KEPT = 0.36  # of n² distances, the most that a chain keeps at once

# For sizes a, b of the two clusters and c of a third: alpha, beta, gamma of
# d(x ∪ y, z) = alpha_x d(x, z) + alpha_y d(y, z) + beta d(x, y) + gamma |d(x, z) − d(y, z)|.
Coefficients = Callable[[float, float, Any], tuple[Any, Any, Any, float]]
LANCE_WILLIAMS: dict[str, Coefficients] = {
    "single": lambda a, b, c: (0.5, 0.5, 0.0, -0.5),
    "complete": lambda a, b, c: (0.5, 0.5, 0.0, 0.5),
    "average": lambda a, b, c: (a / (a + b), b / (a + b), 0.0, 0.0),
    "weighted": lambda a, b, c: (0.5, 0.5, 0.0, 0.0),
    "centroid": lambda a, b, c: (a / (a + b), b / (a + b), -a * b / (a + b) ** 2, 0.0),
    "median": lambda a, b, c: (0.5, 0.5, -0.25, 0.0),
    "ward": lambda a, b, c: ((a + c) / (a + b + c), (b + c) / (a + b + c), -c / (a + b + c), 0.0),
}
LINKAGES = tuple(LANCE_WILLIAMS)
OF_SQUARES = ("centroid", "median", "ward")  # their formulas are about squared distances
MAY_FALL = ("centroid", "median")  # a merge may be lower than one below it


@dataclass(frozen=True)
class Merges:
    """The pairs (n − 1, 2), one row of each of two clusters, and the heights (n − 1,), in order."""

    pairs: Whole
    heights: Floats

    @classmethod
    def empty(cls, n: int) -> Merges:
        """Room for the merges of n rows."""
        return cls(np.empty((max(n - 1, 0), 2), dtype=np.int64), np.empty(max(n - 1, 0)))

    def sorted(self) -> Merges:
        """In the order of their heights, as found where they are equal."""
        order = np.argsort(self.heights, kind="stable")
        return Merges(np.ascontiguousarray(self.pairs[order]), self.heights[order])

    def comparable(self) -> dict[str, NDArray[np.generic]]:
        """The heights, and the clusters merged by their first rows, whichever rows stand for them here."""
        first, merged = np.arange(len(self.pairs) + 1), np.empty_like(self.pairs)
        for k, pair in enumerate(self.pairs):
            merged[k] = np.sort(first[pair])
            first[first == merged[k, 1]] = merged[k, 0]
        return {"clusters": merged, "heights": self.heights}


def ward_distances(D: Reals, weight: Floats, linkage: str) -> NDArray[np.generic]:
    """The distances a linkage begins with: for ward √(2 a b / (a + b)) d, which is d for single rows."""
    if linkage != "ward" or np.all(weight == 1):
        return D
    return (D * np.sqrt(2 / (1 / weight[:, None] + 1 / weight))).astype(D.dtype)
