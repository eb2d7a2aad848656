"""Rows that are histograms: no negative cells, scaled so that each sums to 1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from ..typing import Floats
from .base import Distance


class _OfHistograms(Distance):
    """Base of the distances between rows that are histograms."""

    smoothing: ClassVar[float] = 0.0

    def rows(self, X: Array) -> Array:
        Z = np.asarray(X, dtype=np.float64) + self.smoothing
        if np.any(Z < 0):
            i, j = np.argwhere(Z < 0)[0]
            raise self._refuse(int(i), f"has {Z[i, j]:g} in column {j}, and a histogram has no negative cells",
                               "Give counts or probabilities.")  # fmt: skip
        total = Z.sum(axis=1, keepdims=True)
        if np.any(total == 0):
            raise self._refuse(int(np.argmin(total)), "is all zeros and no histogram", "Drop it.")
        return Z / total

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        return rng.dirichlet(np.ones(5), n)
