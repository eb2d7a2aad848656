"""The bootstrap: how much any statistic of rows would vary from sample to sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from scipy import stats

from ..backend.weights import RunningMass
from ..data.rows import as_column
from ..data.validate import check_some_weight
from ..errors import InvalidData, InvalidParameter
from ..randomness import generator
from ..typing import Floats, Numbers, RandomState, TableLike, TargetLike, WeightLike
from .intervals import Interval, check_level, normal_quantile
from .jackknife import MOST_ROWS, Units, left_out
from .rows import count_rows, in_memory, rows_of

Figure = np.float64 | Floats  # () for one statistic, (statistics,) for several
Statistic = Callable[[Any], Any]  # of rows, or of how often each row counts; one number, or several as an array


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A statistic, its values on resampled rows, and what follows from them.

    Of several statistics each figure has one entry for each; `found[i]` is the i-th by itself, with its intervals.
    Draws for which a statistic is not defined are left out.
    """

    value: Figure  # of the rows themselves
    replicates: Floats  # (resamples,) or (resamples, statistics)
    level: float = 0.95  # of the intervals, where no other is asked for
    _left_out: Callable[[], tuple[Floats, Floats]] = field(default=lambda: (np.empty(0), np.empty(0)), repr=False)

    @property
    def mean(self) -> Figure:
        """The mean of the replicates."""
        return self._over_draws(np.mean)

    @property
    def bias(self) -> Figure:
        """How much larger the replicates are on average than the value."""
        return self.mean - self.value

    @property
    def standard_error(self) -> Figure:
        """The standard deviation of the replicates."""
        return self._over_draws(lambda known: np.std(known, ddof=1) if len(known) > 1 else math.nan)

    def percentile(self, level: float | None = None) -> Interval:
        """The interval between two quantiles of the replicates, each tail with half of 1 − level."""
        level = self._one(level)
        drawn = _defined(self.replicates)
        if drawn is None or math.isnan(self.value):
            return Interval(float(self.value), math.nan, math.nan, level, "percentile")
        low, high = (_quantile(drawn, share) for share in (0.5 - level / 2, 0.5 + level / 2))
        return Interval(float(self.value), low, high, level, "percentile")

    def bca(self, level: float | None = None) -> Interval:
        """The interval corrected for bias and acceleration, which leaves each unit out once more; see `bca`."""
        level = self._one(level)
        left_out, counts = self._jackknife
        return bca(float(self.value), self.replicates, left_out, level, counts)

    @property
    def low(self) -> float:
        """The lower end of the BCa interval."""
        return self.bca().low

    @property
    def high(self) -> float:
        """The upper end of the BCa interval."""
        return self.bca().high

    @cached_property
    def _jackknife(self) -> tuple[Floats, Floats]:
        return self._left_out()

    def _one(self, level: float | None) -> float:
        if self.value.ndim:
            raise InvalidParameter(
                f"bootstrap: there are {len(self)} statistics; take one of them, such as found[0], for an interval."
            )
        level = self.level if level is None else level
        check_level(level)
        return level

    def _over_draws(self, figure: Callable[[Floats], object]) -> Figure:
        columns = self.replicates.reshape(len(self.replicates), -1).T
        known = [column[np.isfinite(column)] for column in columns]
        found = [figure(column) if len(column) else math.nan for column in known]
        shaped: Figure = np.array(found, dtype=np.float64).reshape(self.value.shape)[()]
        return shaped

    def __len__(self) -> int:
        return self.value.size

    def __getitem__(self, i: int) -> Bootstrap:
        def column() -> tuple[Floats, Floats]:
            values, counts = self._jackknife
            return values[:, i], counts

        if not self.value.ndim:
            raise IndexError("bootstrap: there is one statistic; take its figures as they are.")
        value = np.atleast_1d(self.value)[i]
        return replace(self, value=value, replicates=self.replicates[:, i], _left_out=column)

    def __iter__(self) -> Iterator[Bootstrap]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, number: float) -> bool:
        return number in self.bca()

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self.value.ndim else str(self.bca())


