"""The Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import rel_entr, xlog1py, xlogy

from ..holds import floats
from ..statistics import ColumnSums
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn, entropy_of
from .log_linear import linear_terms
from .parameters import ArrayParameter, kept, parameter, stacked
from .sharing import Members
from .support import FLAGS, Support


@dataclass(frozen=True)
class Bernoulli(Distribution):
    """Independent zeros and ones in every column: p(x) = ∏ⱼ pⱼ^xⱼ (1 − pⱼ)^(1 − xⱼ).

    Examples
    --------
    >>> from suffice.distributions import Bernoulli
    >>> Bernoulli().fit(np.array([[0.0, 1.0], [1.0, 1.0]])).probability
    array([0.5, 1. ])
    """

    names = ("bernoulli",)
    support = FLAGS
    sparse = True

    probability: ArrayParameter = parameter(
        "p, the probability of a one in each column, (d,).", ("d",), holds=floats("d", at_least=0, at_most=1)
    )

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(0.1, 0.9, 3))

    def log_prob(self, X: Numbers) -> Floats:
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        chance = drawn(n, random_state).random((n, len(self.probability)))
        return np.asarray(chance < self.probability, dtype=np.float64)

    def moments(self) -> tuple[Floats, Floats]:
        return self.probability, self.probability * (1 - self.probability)

    def entropy(self) -> float:
        return entropy_of(self.probability) + entropy_of(1 - self.probability)

    def kl(self, other: Self) -> float:
        p, q = self.probability, other.probability
        return float(np.sum(rel_entr(p, q) + rel_entr(1 - p, 1 - q)))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnSums:
        return ColumnSums.of(X, weight)

    def mle(self, statistic: ColumnSums) -> Self:
        return type(self)(kept(statistic.mean(), self.probability, 0.5))

    def total_log_prob(self, statistic: ColumnSums) -> float:
        zeros = np.maximum(statistic.weight - statistic.total, 0.0)
        return float(np.sum(xlogy(statistic.total, self.probability) + xlog1py(zeros, -self.probability)))

    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        p = stacked(parts, "probability")  # (d, k)
        certain = (p == 1).astype(np.float64)
        with np.errstate(divide="ignore"):
            offset = np.log1p(-np.where(certain, 0.0, p))
            terms = linear_terms(X, np.where(certain, 0.0, np.log(p) - offset), offset)
        if certain.any():
            terms[linear_terms(X, -certain, certain) > 0] = -np.inf  # a zero where a one is certain
        return terms

    @staticmethod
    def shared_statistics(parts: Sequence[object], X: Numbers, responsibilities: Floats) -> tuple[ColumnSums, ...]:
        return ColumnSums.shared(X, responsibilities)

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[ColumnSums, ...]:
        return ColumnSums.grouped(X, group, groups, weight)

    def supports(self) -> tuple[Support, ...]:
        return tuple(replace(FLAGS, least=float(p == 1), most=float(p > 0)) for p in self.probability)
