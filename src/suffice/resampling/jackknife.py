"""The jackknife: what a figure is without each part of the rows, and how sure it is by that."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.labels import encode
from ..data.rows import as_values
from ..data.validate import check_weight
from ..errors import InvalidData, InvalidParameter, MemoryNeeded
from ..typing import Numbers
from .intervals import Interval, Spread
from .scales import PLAIN, Scale

Floats = NDArray[np.float64]
MOST_ROWS = 1 << 28  # 2 GiB a resample
MOST = 500  # units left out one by one; more of them are left out in so many blocks


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn or left out as one: rows, or all rows of a person, a group or a fold."""

    times: Floats  # (U,): how often each unit stands
    of: NDArray[np.int64]  # (n,): the unit of each row
    inner: Floats  # (n,): how much a row counts within its unit

    @classmethod
    def checked(cls, n: Any, weight: Numbers | None, units: Any, owner: str) -> Units:
        """The rows by themselves, or by the unit of each."""
        size = n if n is not None else next((len(a) for a in (weight, units) if a is not None), 0)
        if not size > 0:
            raise InvalidParameter(
                f"{owner}: say how many rows there are: X, their number, a weight or a unit for each."
            )
        if size > MOST_ROWS:
            raise MemoryNeeded(f"{owner}: {size:,} rows take {8 * size:,} bytes for each resample; give fewer rows.")
        inner = np.ones(size) if weight is None else check_weight(weight, size, owner, "weight")
        if units is None:
            return cls(inner, np.arange(size), np.ones(size))
        given = as_values(units, owner)
        if given.shape != (size,):
            raise InvalidData(f"{owner}: units must name one unit a row, shape ({size},); got shape {given.shape}.")
        names, of = encode(given)
        return cls(np.ones(len(names)), of, inner)

    def weight(self, times: Floats) -> Floats:
        """How much each row counts, (n,), where the units stand so often."""
        return np.asarray(times[self.of] * self.inner)

    @cached_property
    def mass(self) -> Floats:
        """The weight of each unit, standing once; (U,)."""
        return np.bincount(self.of, self.inner, len(self.times)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Jackknife:
    """A figure of all units, and what it is without each."""

    value: float
    without: Floats  # (v,)
    share: Floats  # (v,): the part of all weight that was left out
    counts: Floats  # (v,): for how many equal units each stands

    def pseudo_values(self, scale: Scale = PLAIN) -> Floats:
        """h θ − (h − 1) θ₋ⱼ with h = 1/share: what unit j alone contributes; for a mean, the mean of its rows.

        Busing, Meijer and van der Leeden (1999), for units of unequal size.
        """
        value, without = scale.forward(self.value), scale.forward(self.without)
        with np.errstate(divide="ignore", invalid="ignore"):  # a unit that weighs nothing has none
            h = 1 / self.share
            found = h * value - (h - 1) * without
            rounding = 64 * np.finfo(np.float64).eps * h * np.maximum(np.abs(value), np.abs(without))
            return np.asarray(np.where(np.abs(found - value) <= rounding, value, found))

    def spread(self, ratio: float = 0.0, scale: Scale = PLAIN) -> Spread:
        """The value with the scale √((1/J + ratio) s²), s² the variance of the J pseudo-values.

        `ratio` is the number of test rows for each training row where units are folds: see `intervals.spread`.
        """
        values = self.pseudo_values(scale)
        known = np.isfinite(values) & (self.counts > 0)
        number = float(self.counts[known].sum())
        if not known.any() or not number > 1:
            return Spread(float(scale.forward(self.value)), math.nan, 0)
        mean = np.average(values[known], weights=self.counts[known])
        variance = float(np.dot(self.counts[known], (values[known] - mean) ** 2)) / (number - 1)
        return Spread(float(scale.forward(self.value)), math.sqrt((1 / number + ratio) * variance), number - 1)

    def interval(self, level: float, scale: Scale = PLAIN, ratio: float = 0.0, method: str = "jackknife t") -> Interval:
        """Student's t interval on a scale where the figure is nearly normal, turned back."""
        known = self.without[np.isfinite(self.without)]
        if not np.isfinite(scale.forward(np.append(known, self.value))).all():
            scale = PLAIN  # at its bound a figure has no place on the other scale
        found = self.spread(ratio, scale).interval(level)
        return Interval(self.value, float(scale.back(found.low)), float(scale.back(found.high)), level, method)


def jackknife(statistic: Callable[[Floats], float], units: Units) -> Jackknife:
    """A statistic of how much each row counts, without each unit in turn."""
    values, counts, share = left_out(lambda times: np.asarray(statistic(units.weight(times))), units, ())
    return Jackknife(float(statistic(units.weight(units.times))), values, share, counts)


def left_out(at: Callable[[Floats], Floats], units: Units, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """The values without each unit in turn, or without each block where there are many; for how many equal units each
    stands; and the part of all weight that was left out."""
    times, number = units.times, len(units.times)
    total = float(np.dot(times, units.mass))
    values, counts, share = [], [], []
    for block in np.array_split(np.arange(number), min(number, MOST)):
        less = times.copy()
        less[block] -= np.minimum(1.0, less[block]) if len(block) == 1 else less[block]
        counts.append(float(times[block].sum()) if len(block) == 1 else 1.0)
        share.append(float(np.dot(times[block] - less[block], units.mass[block])) / total if total > 0 else math.nan)
        values.append(at(less) if less.any() else np.full(shape, math.nan))
    return np.array(values, dtype=np.float64), np.array(counts), np.array(share)
