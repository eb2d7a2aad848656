"""The gamma distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from ..holds import floats
from ..statistics import ColumnSums
from ..typing import Floats, Numbers, RandomState, TableLike
from .base import Distribution, drawn
from .log_linear import linear_terms
from .parameters import ArrayParameter, kept, parameter, stacked
from .sharing import Members
from .support import POSITIVE

_MAX_ITER = 20  # iterations of Newton's method, which doubles the digits each time
_SERIES = 100.0  # from this shape on, the asymptotic series is exact to the last digit
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class GammaDistribution(Distribution):
    """Independent amounts above 0 in every column: p(x) = ∏ⱼ rⱼ^aⱼ xⱼ^(aⱼ − 1) exp(−rⱼ xⱼ) / Γ(aⱼ).

    The mean is a/r, the variance a/r². Σw, Σ w x and Σ w log x are enough: the shape solves log a − ψ(a) = log mean −
    mean log by Newton's method on 1/a (Minka, 2002), and the rate is a / mean. 0 has no logarithm: its density is
    taken to be 0, and `fit` refuses it. `Gamma` is the prior of that shape.

    Examples
    --------
    >>> from suffice.distributions import GammaDistribution
    >>> rain = GammaDistribution([2.0], [0.5]).sample(20_000, random_state=0)
    >>> member = GammaDistribution().fit(rain)
    >>> member.shape.round(1), member.rate.round(1)
    (array([2.]), array([0.5]))
    """

    names = ("gamma",)
    support = POSITIVE

    shape: ArrayParameter = parameter("a, (d,).", ("d",), holds=floats("d", above=0))
    rate: ArrayParameter = parameter("r, (d,).", ("d",), holds=floats("d", above=0))
    floor: float = 0.0  # what `mle` adds to log mean − mean log; keeps equal values from collapsing

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(1.2, 6.0, 3), rng.uniform(0.3, 3.0, 3))

    def log_prob(self, X: Numbers) -> Floats:
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rows = drawn(n, random_state).gamma(self.shape, 1 / self.rate, (n, len(self.shape)))
        return np.maximum(rows, np.finfo(np.float64).tiny)  # a small shape draws below the smallest number

    def moments(self) -> tuple[Floats, Floats]:
        mean = self.shape / self.rate
        return mean, mean / self.rate

    def entropy(self) -> float:
        a = self.shape
        return float(np.sum(a - np.log(self.rate) + gammaln(a) + (1 - a) * digamma(a)))

    def kl(self, other: Self) -> float:
        a, ratio = self.shape, other.rate / self.rate
        apart = (a - other.shape) * digamma(a) - gammaln(a) + gammaln(other.shape)
        return float(np.sum(apart - other.shape * np.log(ratio) + a * (ratio - 1)))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnSums:
        return ColumnSums.of(_with_logs(X), weight)

    def mle(self, statistic: ColumnSums) -> Self:
        mean, mean_log = np.split(statistic.mean(), 2)
        spread = np.log(mean) - mean_log  # at least 0, by Jensen's inequality
        least = 4 * _EPS * (1 + np.abs(mean_log))  # all that rounding leaves of equal values
        shape = _shape_of(np.maximum(spread, least) + self.floor)
        return replace(self, shape=kept(shape, self.shape, 1.0), rate=kept(shape / mean, self.rate, 1.0))

    def total_log_prob(self, statistic: ColumnSums) -> float:
        (total, logs), weight = np.split(statistic.total, 2), np.split(statistic.weight, 2)[0]
        return float(np.sum((self.shape - 1) * logs - self.rate * total + weight * _log_scale(self.shape, self.rate)))

    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        shape, rate = stacked(parts, "shape"), stacked(parts, "rate")  # (d, k)
        return linear_terms(_with_logs(X), np.vstack([-rate, shape - 1]), _halves(_log_scale(shape, rate)))

    @staticmethod
    def shared_statistics(parts: Sequence[object], X: Numbers, responsibilities: Floats) -> tuple[ColumnSums, ...]:
        return ColumnSums.shared(_with_logs(X), responsibilities)

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[ColumnSums, ...]:
        return ColumnSums.grouped(_with_logs(X), group, groups, weight)


def _with_logs(X: TableLike) -> Floats:
    """x and log x side by side, (n, 2d)."""
    X = np.asarray(X, dtype=np.float64)
    return np.hstack([X, np.log(X)])


def _log_scale(shape: Floats, rate: Floats) -> Floats:
    """The part of the log density without x."""
    return np.asarray(shape * np.log(rate) - gammaln(shape))


def _halves(offset: Floats) -> Floats:
    """The constant of each column, once beside x and not again beside log x, (2d, k)."""
    return np.vstack([offset, np.zeros_like(offset)])


def _shape_of(spread: Floats) -> Floats:
    """The a with log a − ψ(a) = spread; NaN where nothing was seen."""
    a = (3 - spread + np.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread)
    for _ in range(_MAX_ITER):
        before, a = a, 1 / (1 / a + (_below_log(a) - spread) / (a**2 * _slope(a)))
        if not np.any(np.abs(a - before) > 2 * _EPS * a):
            break
    return np.asarray(a)


def _below_log(a: Floats) -> Floats:
    """log a − ψ(a), without the cancellation of large a."""
    series = 1 / (2 * a) + 1 / (12 * a**2) - 1 / (120 * a**4) + 1 / (252 * a**6)
    return np.where(a > _SERIES, series, np.log(a) - digamma(a))


def _slope(a: Floats) -> Floats:
    """Its derivative, 1/a − ψ′(a)."""
    series = -1 / (2 * a**2) - 1 / (6 * a**3) + 1 / (30 * a**5) - 1 / (42 * a**7)
    return np.where(a > _SERIES, series, 1 / a - polygamma(1, a))
