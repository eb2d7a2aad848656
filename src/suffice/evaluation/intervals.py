"""How sure a figure is: intervals for rates, for scores of folds, and for anything else by resampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ..errors import InvalidParameter
from ..randomness import generator
from ..text import figure

Floats = NDArray[np.float64]
JACKKNIFE = 500  # units left out one by one; more of them are left out in so many blocks


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
    half = _z(level) * math.sqrt(rate * (1 - rate) / trials)
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
    rate, z2 = successes / trials, _z(level) ** 2
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
    n = trials + 2
    p1, p2 = (gained + 1) / n, (lost + 1) / n
    half = _z(level) * math.sqrt((p1 + p2 - (p1 - p2) ** 2) / n)
    low, high = max(-1.0, p1 - p2 - half), min(1.0, p1 - p2 + half)
    return Interval((gained - lost) / trials, low, high, level, "Bonett–Price")


@dataclass(frozen=True)
class Spread:
    """A mean over folds and what is known of it: Student's t with this scale and so many degrees of freedom."""

    mean: float
    scale: float
    freedom: int

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
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise InvalidParameter(f"corrected_t: scores must be one number a fold; got shape {values.shape}.")
    train, test = float(np.sum(train_rows)), float(np.sum(test_rows))
    if not (train > 0 and test > 0):
        raise InvalidParameter(f"corrected_t: train_rows and test_rows must be above 0; got {train:g} and {test:g}.")
    ratio = float(np.mean(test_rows)) / float(np.mean(train_rows))
    folds = len(values)
    variance = float(np.var(values, ddof=1)) if folds > 1 else 0.0
    return Spread(float(values.mean()), math.sqrt((1 / folds + ratio) * variance), folds - 1)


def corrected_t(scores: Sequence[float] | Floats, train_rows: Any, test_rows: Any, level: float = 0.95) -> Interval:
    """The interval for the mean score of J folds, mean ± t √((1/J + test/train) s²) (Nadeau and Bengio, 2003).

    `train_rows` and `test_rows` are the sizes of the two parts, one number or one a fold.

    >>> print(corrected_t([0.91, 0.93, 0.90, 0.94, 0.92], train_rows=80, test_rows=20))
    0.92 [0.8906, 0.9494]
    """
    check_level(level)
    return spread(scores, train_rows, test_rows).interval(level)


