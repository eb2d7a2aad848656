"""What the bootstrap found: a statistic, its replicates, and the errors and intervals that follow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InvalidParameter
from ..text import aligned, figure
from ..typing import Floats
from .bootstrap_intervals import bca, defined, quantile
from .intervals import Interval, check_level, normal_quantile

Figure = np.float64 | Floats  # () for one statistic, (statistics,) for several
Statistic = Callable[..., Any]  # of rows, or of how often each row counts; one number, or several as an array
Studentised = tuple[Figure, Floats, Floats]  # the error of the value; values of other draws and their errors
INNER = 50  # resamples of each resample that give its standard error
METHODS = ("percentile", "basic", "normal", "bca", "studentised")


def _no_draws(error: Statistic | int | None) -> Studentised:
    raise InvalidParameter("bootstrap: the rows are not known any more; call bootstrap for a studentised interval.")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """A statistic, its values on resampled rows, and what follows from them.

    Of several statistics each figure has one entry for each; `found[i]` is the i-th by itself, with its intervals.
    Draws for which a statistic is not defined are left out. `print` shows a table, `plots.ReplicatesDisplay` a picture.
    """

    value: Figure  # of the rows themselves
    replicates: Floats  # (resamples,) or (resamples, statistics)
    level: float = 0.95  # of the intervals, where no other is asked for
    _left_out: Callable[[], tuple[Floats, Floats]] = field(default=lambda: (np.empty(0), np.empty(0)), repr=False)
    _with_errors: Callable[[Statistic | int | None], Studentised] = field(default=_no_draws, repr=False)

    @property
    def mean(self) -> Figure:
        """The mean of the replicates."""
        return self._over_draws(np.mean)

    @property
    def bias(self) -> Figure:
        """How much larger the replicates are on average than the value."""
        return self.mean - self.value

    @property
    def variance(self) -> Figure:
        """The variance of the replicates."""
        return self._over_draws(lambda known: np.var(known, ddof=1) if len(known) > 1 else math.nan)

    @property
    def standard_error(self) -> Figure:
        """The standard deviation of the replicates."""
        return self._over_draws(lambda known: np.std(known, ddof=1) if len(known) > 1 else math.nan)

    def interval(self, method: str = "bca", level: float | None = None) -> Interval:
        """The interval by the name of its method: percentile, basic, normal, bca or studentised."""
        if method not in METHODS:
            raise InvalidParameter(f"bootstrap: there is no interval {method!r}; known are {', '.join(METHODS)}.")
        found: Interval = getattr(self, method)(level)
        return found

    def percentile(self, level: float | None = None) -> Interval:
        """The interval between two quantiles of the replicates, each tail with half of 1 − level."""
        return self._between(self._one(level), "percentile", lambda low, high: (low, high))

    def basic(self, level: float | None = None) -> Interval:
        """The percentile interval mirrored at the value: replicates err as the value does, 2 θ − q."""
        return self._between(
            self._one(level), "basic", lambda low, high: (2 * float(self.value) - high, 2 * float(self.value) - low)
        )

    def normal(self, level: float | None = None) -> Interval:
        """θ − bias ± z × the standard error."""
        level = self._one(level)
        middle, half = float(self.value - self.bias), normal_quantile(level) * float(self.standard_error)
        return self._between(level, "normal", lambda low, high: (middle - half, middle + half))

    def bca(self, level: float | None = None) -> Interval:
        """The interval corrected for bias and acceleration, which leaves each unit out once more; see `bca`."""
        level = self._one(level)
        left_out, counts = self._jackknife
        return bca(float(self.value), self.replicates, left_out, level, counts)

    def studentised(self, level: float | None = None, *, error: Statistic | int | None = None) -> Interval:
        """The interval from quantiles of t* = (θ* − θ) / se*, the rows drawn once more: θ − t* se.

        `error` gives the standard error of the statistic from the same rows, or is the number of resamples of each
        resample that give it: 50 where nothing is said. Statistics known by name have a formula for it.
        """
        level = self._one(level)
        own, values, errors = self._with_errors(error)
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(errors > 0, (values - self.value) / errors, np.nan)
        drawn = defined(t)
        if drawn is None or not math.isfinite(own) or math.isnan(self.value):
            return Interval(float(self.value), math.nan, math.nan, level, "studentised")
        ends = [float(self.value - quantile(drawn, share) * own) for share in (0.5 + level / 2, 0.5 - level / 2)]
        return Interval(float(self.value), ends[0], ends[1], level, "studentised")

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

    def _between(self, level: float, method: str, ends: Callable[[float, float], tuple[float, float]]) -> Interval:
        """An interval made of the two quantiles of the replicates."""
        drawn = defined(self.replicates)
        if drawn is None or math.isnan(self.value):
            return Interval(float(self.value), math.nan, math.nan, level, method)
        low, high = ends(*(quantile(drawn, share) for share in (0.5 - level / 2, 0.5 + level / 2)))
        return Interval(float(self.value), low, high, level, method)

    def _one(self, level: float | None) -> float:
        if self.value.ndim:
            raise InvalidParameter(
                f"bootstrap: there are {len(self)} statistics; take one of them, such as found[0], for an interval."
            )
        level = self.level if level is None else level
        check_level(level)
        return level

    def _over_draws(self, of: Callable[[Floats], object]) -> Figure:
        columns = self.replicates.reshape(len(self.replicates), -1).T
        known = [column[np.isfinite(column)] for column in columns]
        found = [of(column) if len(column) else math.nan for column in known]
        shaped: Figure = np.array(found, dtype=np.float64).reshape(self.value.shape)[()]
        return shaped

    def __len__(self) -> int:
        return self.value.size

    def __getitem__(self, i: int) -> Bootstrap:
        def column() -> tuple[Floats, Floats]:
            values, counts = self._jackknife
            return values[:, i], counts

        def with_errors(error: Statistic | int | None) -> Studentised:
            own, values, errors = self._with_errors(error)
            return np.atleast_1d(own)[i], values[:, i], errors[:, i]

        if not self.value.ndim:
            raise IndexError("bootstrap: there is one statistic; take its figures as they are.")
        value = np.atleast_1d(self.value)[i]
        return replace(self, value=value, replicates=self.replicates[:, i], _left_out=column, _with_errors=with_errors)

    def __iter__(self) -> Iterator[Bootstrap]:
        return (self[i] for i in range(len(self)))

    def __contains__(self, number: float) -> bool:
        return number in self.bca()

    def __str__(self) -> str:
        """One statistic with its errors and intervals, several one a line."""
        if self.value.ndim:
            every = [(str(i), *one._figures(), *_ends(one.bca())) for i, one in enumerate(self)]
            return aligned([("statistic", *_FIGURES, *_bounds(self.level)), *every])
        intervals = [self.percentile(), self.basic(), self.normal(), self.bca()]
        rows = [(each.method, *_ends(each)) for each in intervals]
        return (
            f"{aligned([_FIGURES, self._figures()], words=0)}\n\n{aligned([('interval', *_bounds(self.level)), *rows])}"
        )

    def _figures(self) -> tuple[str, str, str]:
        shown = "not defined" if math.isnan(self.value) else figure(float(self.value))
        return shown, figure(float(self.bias)), figure(float(self.standard_error))


_FIGURES = ("value", "bias", "standard error")


def _bounds(level: float) -> tuple[str, str]:
    return (f"{50 - 50 * level:.4g} %", f"{50 + 50 * level:.4g} %")


def _ends(interval: Interval) -> tuple[str, str]:
    return figure(interval.low), figure(interval.high)
