"""Lists of neighbours, and how they are read off a matrix of distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...typing import Floats, Reals, Whole


class Nearest(NamedTuple):
    """Distances (m, k), ascending, and the rows they are from (m, k)."""

    distances: Floats
    rows: Whole

    @classmethod
    def room(cls, m: int, k: int) -> Nearest:
        """Arrays to fill."""
        return cls(np.empty((m, k)), np.empty((m, k), dtype=np.int64))


class Within(NamedTuple):
    """The lists of all queries one after the other: query i has those from ends[i - 1] to ends[i], ascending."""

    ends: Whole
    distances: Floats
    rows: Whole

    def starts(self) -> Whole:
        """Where each list begins."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)[: len(self.ends)]

    def queries(self) -> Whole:
        """The query that each row is from."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    @classmethod
    def made(cls, lists: tuple[Whole, Floats, Whole]) -> Within:
        """From what a kernel returns, its whole numbers as NumPy's own."""
        ends, distances, rows = lists
        return cls(ends.view(np.int64), distances, rows.view(np.int64))


def nearest_of(values: Reals, k: int) -> Nearest:
    """The k nearest of each row of a matrix of distances (m, n)."""
    m, n = values.shape
    D = np.where(np.isnan(values), np.inf, values).astype(np.float64, copy=False)
    some = min(k, n)
    if some < n // 4:  # all that may be among the first, then in order
        limit = np.partition(D, some - 1, axis=1)[:, some - 1 : some]
        D = np.where(limit >= D, D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :some]
    found = np.take_along_axis(D, order, axis=1)
    out = Nearest(np.full((m, k), np.inf), np.full((m, k), -1, dtype=np.int64))
    out.distances[:, :some] = found
    out.rows[:, :some] = np.where(np.isinf(found), -1, order)
    return out


def within_of(values: Reals, radius: float) -> Within:
    """The entries of a matrix of distances (m, n) that are at most the radius."""
    near = values <= radius
    at, rows = np.nonzero(near)
    found = values[at, rows].astype(np.float64)
    order = np.lexsort((rows, found, at))
    return Within(np.cumsum(near.sum(axis=1)), found[order], rows[order].astype(np.int64))
