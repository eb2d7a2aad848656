"""How the cells of a table are coded for trees: where numbers are cut, and which categories there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from ..backend.growth import CODES, MISSING, Coded, Decoding, Sorted, code_rows, rank_rows
from ..backend.growth.decoding import code_thresholds, middles
from ..backend.growth.values import Bytes
from ..backend.threads import thread_count
from ..backend.weights import given_or_ones
from ..data import Schema, Source
from ..data.memory_pool import give_back
from ..typing import Flags, Floats, Whole
from .cells import as_columns, column_blocks, column_of

SAMPLE = 200_000  # rows from which cuts are found, where there are more
_WORTH_THREADS = 200_000  # cells
BINS = 255  # of a column of numbers, at the most
_OTHERS = BINS - 1  # the code of all rare categories, where there are too many


@dataclass(frozen=True, eq=False)
class Cuts:
    """The codes of the columns of a table.

    Numbers are cut at `edges` (d, 256), infinite behind the last: code c stands for what is above c edges and at most
    at the next. `low` and `high` (d, 256) are the least and the greatest value of a code that were seen, and `exact`
    (d,) says whether every value has a code of its own. Categories have the codes `recode[starts[j]:starts[j + 1]]`.

    >>> cuts = Cuts.of_rows(np.array([[1.0], [2.0], [4.0]]), None, {})
    >>> cuts.edges[0, :2], cuts.coded(np.array([[1.5], [9.0], [np.nan]])).codes.tolist()
    (array([1.5, 3. ]), [[0, 2, 255]])
    """

    edges: Floats
    low: Floats
    high: Floats
    exact: Flags
    recode: Bytes
    starts: Whole
    missing: ClassVar = MISSING

    @classmethod
    def of_source(cls, source: Source, categories: dict[int, int], bins: int = BINS) -> Cuts:
        """From the rows of a source, or a sample of them that does not depend on how they are cut.

        `categories` says of some columns how many categories they have.
        """
        sample = source.sample(SAMPLE)
        if source.in_memory is None:
            give_back()
        return cls.of_rows(sample.X, sample.weight, categories, bins, len(sample) < SAMPLE)

    @classmethod
    def of_rows(
        cls, X: Array, weight: Floats | None, categories: dict[int, int], bins: int = BINS, all_rows: bool = True
    ) -> Cuts:
        """From rows in memory, dense or sparse; `all_rows` says that there are no others."""
        n, d = X.shape
        if 0 < n <= bins and weight is None and not categories and isinstance(X, np.ndarray) and not np.isnan(X).any():
            return cls._of_few(X.astype(np.float64, copy=False) + 0.0, all_rows)
        X = as_columns(X)
        edges, low, high = (np.full((d, CODES), np.inf) for _ in range(3))
        exact, recode = np.zeros(d, dtype=bool), [np.zeros(0, dtype=np.uint8)] * d

        def find(j: int) -> None:
            if j in categories:
                recode[j] = _codes_of(column_of(X, j), given_or_ones(weight, n), categories[j])
                exact[j] = True
                return
            first, last, distinct = _bins(column_of(X, j) + 0.0, weight, bins)
            edges[j, : len(first) - 1] = middles(last[:-1], first[1:])
            low[j, : len(first)], high[j, : len(first)] = first, last
            exact[j] = distinct and all_rows

        each_on_threads(find, d, n * d)
        starts = np.concatenate([[0], np.cumsum([len(own) for own in recode])]).astype(np.int64)
        return cls(edges, low, high, exact, np.concatenate(recode), starts)

    @classmethod
    def _of_few(cls, X: Floats, all_rows: bool) -> Cuts:
        """From so few rows that every value has a code of its own: all columns at once."""
        n, d = X.shape
        ordered = np.sort(X, axis=0).T
        first = np.ones((d, n), dtype=bool)
        np.not_equal(ordered[:, 1:], ordered[:, :-1], out=first[:, 1:])
        values = np.full((d, CODES), np.inf)
        column, place = np.nonzero(first)
        code = np.cumsum(first, axis=1)[column, place] - 1
        values[column, code] = ordered[column, place]
        edges = np.full((d, CODES), np.inf)
        most = int(code.max()) + 1
        below, above = values[:, : most - 1], values[:, 1:most]
        edges[:, : most - 1] = np.where(np.isinf(above), np.inf, middles(below, above))
        none = np.zeros(0, dtype=np.uint8)
        return cls(edges, values, values, np.full(d, all_rows), none, np.zeros(d + 1, dtype=np.int64))

    @property
    def categorical(self) -> Flags:
        """Which columns are categories, (d,)."""
        return np.asarray(np.diff(self.starts) > 0)

    @property
    def words(self) -> Whole:
        """Of how many words a set of the categories of each column is, (d,); 0 for numbers."""
        return np.asarray(-(-np.diff(self.starts) // 64), dtype=np.int64)

    def coded(self, X: Array) -> Coded:
        """The codes of rows in memory, dense or sparse."""
        parts = [code_rows(cells, self.edges[own], *self._categories(own)) for own, cells in column_blocks(X)]
        return Coded(parts[0] if len(parts) == 1 else np.concatenate(parts), self.categorical, self.high)

    def _categories(self, own: slice) -> tuple[Bytes, Whole]:
        """The codes of categories of some columns, and where those of each begin."""
        starts = self.starts[own.start : own.stop + 1]
        return self.recode[starts[0] : starts[-1]], starts - starts[0]

    def sorted(self, X: Array) -> Sorted:
        """The ranks of rows in memory, dense or sparse: every value of a column is one of its own."""
        parts = [rank_rows(cells, *self._categories(own)) for own, cells in column_blocks(X)]
        ranks, order = (own[0] if len(own) == 1 else np.concatenate(own) for own in list(zip(*parts, strict=True))[:2])
        return Sorted(ranks, order, self.categorical, tuple(values for part in parts for values in part[2]))

    def thresholds(self, column: Whole, last: Whole, after: Whole) -> Floats:
        """Up to which number rows go left, where `last` is the greatest code on the left, `after` the least beyond."""
        return code_thresholds(self.decoding(), column, last, after)

    def decoding(self, centre: Floats | None = None) -> Decoding:
        """What codes stand for, and means, to which `centre` is added."""
        return Decoding(self.edges, self.low, self.high, self.exact, self.recode, self.starts, centre)


def sorted_thresholds(table: Sorted) -> Callable[[Whole, Whole, Whole], Floats]:
    """The same for ranks: the middle between the values of two."""

    def thresholds(column: Whole, last: Whole, after: Whole) -> Floats:
        found = np.full(len(column), np.inf)
        for j in np.unique(column):
            own = (column == j) & (after != last)
            found[own] = middles(table.values[j][last[own]], table.values[j][after[own]])
        return found

    return thresholds


def each_on_threads(work: Callable[[int], None], count: int, cells: int) -> None:
    """Call `work` with every number below `count`, side by side where there is much to do."""
    threads = min(thread_count(), count) if cells > _WORTH_THREADS else 1
    if threads < 2:
        for j in range(count):
            work(j)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(count)))


def category_counts(schema: Schema, asked: Sequence[int]) -> dict[int, int]:
    """How many categories the columns of text have, and 0 for those that are numbers and asked for as categories."""
    text = {j: len(schema.columns[j].categories) for j in schema.text_columns}
    return {**dict.fromkeys(asked, 0), **text}


def _codes_of(column: Floats, weight: Floats, count: int) -> Bytes:
    """The code of each category: its own, or that of all rare ones where there are more than 255."""
    known = column[~np.isnan(column)]
    count = max(count, int(known.max()) + 1 if len(known) else 0, 1)
    if count <= BINS:
        return np.arange(count, dtype=np.uint8)
    there = ~np.isnan(column) & (column >= 0)
    mass = np.bincount(column[there].astype(np.int64), weight[there], minlength=count)
    codes = np.full(count, _OTHERS, dtype=np.uint8)
    codes[np.sort(np.argsort(-mass, kind="stable")[:_OTHERS])] = np.arange(_OTHERS)
    return codes


def _distinct(x: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """The distinct values, rising, and the weight of each; x is sorted in its place."""
    if weight is None:
        x.sort()
        first = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
        mass = np.diff(first, append=len(x)).astype(np.float64)
        return x if len(first) == len(x) else x[first], mass
    values, at = np.unique(x, return_inverse=True)
    return values, np.asarray(np.bincount(at, weight), dtype=np.float64)


def _bins(x: Floats, weight: Floats | None, most: int) -> tuple[Floats, Floats, bool]:
    """The least and the greatest value of each bin, and whether each is one value alone.

    Threads do this for many columns at once, so that numbers are written over others that are no longer needed.
    """
    there = ~np.isnan(x) if weight is None else ~np.isnan(x) & (weight > 0)
    if not there.all():
        x, weight = x[there], None if weight is None else weight[there]
    if len(x) == 0:
        return np.zeros(1), np.zeros(1), True
    values, mass = _distinct(x, weight)
    if len(values) <= most:
        return values, values, True
    for _ in range(3):  # what is heavier than a bin has one alone, and the others share what is left
        np.minimum(mass, mass.sum() / most, out=mass)
    share = np.cumsum(mass)
    whole = share[-1]
    mass /= 2
    middle = np.subtract(share, mass, out=share)
    middle *= most
    middle /= whole
    number = np.minimum(middle, most - 1, out=middle).astype(np.int16)
    first: Whole = np.flatnonzero(np.diff(number, prepend=-1))
    last = np.append(first[1:] - 1, len(values) - 1)
    return values[first], values[last], False
