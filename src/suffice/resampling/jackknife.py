"""The jackknife: what a figure is without each part of the rows, and how sure it is by that."""

from __future__ import annotations

import math
from collections.abc import Callable, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..data.labels import encode
from ..data.rows import as_values
from ..data.validate import check_weight
from ..errors import InvalidData, InvalidParameter, MemoryNeeded
from ..typing import WeightLike
from .intervals import Interval, Spread
from .scales import PLAIN, Scale

Floats = NDArray[np.float64]
MOST_ROWS = 1 << 28  # 2 GiB a resample
_CELLS = 1 << 18  # of how often units stand, at once
MOST = 500  # units left out one by one; more of them are left out in so many blocks


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn or left out as one: rows, or all rows of a person, a group or a fold."""

    times: Floats  # (U,): how often each unit stands
    of: NDArray[np.int64]  # (n,): the unit of each row
    inner: Floats  # (n,): how much a row counts within its unit

    @classmethod
    def checked(cls, n: Any, weight: WeightLike, units: Any, owner: str) -> Units:
        """The rows by themselves, or by the unit of each."""
        size = n if n is not None else next((len(cast(Sized, a)) for a in (weight, units) if a is not None), 0)
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
        """How much each row counts, (n,), where the units stand so often; (B, n) for (B, U)."""
        return times if self.are_rows else np.asarray(times[..., self.of] * self.inner)

    @cached_property
    def are_rows(self) -> bool:
        """Whether each row is a unit by itself."""
        return len(self.times) == len(self.of) and bool((self.inner == 1).all() and (np.diff(self.of) == 1).all())

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
    found = left_out(lambda often: np.array([statistic(units.weight(times)) for times in often]), units)
    return Jackknife(float(statistic(units.weight(units.times))), found[0], found[2], found[1])


def left_out(values: Callable[[Floats], Floats], units: Units) -> tuple[Floats, Floats, Floats]:
    """The values without each unit in turn, or without each block where there are many; for how many equal units each
    stands; and the part of all weight that was left out.

    `values` are those where the units stand so often, (B, U).
    """
    times, number = units.times, len(units.times)
    total = float(np.dot(times, units.mass))
    found, counts, share = [], [], []
    blocks = np.array_split(np.arange(number), min(number, MOST))
    for start in range(0, len(blocks), size := max(1, _CELLS // number)):
        less = np.tile(times, (len(blocks[start : start + size]), 1))
        for row, block in zip(less, blocks[start : start + size], strict=True):
            row[block] -= np.minimum(1.0, row[block]) if len(block) == 1 else row[block]
            counts.append(float(times[block].sum()) if len(block) == 1 else 1.0)
            share.append(float(np.dot(times[block] - row[block], units.mass[block])) / total if total > 0 else math.nan)
        found.append(_where_any(values, less))
    return np.concatenate(found), np.array(counts), np.array(share)


def _where_any(values: Callable[[Floats], Floats], often: Floats) -> Floats:
    """The values, NaN where no unit is left."""
    some = np.asarray(often.any(axis=1))
    if some.all():
        return values(often).astype(np.float64)
    found = values(np.where(some[:, None], often, 1.0)).astype(np.float64)
    found[~some] = np.nan
    return found