def bootstrap(
    statistic: Statistic,
    X: TableLike | None = None,
    *,
    weight: WeightLike = None,
    units: TargetLike = None,
    level: float = 0.95,
    resamples: int = 2000,
    random_state: RandomState = 0,
) -> Bootstrap:
    """Resample rows with replacement and see how a statistic varies: its standard error and its intervals.

    `X` holds the rows, an array or a frame, and the statistic is a function of such rows that gives one number, or
    several as an array. Where `X` is only the number n of rows, or is left out, the statistic is given how often each
    row counts, (n,), instead. That is faster where rows need not be copied, and the way for weights that are not whole.

    A weight is a number of equal rows. With `units`, the unit of each row (a person measured several times), whole
    units are drawn instead of rows. The same `random_state` gives the same draws.

    >>> lengths = np.array([4.1, 5.0, 3.8, 4.4, 9.2, 4.9, 4.3, 5.6])
    >>> found = bootstrap(np.median, lengths)
    >>> print(f"{found.value:.3f}, {found.mean:.3f} on average, standard error {found.standard_error:.3f}")
    4.650, 4.705 on average, standard error 0.443
    >>> print(found.percentile())
    4.65 [4.2, 5.6]
    >>> print(found.bca(level=0.9))
    4.65 [4.2, 5.3]

    Weights, and several statistics at once:

    >>> both = bootstrap(lambda rows: (rows.mean(), np.median(rows)), lengths, weight=[2, 1, 1, 1, 1, 1, 1, 2])
    >>> print(both)
    5.1 [4.5, 6.867]
    4.65 [4.1, 5.6]
    >>> print(bootstrap(lambda counts: np.average(lengths, weights=counts), len(lengths)))
    5.162 [4.425, 6.973]
    """
    check_level(level)
    if not callable(statistic):
        raise InvalidParameter(f"bootstrap: statistic must be a function of rows, such as np.mean; got {statistic!r}.")
    if not isinstance(resamples, Integral) or isinstance(resamples, bool) or resamples < 2:
        raise InvalidParameter(f"bootstrap: resamples must be an integer, at least 2; got {resamples!r}.")
    by_counts = X is None or (isinstance(X, Integral) and not isinstance(X, bool))
    X = X if by_counts else in_memory(X, "bootstrap")
    drawn = Units.checked(X if by_counts else count_rows(X, "bootstrap"), weight, units, "bootstrap")
    times = drawn.times
    of_counts = statistic if by_counts else _of_counts(statistic, X, drawn.weight(times))

    def at(often: Floats) -> Floats:
        return np.asarray(of_counts(drawn.weight(often)), dtype=np.float64)

    rng = generator(random_state)
    replicates = [at(_drawn(times, rng)) for _ in range(int(resamples))]
    value = at(times)
    if value.ndim > 1 or any(one.shape != value.shape for one in replicates):
        raise InvalidParameter(
            "bootstrap: the statistic must give one number, or always as many in an array of one axis; "
            f"got shape {value.shape}."
        )
    return Bootstrap(value[()], np.array(replicates), level, lambda: left_out(at, drawn, value.shape)[:2])


def _of_counts(statistic: Statistic, X: TableLike, weight: Floats) -> Statistic:
    """A statistic of rows as one of how often each row counts."""
    check_some_weight(weight, "bootstrap", "weight")
    part = weight != np.floor(weight)
    if part.any():
        row = int(np.argmax(part))
        raise InvalidData(
            f"bootstrap: weight of row {row} is {weight[row]:g}, and rows are repeated a whole number of times; round "
            "the weights, or give the number of rows as X and write the statistic of how often each counts."
        )
    places = np.arange(len(weight))
    return lambda counts: statistic(rows_of(X, np.repeat(places, counts.astype(np.int64))))


def _drawn(times: Floats, rng: np.random.Generator) -> Floats:
    """As many units as there are, drawn with replacement: how often each came up."""
    total = float(times.sum())
    if (times == 1).all():
        return np.bincount(rng.integers(0, len(times), len(times)), minlength=len(times)).astype(np.float64)
    if total > MOST_ROWS:
        raise InvalidData(f"bootstrap: the weights stand for {total:.3g} rows, too many to draw; scale them down.")
    at = RunningMass(times).rows(rng.random(max(1, round(total))))
    return np.bincount(at, minlength=len(times)).astype(np.float64)


def bca(
    value: float,
    replicates: Sequence[float] | Floats,
    jackknife: Sequence[float] | Floats,
    level: float = 0.95,
    counts: Numbers | None = None,
) -> Interval:
    """The bootstrap interval corrected for bias and acceleration (Efron, 1987), from its three ingredients.

    `replicates` are the values of resampled tables, `jackknife` those without each unit in turn; `counts` says for
    how many equal units each of the latter stands. The ends are quantiles of the replicates at

        Φ(z₀ + (z₀ + z) / (1 − a (z₀ + z))),   z₀ = Φ⁻¹(share of replicates below the value),
        a = Σ L³ / (6 (Σ L²)^1.5),   L = mean of the jackknife − its values.
    """
    check_level(level)
    if not isinstance(value, int | float | np.number):
        raise InvalidParameter(f"bca: value must be a number, the statistic of all rows; got {value!r}.")
    drawn = _defined(replicates)
    if drawn is None or math.isnan(value):
        return Interval(value, math.nan, math.nan, level, "BCa")
    if drawn[0] == drawn[-1]:
        return Interval(value, float(drawn[0]), float(drawn[0]), level, "BCa")
    size = len(drawn)
    below = (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / (2 * size)
    z0 = float(stats.norm.ppf(np.clip(below, 0.5 / size, 1 - 0.5 / size)))
    z = z0 + np.array([-1, 1]) * normal_quantile(level)
    at = np.asarray(stats.norm.cdf(z0 + z / (1 - _acceleration(jackknife, counts) * z)))
    low, high = (_quantile(drawn, float(share)) for share in at)
    return Interval(value, low, high, level, "BCa")


def _defined(replicates: Sequence[float] | Floats) -> Floats | None:
    """The values in order, without NaN and infinity; None where fewer than half, or fewer than 2, are left."""
    drawn = np.sort(as_column(replicates, "bca"))
    drawn = drawn[: np.searchsorted(drawn, np.inf)]  # NaN is sorted last
    return None if 2 * len(drawn) < np.size(replicates) or len(drawn) < 2 else drawn


def _acceleration(jackknife: object, counts: Numbers | None) -> float:
    values = as_column(jackknife, "bca").astype(np.float64)
    weight = np.ones(len(values)) if counts is None else as_column(counts, "bca").astype(np.float64)
    if weight.shape != values.shape:
        raise InvalidData(f"bca: counts must have one number for each of jackknife, {len(values)}; got {len(weight)}.")
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
