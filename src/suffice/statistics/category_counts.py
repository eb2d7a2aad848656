"""How much weight each category of each column has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ..backend.columns import category_counts, largest_codes
from ..data.rows import as_groups, as_rows, as_weight
from ..errors import InvalidData
from ..holds import floats, number, tuples
from ..typing import Floats, Numbers, TableLike, WeightLike, Whole
from .base import Statistic

Columns = Sequence[Floats] | Floats  # the entries of each column
_MOST = 1 << 28  # categories of all columns: 2 GB of counts


@dataclass(frozen=True)
class CategoryCounts(Statistic):
    """Σw of each code 0, 1, 2, … in each column, (K_j,) for column j; missing cells (NaN) are left out.

    A column has as many counts as the largest code asks for; adding two makes room for the larger.

    >>> one, two = CategoryCounts.of(np.array([[0.0, 1.0]])), CategoryCounts.of(np.array([[2.0, np.nan]]))
    >>> [counts.tolist() for counts in (one + two).counts]
    [[1.0, 0.0, 1.0], [0.0, 1.0]]
    """

    rows: float
    counts: tuple[Floats, ...]

    leaves_out_missing: ClassVar = True
    holds: ClassVar = {"rows": number(at_least=0), "counts": tuples(floats(None, at_least=0), "d")}

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None, sizes: Sequence[int] | Whole | None = None) -> CategoryCounts:
        """The counts of the columns of X; `sizes` are the numbers of categories, else found from the codes."""
        X = as_rows(X, cls.__name__)
        return cls.grouped(X, np.zeros(len(X), dtype=np.int64), 1, weight, sizes)[0]

    @classmethod
    def grouped(
        cls,
        X: TableLike,
        group: object,
        groups: int,
        weight: WeightLike = None,
        sizes: Sequence[int] | Whole | None = None,
    ) -> tuple[CategoryCounts, ...]:
        """The counts of each group of rows, which `group` (n,) numbers from 0."""
        X = as_rows(X, cls.__name__)
        group = as_groups(group, len(X), groups, cls.__name__)
        w = as_weight(weight, len(X), cls.__name__)
        known = np.asarray(found_sizes(X) if sizes is None else sizes)
        _check_sizes(known, X.shape[1])
        offsets = offsets_of(known)
        counts = category_counts(X, group, groups, offsets, w)  # (groups, C)
        rows = np.bincount(group, w, groups)
        return tuple(cls(float(own), by_column(row, known)) for own, row in zip(rows, counts, strict=True))

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        sizes = self._room_for(other)
        total = self.flat(sizes) + other.flat(sizes)
        return CategoryCounts(self.rows + other.rows, by_column(total, sizes))

    def __sub__(self, other: CategoryCounts) -> CategoryCounts:
        """The counts without the rows of `other`, which must be among them."""
        sizes = self._room_for(other)
        left = self.flat(sizes) - other.flat(sizes)
        if np.any(left < -1e-9 * max(1.0, self.rows)):
            raise InvalidData("these rows were never added: a category has fewer rows than would be removed.")
        return CategoryCounts(self.rows - other.rows, by_column(np.maximum(left, 0.0), sizes))

    def flat(self, sizes: Whole | None = None) -> Floats:
        """The counts of all columns one after the other, (C,), each cut or filled up with zeros to its size."""
        return joined(self.counts, sizes)

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.flat()).all()) and bool(np.isfinite(self.rows))

    def _room_for(self, other: CategoryCounts) -> Whole:
        """How many categories each column has in the one or the other."""
        mine, theirs = sizes_of(self.counts), sizes_of(other.counts)
        if len(mine) != len(theirs):
            raise ValueError(f"CategoryCounts: counts of {len(mine)} and of {len(theirs)} columns cannot be added.")
        return np.maximum(mine, theirs)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        X = rng.integers(0, [2, 3, 5], (n, 3)).astype(float)
        X[rng.random((n, 3)) < 0.1] = np.nan
        return X, rng.integers(0, 3, n).astype(float)


def _check_sizes(sizes: Whole, columns: int) -> None:
    if len(sizes) != columns or sizes.min(initial=0) < 0 or sizes.sum() > _MOST:
        raise InvalidData(
            f"CategoryCounts: there must be a number of categories for each of {columns} columns, {_MOST:,} in all at "
            f"the most; got {sizes[:8].tolist()}. Codes are 0, 1, 2, …"
        )


def sizes_of(columns: Columns) -> Whole:
    """How many entries each column has, (d,)."""
    return np.fromiter((column.shape[-1] for column in columns), np.int64, len(columns))


def offsets_of(sizes: Whole) -> Whole:
    """Where the entries of each column begin, and where the last end, (d + 1,)."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def by_column(flat: Floats, sizes: Whole) -> tuple[Floats, ...]:
    """The entries (…, C) of each column, (…, K_j), which share the memory of all."""
    offsets = offsets_of(sizes).tolist()
    return tuple(flat[..., first:end] for first, end in pairwise(offsets))


def joined(columns: Columns, sizes: Whole | None = None) -> Floats:
    """The entries (…, K_j) of all columns one after the other, (…, C), cut or filled up with zeros to `sizes`.

    >>> joined([np.array([1.0, 2.0]), np.array([3.0])], np.array([1, 3]))
    array([1., 3., 0., 0.])
    """
    flat = np.concatenate(columns, axis=-1) if len(columns) else np.empty(0)
    own = sizes_of(columns)
    if sizes is None or np.array_equal(own, sizes):
        return flat
    place = np.arange(flat.shape[-1]) - np.repeat(offsets_of(own)[:-1], own)  # of an entry within its column
    kept = place < np.repeat(sizes, own)
    found = np.zeros((*flat.shape[:-1], int(sizes.sum())))
    found[..., (place + np.repeat(offsets_of(sizes)[:-1], own))[kept]] = flat[..., kept]
    return found


def column_totals(flat: Floats, sizes: Whole) -> Floats:
    """The sum of the entries (…, C) of each column, (…, d)."""
    some = sizes > 0  # a sum from one place to the same is that entry
    totals = np.zeros((*flat.shape[:-1], len(sizes)))
    if some.any():
        totals[..., some] = np.add.reduceat(flat, offsets_of(sizes)[:-1][some], axis=-1)
    return totals


def found_sizes(X: Numbers) -> Whole:
    """One more than the largest code of each column, (d,); 0 for a column without any."""
    largest = largest_codes(np.asarray(X))
    if np.isnan(largest).any():  # some cells are no codes
        largest = np.fmax.reduce(np.floor(X), axis=0)
        largest = np.where(np.isfinite(largest) & (largest >= 0), largest, -1.0)
    return np.asarray(np.minimum(largest, _MOST), dtype=np.int64) + 1
