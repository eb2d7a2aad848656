"""The Lomax distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import brentq

from ..holds import floats
from ..statistics import ColumnValues, SortedValues
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn
from .parameters import ArrayParameter, kept, parameter
from .support import AMOUNTS

_LEAST, _MOST, _STEPS = 1e-6, 1e8, 57  # scales that are looked at, in units of the mean, and how many
_TINY = 1e-290  # the smallest mean whose units have scales


@dataclass(frozen=True)
class Lomax(Distribution):
    """Waiting times with heavy tails in every column: p(x) = ∏ⱼ (aⱼ / bⱼ) (1 + xⱼ / bⱼ)^−(aⱼ + 1) for x ≥ 0.

    It is an exponential wait whose rate is drawn from a gamma distribution of shape a and rate b, also called Pareto
    of the second kind, and nearly exponential where a is large, which `mle` finds where the tails are no heavier than
    that. The summary keeps the distinct values with their weights, as that of `Laplace` does.

    Examples
    --------
    >>> from suffice.distributions import Lomax
    >>> waits = Lomax([3.0], [2.0]).sample(100_000, random_state=0)
    >>> member = Lomax().fit(waits)
    >>> member.shape.round(1), member.scale.round(1), member.log_prob([[1.0], [-1.0]]).round(2)
    (array([2.9]), array([1.9]), array([-1.22,  -inf]))
    """

    names = ("lomax",)
    support = AMOUNTS

    shape: ArrayParameter = parameter("a, (d,).", ("d",), holds=floats("d", above=0))
    scale: ArrayParameter = parameter("b, (d,).", ("d",), holds=floats("d", above=0))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(6.0, 9.0, 3), rng.uniform(1.0, 4.0, 3))

    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        return np.asarray(np.nansum(_log_prob(X, self.shape, self.scale), axis=1))

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        return np.asarray(self.scale * drawn(n, random_state).pareto(self.shape, (n, len(self.shape))))

    def moments(self) -> tuple[Floats, Floats]:
        a, b = self.shape, self.scale
        mean = b / np.where(a > 1, a - 1, np.nan)
        variance = mean**2 * a / np.where(a > 2, a - 2, np.nan)
        return np.where(a > 1, mean, np.inf), np.where(a > 2, variance, np.inf)

    def entropy(self) -> float:
        return float(np.sum(1 + 1 / self.shape + np.log(self.scale / self.shape)))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnValues:
        return ColumnValues.of(X, weight)

    def mle(self, statistic: ColumnValues) -> Self:
        found = np.array([_fitted(column) for column in statistic.columns]).reshape(-1, 2)
        return type(self)(kept(found[:, 0], self.shape, 1.0), kept(found[:, 1], self.scale, 1.0))

    def total_log_prob(self, statistic: ColumnValues) -> float:
        total = 0.0
        for column, shape, scale in zip(statistic.columns, self.shape, self.scale, strict=True):
            values, weight = column.in_order()
            total += float(weight @ _log_prob(values, shape, scale))
        return total


def _log_prob(x: Numbers, shape: Floats | float, scale: Floats) -> Floats:
    return np.asarray(np.log(shape / scale) - (shape + 1) * np.log1p(x / scale))


def _fitted(column: SortedValues) -> tuple[float, float]:
    """The likeliest shape and scale; NaN of no values."""
    x, w = column.in_order()
    if not len(x):
        return np.nan, np.nan
    w = w / w.sum()
    mean = max(float(w @ x), _TINY) if x.any() else 1.0

    def shape(log_scale: float) -> float:
        """The best shape given the scale."""
        return 1 / max(float(w @ np.log1p(x / np.exp(log_scale))), 1 / (2 * _MOST))

    def likelihood(log_scale: float) -> float:
        return float(w @ _log_prob(x, shape(log_scale), np.exp(log_scale)))

    def slope(log_scale: float) -> float:
        return float(w @ (x / (x + np.exp(log_scale)))) * (1 + shape(log_scale)) - 1

    grid = np.log(mean) + np.linspace(np.log(_LEAST), np.log(_MOST), _STEPS)
    best = int(np.argmax([likelihood(at) for at in grid]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _STEPS - 1)]
    at = float(grid[best])
    if slope(low) > 0 > slope(high):
        at = float(brentq(slope, low, high, xtol=1e-14, rtol=1e-14))
    return shape(at), float(np.exp(at))
