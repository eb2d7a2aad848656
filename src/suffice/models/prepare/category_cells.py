"""Cells of one column as places among its categories, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_matrix

from ...typing import CSR, Flags, Floats, Labels, Numbers, Reals, Whole
from .categories import DROPPED, NO_COLUMN


def places_of(cells: Reals, codes: Floats, places: Whole) -> tuple[Whole, Flags]:
    """The place of each cell by that of its category, and which cells are of a category that is known.

    >>> places_of(np.array([2.0, np.nan, 7.0]), np.array([2.0, np.nan]), np.array([0, 1]))
    (array([ 0,  1, -2]), array([ True,  True, False]))
    """
    order = np.argsort(codes, kind="stable")  # a NaN is the last
    gaps = np.isnan(codes[order])
    known, last, own = codes[order][~gaps], np.flatnonzero(gaps), places[order]
    at = np.minimum(np.searchsorted(known, cells), max(len(known) - 1, 0))
    found = np.full(len(cells), NO_COLUMN, dtype=np.int64)
    match: Flags = known[at] == cells if len(known) else np.zeros(len(cells), dtype=bool)
    found[match] = own[at[match]]
    if len(last):
        missing = np.isnan(cells)
        found[missing], match = own[last[0]], match | missing
    return found, match


def sparse_flags(places: Whole, starts: Whole, dtype: DTypeLike) -> CSR:
    """A 1 in the column of each place that is at least 0, behind the start of its own columns."""
    there = places >= 0
    at = (places + starts[:-1])[there].astype(np.intp)
    ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    made: CSR = csr_matrix((np.ones(len(at), dtype), at, ends), shape=(len(places), int(starts[-1])))
    return made


def decoded(block: Numbers, labels: Labels, places: Whole, infrequent: int) -> Labels:
    """The category that each row of columns of 0 and 1 says; None or NaN where it is not known or infrequent."""
    empty: object = None if labels.dtype == object else np.nan
    of_place = np.full(len(labels) + 3, empty, dtype=labels.dtype if labels.dtype == object else np.float64)
    for place, label in zip(places, labels, strict=True):
        if place != infrequent:
            of_place[place] = label
    if not np.any(places == DROPPED):
        of_place[DROPPED] = empty
    zero = ~np.any(block, axis=1)
    return np.asarray(of_place[np.where(zero, DROPPED, np.argmax(block, axis=1) if block.shape[1] else DROPPED)])


def as_levels(cells: Reals, names: tuple[str, ...]) -> Labels:
    """The names of levels by their numbers, None where there is none; numbers where they have no names."""
    if not names:
        return cells
    whole = np.where(np.isnan(cells), len(names), np.clip(cells, 0, len(names))).astype(np.intp)
    return np.array([*names, None], dtype=object)[whole]
