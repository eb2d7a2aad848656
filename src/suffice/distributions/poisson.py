"""The Poisson distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from ..statistics import ColumnSums
from .base import Distribution, drawn, parameter

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Poisson(Distribution):
    """Independent counts in every column: p(x) = ∏ⱼ λⱼ^xⱼ exp(−λⱼ) / xⱼ!.

    Examples
    --------
    >>> from suffice.distributions import Poisson
    >>> Poisson().fit(np.array([[0.0, 3.0], [2.0, 5.0]])).rate
    array([1., 4.])
    """

    support = "counts: 0, 1, 2, …"
    sparse = True

    rate: Any = parameter("λ, the mean of each column, (d,).")

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(0.5, 6.0, 3))

    def log_prob(self, X: Any) -> Floats:
        return _terms(X, self.rate) + _base(X)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        return drawn(n, random_state).poisson(self.rate, (n, len(self.rate))).astype(np.float64)

    def kl(self, other: Self) -> float:
        return float(np.sum(xlogy(self.rate, self.rate / other.rate) - self.rate + other.rate))

    def statistic(self, X: Any, weight: Any = None) -> ColumnSums:
        return ColumnSums.of(X, weight, _base(X))

    def mle(self, statistic: ColumnSums) -> Self:
        return type(self)(statistic.mean())

    def total_log_prob(self, statistic: ColumnSums) -> float:
        return float(np.sum(xlogy(statistic.total, self.rate) - statistic.weight * self.rate) + statistic.base)

    def admits(self, X: Any) -> Any:
        return (X >= 0) & (np.floor(X) == X) & np.isfinite(X)


def _terms(X: Any, rate: Floats) -> Floats:
    """Σ x log λ − λ over the cells that are there, (n,)."""
    if hasattr(X, "tocsr"):
        return np.asarray(X @ np.log(rate) - rate.sum())
    return np.asarray(np.nansum(xlogy(X, rate) - rate + 0.0 * X, axis=1))


def _base(X: Any) -> Floats:
    """−Σ log x!, (n,)."""
    if hasattr(X, "tocsr"):
        rows = X.tocsr().copy()
        rows.data = -gammaln(rows.data.astype(np.float64) + 1)
        return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
    return -np.asarray(np.nansum(gammaln(np.asarray(X, dtype=np.float64) + 1), axis=1))