def bca(
    value: float,
    replicates: Sequence[float] | Floats,
    jackknife: Sequence[float] | Floats,
    level: float = 0.95,
    counts: Any = None,
) -> Interval:
    """The bootstrap interval corrected for bias and acceleration (Efron, 1987), from its three ingredients.

    `replicates` are the values of resampled tables, `jackknife` those without each unit in turn; `counts` says for
    how many equal units each of the latter stands. The ends are quantiles of the replicates at

        Φ(z₀ + (z₀ + z) / (1 − a (z₀ + z))),   z₀ = Φ⁻¹(share of replicates below the value),
        a = Σ L³ / (6 (Σ L²)^1.5),   L = mean of the jackknife − its values.
    """
    check_level(level)
    drawn = np.sort(np.asarray(replicates, dtype=np.float64))
    drawn = drawn[: np.searchsorted(drawn, np.inf)]  # NaN is sorted last
    if math.isnan(value) or 2 * len(drawn) < np.size(replicates) or len(drawn) < 2:
        return Interval(value, math.nan, math.nan, level, "BCa")
    if drawn[0] == drawn[-1]:
        return Interval(value, float(drawn[0]), float(drawn[0]), level, "BCa")
    size = len(drawn)
    below = (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / (2 * size)
    z0 = float(stats.norm.ppf(np.clip(below, 0.5 / size, 1 - 0.5 / size)))
    z = z0 + np.array([-1, 1]) * _z(level)
    at = np.asarray(stats.norm.cdf(z0 + z / (1 - _acceleration(jackknife, counts) * z)))
    low, high = (_quantile(drawn, float(share)) for share in at)
    return Interval(value, low, high, level, "BCa")


def _acceleration(jackknife: Any, counts: Any) -> float:
    values = np.asarray(jackknife, dtype=np.float64)
    weight = np.ones(len(values)) if counts is None else np.asarray(counts, dtype=np.float64)
    known = np.isfinite(values) & (weight > 0)
    if not known.any():
        return 0.0
    values, weight = values[known], weight[known]
    influence = np.average(values, weights=weight) - values
    squares = float(np.sum(weight * influence**2))
    return float(np.sum(weight * influence**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def _quantile(drawn: Floats, share: float) -> float:
    """Between two order statistics on the scale of normal quantiles (Davison and Hinkley, 1997, eq. 5.8)."""
    size = len(drawn)
    at = share * (size + 1)
    k = int(at)
    if k < 1 or k >= size:
        return float(drawn[0] if k < 1 else drawn[-1])
    here, low, high = (float(stats.norm.ppf(p)) for p in (share, k / (size + 1), (k + 1) / (size + 1)))
    return float(drawn[k - 1] + (here - low) / (high - low) * (drawn[k] - drawn[k - 1]))


def bootstrap(
    statistic: Callable[[Floats], float],
    n: int | None = None,
    *,
    weight: Any = None,
    units: Any = None,
    level: float = 0.95,
    resamples: int = 2000,
    random_state: Any = 0,
) -> Interval:
    """The BCa interval of a statistic, which is a function of how often each of n rows counts, (n,).

    A weight is a number of equal rows. With `units`, the unit of each row (a person measured several times), whole
    units are drawn instead of rows.

    >>> lengths = np.array([4.1, 5.0, 3.8, 4.4, 9.2, 4.9, 4.3, 5.6])
    >>> print(bootstrap(lambda counts: np.average(lengths, weights=counts), len(lengths)))
    5.162 [4.425, 6.973]
    """
    check_level(level)
    times, of, inner = _resampling(n, weight, units)
    if not isinstance(resamples, int | np.integer) or resamples < 2:
        raise InvalidParameter(f"bootstrap: resamples must be an integer, at least 2; got {resamples!r}.")
    rng = generator(random_state)
    replicates = [statistic(drawn[of] * inner) for drawn in (_drawn(times, rng) for _ in range(resamples))]
    left_out, counts = _jackknife(statistic, times, of, inner)
    return bca(float(statistic(times[of] * inner)), np.array(replicates), left_out, level, counts)


def _resampling(n: int | None, weight: Any, units: Any) -> tuple[Floats, NDArray[np.int64], Floats]:
    """How often each unit stands (U,), the unit of each row (n,), and how much a row counts within its unit (n,)."""
    size = next((len(a) for a in (weight, units) if a is not None), n)
    if not size:
        raise InvalidParameter("bootstrap: say how many rows there are: n, a weight or a unit for each.")
    inner = np.ones(size) if weight is None else np.asarray(weight, dtype=np.float64)
    if units is None:
        return inner, np.arange(size), np.ones(size)
    names, of = np.unique(np.asarray(units), return_inverse=True)
    return np.ones(len(names)), of.reshape(-1), inner


def _drawn(times: Floats, rng: np.random.Generator) -> Floats:
    """As many units as there are, drawn with replacement: how often each came up."""
    total = float(times.sum())
    if (times == 1).all():
        return np.bincount(rng.integers(0, len(times), len(times)), minlength=len(times)).astype(np.float64)
    points = rng.random(max(1, round(total))) * total
    at = np.searchsorted(np.cumsum(times), points, side="right")
    return np.bincount(np.minimum(at, len(times) - 1), minlength=len(times)).astype(np.float64)


def _jackknife(
    statistic: Callable[[Floats], float], times: Floats, of: NDArray[np.int64], inner: Floats
) -> tuple[Floats, Floats]:
    """The values without each unit in turn, or without each block where there are many, and their numbers."""
    units = len(times)
    values, counts = [], []
    for block in np.array_split(np.arange(units), min(units, JACKKNIFE)):
        less = times.copy()
        less[block] -= np.minimum(1.0, less[block]) if len(block) == 1 else less[block]
        counts.append(float(times[block].sum()) if len(block) == 1 else 1.0)
        values.append(statistic(less[of] * inner) if less.any() else math.nan)
    return np.array(values), np.array(counts)


def _z(level: float) -> float:
    return float(stats.norm.ppf(0.5 + level / 2))


def _undefined(level: float, method: str) -> Interval:
    return Interval(math.nan, math.nan, math.nan, level, method)


def check_level(level: Any) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not (isinstance(level, int | float | np.number) and 0 < level < 1):
        raise InvalidParameter(f"The level of an interval must be a number between 0 and 1; got {level!r}.")


def _check_rate(successes: float, trials: float, level: float) -> None:
    check_level(level)
    if not 0 <= successes <= trials:
        raise InvalidParameter(
            f"A rate needs 0 ≤ successes ≤ trials; got {successes:g} successes of {trials:g} trials."
        )
