"""How sure a figure is: intervals for rates, and for scores of folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from ..data.rows import as_numbers
from ..errors import InvalidParameter
from ..text import figure
from ..typing import Floats


@dataclass(frozen=True)
class Interval:
    """An estimate, and the ends between which the true value lies in a share `level` of all samples."""

    value: float
    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def within(self, least: float, most: float) -> Interval:
        """The same, its ends not beyond what is possible."""
        return replace(self, low=max(self.low, least), high=min(self.high, most)) if self.low <= self.high else self

    def __contains__(self, number: float) -> bool:
        return bool(self.low <= number <= self.high)

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "not defined"
        if math.isnan(self.low):
            return figure(self.value)
        return f"{figure(self.value)} [{figure(self.low)}, {figure(self.high)}]"


def wald(successes: float, trials: float, level: float = 0.95) -> Interval:
    """The textbook interval for a rate E of n trials, E ± z √(E (1 − E) / n), cut at 0 and 1.

    It is too short where E is near 0 or 1 or n is small; at E = 0 it has no width. `wilson` mends both.

    >>> print(wald(12, 150))
    0.08 [0.03658, 0.1234]
    """
    _check_rate(successes, trials, level)
    if trials == 0:
        return _undefined(level, "Wald")
    rate = successes / trials
    half = normal_quantile(level) * math.sqrt(rate * (1 - rate) / trials)
    return Interval(rate, max(0.0, rate - half), min(1.0, rate + half), level, "Wald")


def wilson(successes: float, trials: float, level: float = 0.95) -> Interval:
    """The interval of Wilson (1927) for a rate: all p with (E − p)² ≤ z² p (1 − p) / n.

    >>> print(wilson(12, 150))
    0.08 [0.04635, 0.1346]
    >>> print(wilson(0, 20))
    0 [0, 0.1611]
    """
    _check_rate(successes, trials, level)
    if trials == 0:
        return _undefined(level, "Wilson")
    rate, z2 = successes / trials, normal_quantile(level) ** 2
    middle = (successes + z2 / 2) / (trials + z2)
    half = math.sqrt(z2 * (rate * (1 - rate) * trials + z2 / 4)) / (trials + z2)
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return Interval(rate, low, high, level, "Wilson")


def paired_rates(gained: float, lost: float, trials: float, level: float = 0.95) -> Interval:
    """The difference of two rates of the same n trials, by Bonett and Price (2012): one more is added to each kind of
    trial that tells the two apart, D ± z √((p₁ + p₂ − (p₁ − p₂)²) / (n + 2)).

    `gained` trials succeed the first way only, `lost` the second way only. It has width where nothing tells them apart.

    >>> print(paired_rates(0, 0, 200))
    0 [-0.01372, 0.01372]
    """
    check_level(level)
    if not trials > 0:
        return _undefined(level, "Bonett–Price")
    n = trials + 2
    p1, p2 = (gained + 1) / n, (lost + 1) / n
    half = normal_quantile(level) * math.sqrt((p1 + p2 - (p1 - p2) ** 2) / n)
    low, high = max(-1.0, p1 - p2 - half), min(1.0, p1 - p2 + half)
    return Interval((gained - lost) / trials, low, high, level, "Bonett–Price")


@dataclass(frozen=True)
class Spread:
    """A mean over folds and what is known of it: Student's t with this scale and so many degrees of freedom."""

    mean: float
    scale: float
    freedom: float

    def interval(self, level: float) -> Interval:
        """mean ± t √((1/J + test/train) s²)."""
        half = float(stats.t.ppf(0.5 + level / 2, self.freedom)) * self.scale if self.freedom else math.nan
        return Interval(self.mean, self.mean - half, self.mean + half, level, "corrected t")

    def below(self, number: float) -> float:
        """The probability that the true mean is below a number."""
        if self.scale > 0:
            return float(stats.t.cdf((number - self.mean) / self.scale, self.freedom))
        return float(self.mean < number)


def spread(scores: Sequence[float] | Floats, train_rows: Any, test_rows: Any) -> Spread:
    """The mean of the scores of J folds and its scale √((1/J + test/train) s²), s² their variance.

    Folds share most of their training rows, so their scores are not independent, and s²/J is too small. The
    correction is that of Nadeau and Bengio (2003); with a flat prior the same t is the posterior of the mean
    (Corani and Benavoli, 2015).
    """
    values = as_numbers(scores, "corrected_t").astype(np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise InvalidParameter(f"corrected_t: scores must be one number a fold; got shape {values.shape}.")
    train, test = (float(np.sum(as_numbers(rows, "corrected_t"))) for rows in (train_rows, test_rows))
    if not (train > 0 and test > 0):
        raise InvalidParameter(f"corrected_t: train_rows and test_rows must be above 0; got {train:g} and {test:g}.")
    ratio = float(np.mean(test_rows)) / float(np.mean(train_rows))
    folds = len(values)
    variance = float(np.var(values, ddof=1)) if folds > 1 else 0.0
    return Spread(float(values.mean()), math.sqrt((1 / folds + ratio) * variance), folds - 1)


def corrected_t(
    scores: Sequence[float] | Floats, train_rows: object, test_rows: object, level: float = 0.95
) -> Interval:
    """The interval for the mean score of J folds, mean ± t √((1/J + test/train) s²) (Nadeau and Bengio, 2003).

    `train_rows` and `test_rows` are the sizes of the two parts, one number or one a fold.

    >>> print(corrected_t([0.91, 0.93, 0.90, 0.94, 0.92], train_rows=80, test_rows=20))
    0.92 [0.8906, 0.9494]
    """
    check_level(level)
    return spread(scores, train_rows, test_rows).interval(level)


def normal_quantile(level: float) -> float:
    """z such that a standard normal number lies within ±z with this probability."""
    return float(stats.norm.ppf(0.5 + level / 2))


def _undefined(level: float, method: str) -> Interval:
    return Interval(math.nan, math.nan, math.nan, level, method)


def check_level(level: object) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not (isinstance(level, int | float | np.number) and 0 < level < 1):
        raise InvalidParameter(f"The level of an interval must be a number between 0 and 1; got {level!r}.")


def _shown(count: float) -> str:
    return f"{count:g}" if abs(count) < 1e300 else "more than 1e300"


def _check_rate(successes: float, trials: float, level: float) -> None:
    check_level(level)
    for count in (successes, trials):
        if not isinstance(count, int | float | np.number):
            raise InvalidParameter(f"A rate needs numbers of successes and of trials; got {count!r:.80}.")
    if not 0 <= successes <= trials < math.inf:
        raise InvalidParameter(
            f"A rate needs 0 ≤ successes ≤ trials; got {_shown(successes)} successes of {_shown(trials)} trials."
        )
