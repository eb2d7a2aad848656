"""The distinct rows of categories of a table, and the moves of k-modes among them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...backend import columns
from ...data import Chunk
from ...typing import Floats, Whole
from .alternation import weights
from .prototypes import Rows

_MOST_CELLS = 1 << 24  # of distinct rows: with more, rows are not moved one by one


@dataclass(frozen=True)
class DistinctRows:
    """Distinct rows of codes (m, d) in rising order, -1 where a cell is missing, with their weights (m,).

    Too many of them are None: what is too much for a part is too much for the whole.
    """

    codes: Whole | None
    weight: Floats

    @classmethod
    def of(cls, chunk: Chunk) -> DistinctRows:
        """Those of some coded rows that have a weight."""
        codes = np.nan_to_num(chunk.X, nan=-1.0).astype(np.int64)
        some = weights(chunk) > 0
        return cls._merged(codes[some], weights(chunk)[some])

    def __add__(self, other: DistinctRows) -> DistinctRows:
        if self.codes is None or other.codes is None:
            return DistinctRows(None, np.zeros(0))
        return self._merged(np.vstack([self.codes, other.codes]), np.append(self.weight, other.weight))

    @classmethod
    def _merged(cls, codes: Whole, weight: Floats) -> DistinctRows:
        order = _rising(codes)
        ordered = codes[order]
        is_new = np.append(True, np.any(ordered[1:] != ordered[:-1], axis=1))[: len(order)]
        total = np.add.reduceat(weight[order], np.flatnonzero(is_new)) if len(order) else weight
        return cls(ordered[is_new], total) if is_new.sum() * codes.shape[1] <= _MOST_CELLS else cls(None, np.zeros(0))


def _rising(codes: Whole) -> Whole:
    """The rows in rising order: by one number each where that holds their codes, else column by column."""
    sizes = codes.max(axis=0, initial=-1) + 2
    if np.sum(np.log2(sizes)) > 62:
        return np.lexsort(codes.T[::-1])
    place = np.append(np.cumprod(sizes[:0:-1])[::-1], 1)  # what a column counts
    return np.argsort((codes + 1) @ place, kind="stable")


@dataclass
class OnlinePasses:
    """Moves of distinct rows, all that are equal together, until none lowers the cost of k-modes (Hartigan & Wong).

    Equal rows move together and in the order of their categories, so that neither weights nor the order of rows matter.
    """

    rows: Rows

    @cached_property
    def distinct(self) -> DistinctRows:
        """The distinct rows of the table."""
        return self.rows.source.reduce(DistinctRows.of)

    def improved(self, modes: Floats, passes: int = 100) -> Floats:
        """Modes of no higher cost; the centres themselves where some columns are numbers."""
        coding, k = self.rows.metric.coding, len(modes)
        if coding.numbers or k < 2 or not coding.offsets[-1] or self.distinct.codes is None:
            return modes
        codes, weight, offsets = self.distinct.codes, self.distinct.weight, coding.offsets
        values = np.where(codes < 0, np.nan, codes).astype(np.float64)
        labels = np.asarray(self.rows.metric.nearest(Chunk(values, None, weight), modes)[0])
        counts = np.asarray(columns.category_counts(values, labels, k, offsets, weight))
        for _ in range(passes):
            labels, counts, moved = columns.mode_moves(codes, weight, offsets, labels, counts)
            if not moved:
                break
        return _modes(counts, offsets, modes)


def _modes(counts: Floats, offsets: Whole, before: Floats) -> Floats:
    """The most frequent category of each cluster and column, the first of equals; as before where there is none."""
    after = before.copy()
    for j in range(before.shape[1]):
        own = counts[:, offsets[j] : offsets[j + 1]]
        if own.size:
            after[:, j] = np.where(own.any(axis=1), own.argmax(axis=1), before[:, j])
    return after
