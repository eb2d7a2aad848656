"""How likely rows are under a fitted density, and what that says of models of different sizes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk
from ...distributions import Distribution
from ...typing import TableLike, TargetLike, WeightLike

Floats = NDArray[np.float64]


class DensityScores:
    """`score`, `bic` and `aic` for estimators that give `_log_prob(chunk)` and `_density()`."""

    def _log_prob(self, chunk: Chunk) -> Floats:
        raise TypeError(f"{type(self).__name__} does not define _log_prob")

    def _density(self) -> Distribution:
        raise TypeError(f"{type(self).__name__} does not define _density")

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """The mean log p(x) of the rows, by their weights."""
        weight, total = self._weighted_log_prob(X, sample_weight)
        return total / weight

    def bic(self, X: TableLike, sample_weight: WeightLike = None) -> float:
        """−2 log likelihood + (free parameters) · log Σw; the smaller the better."""
        weight, total = self._weighted_log_prob(X, sample_weight)
        return -2 * total + self._density().n_parameters * float(np.log(weight))

    def aic(self, X: TableLike, sample_weight: WeightLike = None) -> float:
        """−2 log likelihood + 2 · (free parameters); the smaller the better."""
        return -2 * self._weighted_log_prob(X, sample_weight)[1] + 2 * self._density().n_parameters

    def _weighted_log_prob(self, X: TableLike | None, sample_weight: WeightLike) -> tuple[float, float]:
        """Σw and Σ w log p(x)."""

        def of_chunk(chunk: Chunk) -> Floats:
            found, w = self._log_prob(chunk), chunk.weight
            if w is None:
                return np.array([len(chunk), found.sum()])
            seen = w > 0  # a row that does not count may have a density of zero
            return np.array([np.sum(w), w[seen] @ found[seen]])

        weight, total = self._summed(X, sample_weight, of_chunk)  # type: ignore[attr-defined]
        return float(weight), float(total)
