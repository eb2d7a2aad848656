"""Where the knots and centres of feature maps lie: evenly between the bounds of a column, or at its quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend import features
from ...data import Chunk, Source
from ...statistics.sorted_values import ColumnValues
from ...typing import Floats, Whole
from .base import check_some_values, columns_at


@dataclass(frozen=True)
class Range:
    """The lowest and the highest value of each column with weight, NaN where there is none."""

    low: Floats
    high: Floats

    @classmethod
    def of(cls, chunk: Chunk, columns: Whole) -> Range:
        """The bounds of some columns of the rows that count."""
        X = columns_at(chunk.X, columns)
        low, high, _ = features.column_ranges(X if chunk.weight is None else X[chunk.weight > 0])
        return cls(low, high)

    def __add__(self, other: Range) -> Range:
        return Range(np.fmin(self.low, other.low), np.fmax(self.high, other.high))


def values_of(source: Source, columns: Whole, owner: str) -> ColumnValues:
    """The values of some columns with their weights; a column without any is refused."""
    found = source.reduce(lambda chunk: ColumnValues.of(columns_at(chunk.X, columns), chunk.weight))
    check_some_values((not held.weight for held in found.columns), source, columns, owner)
    return found


def _quantiles(source: Source, chunk: Chunk, columns: Whole, shares: Floats, owner: str) -> Floats:
    """The quantiles of columns in memory, (count, m), as `SortedValues` has them, without sorting all of a column."""
    X = columns_at(chunk.X, columns)
    held = [column[~np.isnan(column)] for column in X.T]
    check_some_values((not len(values) for values in held), source, columns, owner)
    found = np.empty((len(shares), len(held)))
    for j, values in enumerate(held):
        rank, slack = shares * (len(values) - 1), 1e-12 * len(values)
        low = np.floor(rank + slack).astype(np.intp)
        part = np.where(rank - low < slack, 0.0, rank - low)
        high = np.minimum(low + (part > 0), len(values) - 1)
        own = np.partition(values, np.union1d(low, high)).astype(np.float64, copy=False)
        found[:, j] = own[low] + part * (own[high] - own[low])
    return found


def places(source: Source, columns: Whole, count: int, strategy: str, owner: str) -> Floats:
    """As many places for each column, (count, m): "uniform" or at "quantile"s, which the weights of the rows decide."""
    shares = np.linspace(0, 1, count)
    if strategy == "quantile":
        chunk = source.in_memory
        if chunk is not None and chunk.weight is None:
            return _quantiles(source, chunk, columns, shares, owner)
        held = values_of(source, columns, owner).columns
        return np.column_stack([column.quantile(shares) for column in held])
    bounds = source.reduce(lambda chunk: Range.of(chunk, columns))
    check_some_values(np.isnan(bounds.low), source, columns, owner)
    return np.linspace(bounds.low, bounds.high, count)
