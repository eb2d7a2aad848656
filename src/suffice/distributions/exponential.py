"""The exponential distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ..holds import floats
from ..statistics import ColumnSums
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn
from .log_linear import linear_terms
from .parameters import ArrayParameter, kept, parameter, stacked
from .sharing import Members
from .support import AMOUNTS


@dataclass(frozen=True)
class Exponential(Distribution):
    """Independent waiting times in every column: p(x) = ∏ⱼ λⱼ exp(−λⱼ xⱼ) for x ≥ 0.

    Examples
    --------
    >>> from suffice.distributions import Exponential
    >>> Exponential().fit(np.array([[1.0, 0.1], [3.0, 0.3]])).rate
    array([0.5, 5. ])
    """

    names = ("exponential",)
    support = AMOUNTS

    rate: ArrayParameter = parameter(
        "λ, one over the mean of each column, (d,).", ("d",), holds=floats("d", finite=False, above=0)
    )
    floor: float = 0.0  # what `mle` adds to the means; keeps columns of zeros from collapsing

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(0.2, 5.0, 3))

    def log_prob(self, X: Numbers) -> Floats:
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        return drawn(n, random_state).exponential(1 / self.rate, (n, len(self.rate)))

    def moments(self) -> tuple[Floats, Floats]:
        return 1 / self.rate, 1 / self.rate**2

    def entropy(self) -> float:
        return float(np.sum(1 - np.log(self.rate)))

    def kl(self, other: Self) -> float:
        ratio = other.rate / self.rate
        return float(np.sum(ratio - 1 - np.log(ratio)))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnSums:
        return ColumnSums.of(X, weight)

    def mle(self, statistic: ColumnSums) -> Self:
        mean = statistic.mean() + self.floor
        with np.errstate(divide="ignore"):
            return replace(self, rate=kept(1 / mean, self.rate, 1.0))

    def total_log_prob(self, statistic: ColumnSums) -> float:
        return float(np.sum(statistic.weight * np.log(self.rate) - statistic.total * self.rate))

    def posterior(self, statistic: ColumnSums, prior: Any) -> Any:
        """The prior updated by a summary: each row is one event, after a wait of x."""
        events = ColumnSums(statistic.total, statistic.weight, statistic.rows, statistic.base)
        return prior.posterior(events)

    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        rate = stacked(parts, "rate")  # (d, k)
        return linear_terms(X, -rate, np.log(rate))

    @staticmethod
    def shared_statistics(parts: Sequence[object], X: Numbers, responsibilities: Floats) -> tuple[ColumnSums, ...]:
        return ColumnSums.shared(X, responsibilities)

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[ColumnSums, ...]:
        return ColumnSums.grouped(X, group, groups, weight)
