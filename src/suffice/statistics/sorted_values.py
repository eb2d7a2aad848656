"""The values of columns with their weights: exact while they are few, bins of neighbours beyond.

Level 0 holds distinct values. A level that holds more than `CAPACITY` is cut, in order, into bins of about equal
weight, half as many as `CAPACITY`, each kept as its mean and weight one level up. A bin only hides where inside it a
value lies. So the weight below a point is wrong by at most that of the bins that reach across it: one for each cut,
together about 2/CAPACITY of all weight a level, and there are about log₂(n / CAPACITY) levels. A sum of distances from
the point is exact but for those bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

import numpy as np

from ..data.rows import as_column, as_rows, as_weight
from ..errors import InvalidData
from ..holds import floats, instance, number, require, tuples
from ..typing import Floats, Labels, Reals, TableLike, WeightLike
from .base import Arrays, Statistic

CAPACITY = 1 << 17


@dataclass(frozen=True)
class SortedValues(Statistic):
    """The distinct values of a column, sorted, each with its weight: exact up to 131,072 of them, bins beyond.

    >>> s = SortedValues.of(np.array([3.0, 1.0, np.nan])) + SortedValues.of(np.array([3.0, 8.0]), np.array([2.0, 1.0]))
    >>> s.levels[0].tolist()
    [[1.0, 1.0], [3.0, 3.0], [8.0, 1.0]]
    >>> s.median(), s.distance(3.0)
    (3.0, 7.0)
    """

    levels: tuple[Floats, ...]  # (m, 2) each: value, weight
    error: float = 0.0

    leaves_out_missing: ClassVar = True
    holds: ClassVar = {"levels": tuples(floats(None, 2, finite=False)), "error": number(at_least=0)}

    def check_loaded(self) -> None:
        weights = np.concatenate([np.zeros(1), *(level[:, 1] for level in self.levels)])
        require(np.isfinite(weights).all() and weights.min() >= 0, "levels must have weights of at least 0")

    @classmethod
    def of(cls, values: object, weight: WeightLike = None) -> SortedValues:
        """The values of a column that are not NaN and have weight."""
        x = as_column(values, cls.__name__)
        w = as_weight(weight, len(x), cls.__name__)
        if w is None:
            return cls(*_settle([_counted(x)], 0.0))
        x = x.astype(np.float64, copy=False)
        seen = ~np.isnan(x) & (w > 0)
        return cls(*_settle([_distinct(x[seen], w[seen])], 0.0))

    def __add__(self, other: SortedValues) -> SortedValues:
        pairs = zip_longest(self.levels, other.levels, fillvalue=np.empty((0, 2)))
        both = [_distinct(*np.concatenate(pair).T) for pair in pairs]
        return SortedValues(*_settle(both, self.error + other.error))

    def __sub__(self, other: SortedValues) -> SortedValues:
        """The values without those of `other`, which must be among them; only while both are exact."""
        if not (self.exact and other.exact):
            raise InvalidData(
                f"beyond {CAPACITY:,} distinct values of a column bins are kept, from which no row can be removed; fit "
                "the rows that stay anew."
            )
        (x, w), (y, gone) = self.in_order(), other.in_order()
        values = np.concatenate([x, y])
        left = _distinct(values, np.concatenate([w, -gone]))
        slack = 1e-9 * _distinct(values, np.concatenate([w, gone]))[:, 1]  # all that rounding leaves of equal weights
        if np.any(left[:, 1] < -slack):
            raise InvalidData("these rows were never added: a value has fewer rows than would be removed.")
        return SortedValues((left[left[:, 1] > slack],))

    @property
    def exact(self) -> bool:
        """Whether every value is there, and not only the bin it fell into."""
        return self.error == 0

    @property
    def weight(self) -> float:
        """The weight of all values."""
        return float(sum(level[:, 1].sum() for level in self.levels))

    @property
    def rank_error(self) -> float:
        """The worst-case error e: `median` lies between the true quantiles at ½ − e and ½ + e."""
        return self.error / self.weight if self.error else 0.0

    def median(self) -> float:
        """The weighted median, halfway between two values where half the weight lies on either side; NaN of nothing."""
        values, weights = self.in_order()
        if not len(values):
            return np.nan
        below = np.cumsum(weights)
        half, slack = below[-1] / 2, 1e-12 * below[-1]  # so that rounding does not decide between two values
        lower, upper = np.searchsorted(below, [half - slack, half + slack])
        return float((values[min(lower, len(values) - 1)] + values[min(upper, len(values) - 1)]) / 2)

    def quantile(self, shares: Floats) -> Floats:
        """The quantiles at some shares, interpolated as `numpy.quantile` does with values repeated by their weights.

        Weights below 1 count as if the smallest were one repetition; NaN of nothing.

        >>> SortedValues.of([1.0, 2.0, 4.0], [1.0, 2.0, 1.0]).quantile(np.array([0.0, 0.5, 0.9]))
        array([1. , 2. , 3.4])
        """
        values, weights = self.in_order()
        if not len(values):
            return np.full(np.shape(shares), np.nan)
        ends = np.cumsum(weights)
        one = min(1.0, float(weights.min()))  # between two values lies the weight of one repetition
        rank, slack = np.asarray(shares) * (ends[-1] - one), 1e-12 * ends[-1]
        above = np.minimum(np.searchsorted(ends - one, rank - slack), len(values) - 1)
        below = np.maximum(above - 1, 0)
        beyond = rank - (ends[below] - one)
        beyond = np.where(beyond > one - slack, one, np.where(beyond < slack, 0.0, beyond))  # a rank but for rounding
        part = beyond / one
        between = values[below] + part * (values[above] - values[below])
        return np.asarray(np.where(above == 0, values[0], np.where(part < 1, between, values[above])))

    def distance(self, point: float) -> float:
        """The weighted sum of the distances of the values from a point."""
        return float(sum(level[:, 1] @ np.abs(level[:, 0] - point) for level in self.levels))

    def comparable(self) -> Arrays:
        """The values while exact; beyond that the weight, as the bins depend on the merges."""
        if not self.exact:
            return {"weight": np.asarray(self.weight)}
        return {"values": self.in_order()[0], "weights": self.in_order()[1]}

    def scaled(self, factor: float) -> SortedValues:
        return SortedValues(tuple(level * [1.0, factor] for level in self.levels), self.error * factor)

    def in_order(self) -> tuple[Floats, Floats]:
        """Every value or bin, sorted, and its weight."""
        there = [level for level in self.levels if len(level)]
        if len(there) == 1:
            return there[0][:, 0], there[0][:, 1]
        together = np.concatenate(there) if there else np.empty((0, 2))
        order = np.argsort(together[:, 0], kind="stable")
        return together[order, 0], together[order, 1]

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(1)), rng.integers(0, 3, n).astype(float)


@dataclass(frozen=True)
class ColumnValues(Statistic):
    """The values of each column of some rows, and Σw of the rows."""

    rows: float
    columns: tuple[SortedValues, ...]

    leaves_out_missing: ClassVar = True
    holds: ClassVar = {"rows": number(finite=False), "columns": tuples(instance(SortedValues), "d")}

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None) -> ColumnValues:
        """The values of the columns of X."""
        X = as_rows(X, cls.__name__)
        weight = as_weight(weight, len(X), cls.__name__)
        rows = float(len(X) if weight is None else np.sum(weight))
        return cls(rows, tuple(SortedValues.of(X[:, j], weight) for j in range(X.shape[1])))

    def __add__(self, other: ColumnValues) -> ColumnValues:
        columns = tuple(a + b for a, b in zip(self.columns, other.columns, strict=True))
        return ColumnValues(self.rows + other.rows, columns)

    def __sub__(self, other: ColumnValues) -> ColumnValues:
        """The values without the rows of `other`, which must be among them."""
        columns = tuple(a - b for a, b in zip(self.columns, other.columns, strict=True))
        return ColumnValues(self.rows - other.rows, columns)

    def comparable(self) -> Arrays:
        arrays: Arrays = {"rows": np.asarray(self.rows)}
        for j, column in enumerate(self.columns):
            arrays.update({f"{j}.{name}": array for name, array in column.comparable().items()})
        return arrays


def _counted(cells: Labels) -> Floats:
    """The distinct values that are not NaN, sorted, and how often each is there, (m, 2); -0 is 0."""
    # NaN are the last; much faster than the order of values with weights, and most so in single precision.
    x: Reals = np.sort(cells.astype(np.float32 if cells.dtype == np.float32 else np.float64, copy=False))
    x = x[: np.searchsorted(x, np.nan)]
    first = np.flatnonzero(np.concatenate([[True], x[1:] > x[:-1]])) if len(x) else np.empty(0, dtype=np.intp)
    return np.column_stack([x[first].astype(np.float64, copy=False), np.diff(first, append=len(x))])


def _distinct(x: Floats, w: Floats) -> Floats:
    """The distinct values, sorted, and their summed weight, (m, 2)."""
    if not len(x):
        return np.empty((0, 2))
    order = np.argsort(x, kind="stable")
    x, w = x[order], w[order]
    first = np.flatnonzero(np.concatenate([[True], x[1:] > x[:-1]]))
    return np.column_stack([x[first], w if len(first) == len(w) else np.add.reduceat(w, first)])


def _settle(levels: list[Floats], error: float) -> tuple[tuple[Floats, ...], float]:
    """The levels with at most `CAPACITY` items each, and the weight by which a rank may be wrong after that."""
    settled: list[Floats] = []
    while levels:
        level, *levels = levels
        if len(level) > CAPACITY:
            bins, largest = _binned(level)
            joined = _distinct(*np.concatenate([levels[0], bins]).T) if levels else bins
            levels, level = [joined, *levels[1:]], np.empty((0, 2))
            error += largest
        settled.append(level)
    return tuple(settled), error


def _binned(level: Floats) -> tuple[Floats, float]:
    """Bins of about equal weight as (mean, weight), and the largest weight of one that holds several values."""
    value, weight = level.T
    middle = np.cumsum(weight) - weight / 2
    place = (middle * (CAPACITY // 2 / weight.sum())).astype(np.int64)
    first = np.flatnonzero(np.concatenate([[True], place[1:] > place[:-1]]))
    size = np.diff(first, append=len(value))
    total = np.add.reduceat(weight, first)
    apart = weight * (value - np.repeat(value[first], size))
    mean = value[first] + np.add.reduceat(apart, first) / total
    return np.column_stack([mean, total]), float(total[size > 1].max(initial=0.0))
