"""The Poisson distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import rel_entr, xlogy

from ..errors import InvalidParameter
from ..holds import floats
from ..statistics import ColumnSums
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn
from .log_linear import linear_terms, log_factorials
from .parameters import ArrayParameter, kept, parameter, stacked
from .sharing import Members
from .support import COUNTS, Support

_MOST = 9e18  # beyond, counts have more than 64 bits


@dataclass(frozen=True)
class Poisson(Distribution):
    """Independent counts in every column: p(x) = ∏ⱼ λⱼ^xⱼ exp(−λⱼ) / xⱼ!.

    Examples
    --------
    >>> from suffice.distributions import Poisson
    >>> Poisson().fit(np.array([[0.0, 3.0], [2.0, 5.0]])).rate
    array([1., 4.])
    """

    names = ("poisson",)
    support = COUNTS
    sparse = True

    rate: ArrayParameter = parameter("λ, the mean of each column, (d,).", ("d",), holds=floats("d", at_least=0))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(0.5, 6.0, 3))

    def log_prob(self, X: Numbers) -> Floats:
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        return counts_of_rates(drawn(n, random_state), np.broadcast_to(self.rate, (n, len(self.rate))), "Poisson")

    def moments(self) -> tuple[Floats, Floats]:
        return self.rate, self.rate

    def kl(self, other: Self) -> float:
        return float(np.sum(rel_entr(self.rate, other.rate) - self.rate + other.rate))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnSums:
        return ColumnSums.of(X, weight, -log_factorials(X))

    def mle(self, statistic: ColumnSums) -> Self:
        return type(self)(kept(statistic.mean(), self.rate, 1.0))

    def total_log_prob(self, statistic: ColumnSums) -> float:
        return float(np.sum(xlogy(statistic.total, self.rate) - statistic.weight * self.rate) + statistic.base)

    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        rate = stacked(parts, "rate")  # (d, k)
        with np.errstate(divide="ignore"):
            return linear_terms(X, np.log(rate), -rate) - log_factorials(X)[:, None]

    @staticmethod
    def shared_statistics(parts: Sequence[object], X: Numbers, responsibilities: Floats) -> tuple[ColumnSums, ...]:
        return ColumnSums.shared(X, responsibilities, -log_factorials(X))

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[ColumnSums, ...]:
        return ColumnSums.grouped(X, group, groups, weight, -log_factorials(X))

    def supports(self) -> tuple[Support, ...]:
        return tuple(replace(COUNTS, most=np.inf if rate > 0 else 0.0) for rate in self.rate)


def counts_of_rates(rng: np.random.Generator, rates: Floats, owner: str) -> Floats:
    """A Poisson count for each rate."""
    if np.any(rates > _MOST):
        raise InvalidParameter(f"{owner}: counts of a rate above {_MOST:g} cannot be drawn.")
    return rng.poisson(rates).astype(np.float64)
