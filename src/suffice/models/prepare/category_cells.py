"""Cells of one column as places among its categories, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_matrix

from ...backend import features
from ...typing import CSR, Floats, Labels, Reals, Whole

NOT_SEEN = -3  # the place of a category that is not known, where that is an error


@dataclass(frozen=True)
class CategoryTable:
    """Where the categories of several columns stand among the new columns of all.

    >>> codes, places = (np.array([2.0, np.nan]), np.array([5.0])), (np.array([0, 1]), np.array([0]))
    >>> table = CategoryTable.of(codes, places, np.array([2, 1]))
    >>> table.places(np.array([[2.0, 5.0], [np.nan, 7.0], [3.0, np.nan]]), np.array([-3, -3]))
    array([[ 0,  2],
           [ 1, -3],
           [-3, -3]])
    """

    levels: Floats  # the known numbers of each column, sorted, one column after the other
    starts: Whole  # where those of each column begin, (m + 1,)
    at: Whole  # the new column of each of them, below 0 where there is none
    missing: Whole  # that of missing cells, (m,)
    ends: Whole  # where the new columns of each column begin, and the end of the last, (m + 1,)

    @classmethod
    def of(cls, codes: Sequence[Floats], places: Sequence[Whole], widths: Whole) -> CategoryTable:
        """From the categories of each column and their places among its own new columns."""
        ends = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        moved = [np.where(own < 0, own, own + first) for own, first in zip(places, ends[:-1], strict=True)]
        order = [np.argsort(own, kind="stable")[: np.count_nonzero(~np.isnan(own))] for own in codes]  # NaN is the last
        gaps = [to[np.isnan(own)] for own, to in zip(codes, moved, strict=True)]
        return cls(
            np.concatenate([np.empty(0), *(own[by] for own, by in zip(codes, order, strict=True))]),
            np.cumsum([0, *map(len, order)], dtype=np.int64),
            np.concatenate([np.empty(0, np.int64), *(to[by] for to, by in zip(moved, order, strict=True))]),
            np.array([to[0] if len(to) else NOT_SEEN for to in gaps], dtype=np.int64),
            ends,
        )

    def places(self, X: Reals, unknown: Whole) -> Whole:
        """The new column of each cell, (n, m); those of categories that are not known, by column, are given."""
        others = np.where(unknown < 0, unknown, unknown + self.ends[:-1])
        missing = np.where(self.missing == NOT_SEEN, others, self.missing)
        return features.category_places(X, self.levels, self.starts, self.at, missing, others)


def sparse_flags(places: Whole, width: int, dtype: DTypeLike) -> CSR:
    """A 1 in the column of each place that is at least 0."""
    there = places >= 0
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    at = places[there]
    made: CSR = csr_matrix((np.ones(len(at), dtype), at, ends), shape=(len(places), width))
    return made


def labels_of(labels: Labels, places: Whole, infrequent: int) -> Labels:
    """The category of each place, the last that of none; None or NaN where it is not known or infrequent."""
    empty: object = None if labels.dtype == object else np.nan
    of_place = np.full(len(labels) + 3, empty, dtype=labels.dtype if labels.dtype == object else np.float64)
    known = places != infrequent
    of_place[places[known]] = labels[known]
    return of_place


def as_levels(cells: Reals, names: tuple[str, ...]) -> Labels:
    """The names of levels by their numbers, None where there is none; numbers where they have no names."""
    if not names:
        return cells
    whole = np.where(np.isnan(cells), len(names), np.clip(cells, 0, len(names))).astype(np.intp)
    return np.array([*names, None], dtype=object)[whole]
