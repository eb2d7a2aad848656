"""The negative binomial distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy

from ..holds import floats
from ..statistics import ColumnValues, SortedValues
from ..typing import Floats, NumberLike, Numbers, RandomState
from .base import Distribution, drawn
from .parameters import ArrayParameter, kept, parameter
from .poisson import counts_of_rates
from .rising import digamma_rise, log_rise
from .support import COUNTS, Support

_LARGEST = 1e300  # stands for an infinite size in the formulas, which then are those of Poisson
_LEAST, _MOST = 1e-10, 1e8  # sizes that are looked at, the most in units of 1 + mean


@dataclass(frozen=True)
class NegativeBinomial(Distribution):
    """Counts that vary more than Poisson's, in every column: p(x) = ∏ⱼ Γ(x + s) / (Γ(s) x!) qˢ (1 − q)ˣ.

    Here q = s / (s + m), with the mean m and the size s, as in R's `dnbinom(x, size, mu)`; the variance is m + m²/s. It
    is a Poisson count whose rate is drawn from a gamma distribution of shape s, and Poisson itself for s = ∞, which
    `mle` finds where a column does not vary more than its mean. The size needs the values themselves: the summary
    keeps the distinct ones with their weights, as that of `Laplace` does.

    Examples
    --------
    >>> from suffice.distributions import NegativeBinomial
    >>> mites = np.repeat(np.arange(8.0), [70, 38, 17, 10, 9, 3, 2, 1])[:, None]  # Bliss and Fisher (1953)
    >>> member = NegativeBinomial().fit(mites)
    >>> member.mean.round(3), member.size.round(3)
    (array([1.147]), array([1.025]))
    """

    names = ("negative_binomial",)
    support = COUNTS

    mean: ArrayParameter = parameter("m, (d,).", ("d",), holds=floats("d", at_least=0))
    size: ArrayParameter = parameter(
        "s, the smaller the more the counts vary, (d,); infinite for Poisson.",
        ("d",),
        holds=floats("d", finite=False, above=0),
    )

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(0.5, 3.0, 3), rng.uniform(1.0, 6.0, 3))

    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        return np.asarray(np.nansum(_log_prob(X.astype(np.float64), self.mean, self.size), axis=1))

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rng, spreads = drawn(n, random_state), np.isfinite(self.size)
        size = np.where(spreads, self.size, 1.0)
        rate = rng.gamma(size, self.mean / size, (n, len(self.mean)))
        return counts_of_rates(rng, np.where(spreads, rate, self.mean), "NegativeBinomial")

    def moments(self) -> tuple[Floats, Floats]:
        return self.mean, self.mean + self.mean**2 / self.size

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnValues:
        return ColumnValues.of(X, weight)

    def mle(self, statistic: ColumnValues) -> Self:
        found = np.array([_fitted(column) for column in statistic.columns]).reshape(-1, 2)
        return type(self)(kept(found[:, 0], self.mean, 1.0), kept(found[:, 1], self.size, 1.0))

    def total_log_prob(self, statistic: ColumnValues) -> float:
        total = 0.0
        for column, mean, size in zip(statistic.columns, self.mean, self.size, strict=True):
            values, weight = column.in_order()
            total += float(weight @ _log_prob(values, mean, size)) if len(values) else 0.0
        return total

    def supports(self) -> tuple[Support, ...]:
        return tuple(replace(COUNTS, most=np.inf if mean > 0 else 0.0) for mean in self.mean)


def _log_prob(x: Numbers, mean: object, size: NumberLike) -> Floats:
    s = np.minimum(size, _LARGEST)
    return np.asarray(xlogy(x, mean) - (x + s) * np.log1p(mean / s) - gammaln(x + 1) + log_rise(x, s))


def _fitted(column: SortedValues) -> tuple[float, float]:
    """The likeliest mean and size; NaN of no values."""
    x, w = column.in_order()
    if not len(x):
        return np.nan, np.nan
    w = w / w.max()  # so that the smallest and largest weights keep their digits
    total = w.sum()
    mean = float(w @ x / total)
    if w @ (x - mean) ** 2 <= mean * total * (1 + 1e-12):  # no more than Poisson
        return mean, np.inf

    def slope(log_size: float) -> float:
        """The derivative of the log-likelihood by the size, whose only root is its maximum (Levin and Reeds, 1977)."""
        s = float(np.exp(log_size))
        return float(w @ digamma_rise(x, s) / total - np.log1p(mean / s))

    low, high = np.log(_LEAST), np.log(_MOST * (1 + mean))
    if slope(high) >= 0:
        return mean, np.inf
    if not slope(low) > 0:  # nearly all is 0: the size is smaller than any that is looked at
        return mean, _LEAST
    return mean, float(np.exp(brentq(slope, low, high, xtol=1e-14, rtol=1e-14)))
