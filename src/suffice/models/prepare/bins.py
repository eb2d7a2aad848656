"""Which bins cells fall into, and the middles of bins: block by block, on all threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...backend import features
from ...data.side_by_side import for_each
from ...typing import Floats, Reals

Constants = NDArray[np.floating]  # (m, d): numbers of each column
Fill = Callable[[Reals, Reals, Constants], None]  # of cells, what is found for them, and the constants of their columns

_BLOCK_CELLS = 1 << 16  # cells that a processor's own cache holds, with what is made of them
_COMPARED = 48  # inner edges: a cell is compared with as many as fast as a binary search finds its place
_SMALL = 1 << 12  # cells: fewer are done before anything is laid out
_WIDE = 256  # columns: of fewer, several rows are laid side by side


def bin_numbers(X: Reals, inner: Sequence[Floats]) -> Reals:
    """The bin of each cell, as many as inner edges of its column lie at or below it; NaN where it is missing."""
    numbers: Reals = np.empty_like(X)
    most = max(map(len, inner))
    if most > _COMPARED:
        for_each(range(len(inner)), lambda j: _search(X[:, j], inner[j], numbers[:, j]), X.size)
        return numbers
    edges = np.full((len(inner), most), np.inf)
    for own, row in zip(inner, edges, strict=True):
        row[: len(own)] = own
    _for_blocks(_count, X, numbers, np.ascontiguousarray(_rounded_up(edges, X.dtype).T))
    return numbers


def _count(cells: Reals, found: Reals, edges: Constants) -> None:
    count = np.zeros_like(cells, dtype=np.uint8)
    for edge in edges:
        count += cells >= edge
    np.subtract(cells, cells, out=found)  # 0, or NaN where it is missing
    found += count


def _search(cells: Reals, inner: Floats, found: Reals) -> None:
    np.add(cells - cells, np.searchsorted(inner, cells, side="right"), out=found, casting="same_kind")


def _rounded_up(edges: Floats, dtype: np.dtype[np.floating]) -> Reals:
    """Edges in the precision of the cells, so that a cell lies at or above one exactly where it did before."""
    rounded: Reals = edges.astype(dtype, copy=False)
    low = rounded < edges
    return np.where(low, np.nextafter(rounded, dtype.type(np.inf)), rounded) if low.any() else rounded


def bin_middles(numbers: Reals, edges: Sequence[Floats]) -> Reals:
    """The middle of the bin of each number, the outermost for numbers beyond, NaN where it is missing."""
    halves = [own / 2 for own in edges]
    starts = np.cumsum([0, *(len(own) - 1 for own in edges)], dtype=np.int64)
    return features.look_up(numbers, np.concatenate([own[:-1] + own[1:] for own in halves]), starts)


def bin_flags(numbers: Reals, bins: NDArray[np.int64]) -> Reals:
    """A column of 0 and 1 for each bin of each column, NaN where the number is missing."""
    missing = np.isnan(numbers)
    some = missing.any()
    places = (np.where(missing, 0, numbers) if some else numbers).astype(np.int64) + (np.cumsum(bins) - bins)
    flags = features.flags(places, int(bins.sum()), numbers.dtype)
    if some:
        flags[np.repeat(missing, bins, axis=1)] = np.nan
    return flags


def flagged_bins(flags: Reals, bins: NDArray[np.int64]) -> Reals:
    """The number of the bin of each column from columns of 0 and 1, NaN where these are missing."""
    ends = np.cumsum(bins)
    numbers = np.empty((len(flags), len(bins)), dtype=flags.dtype)
    for j, (first, end) in enumerate(zip(ends - bins, ends, strict=True)):
        own = flags[:, first:end]
        numbers[:, j] = np.where(np.isnan(own).any(axis=1), np.nan, np.argmax(np.nan_to_num(own), axis=1))
    return numbers


def _for_blocks(fill: Fill, X: Reals, found: Reals, constants: Constants) -> None:
    """Fill what is found for the cells, (n, d) both, in blocks of neighbours in memory; `constants` is (m, d).

    Blocks are some rows, laid side by side where they are short, or a part of a column of a table in Fortran order.
    """
    n, d = X.shape
    if X.flags.f_contiguous and not X.flags.c_contiguous:
        columns = [(X[:, j : j + 1], found[:, j : j + 1], constants[:, j : j + 1]) for j in range(d)]
        parts = columns
    else:
        fold = _fold(X)
        even = n - n % fold
        wide = (X[:even].reshape(-1, fold * d), found[:even].reshape(-1, fold * d), np.tile(constants, fold))
        parts = [part for part in (wide, (X[even:], found[even:], constants)) if len(part[0])]
    blocks = [
        (cells[i : i + height], out[i : i + height], own)
        for cells, out, own in parts
        for height in (max(1, _BLOCK_CELLS // cells.shape[1]),)
        for i in range(0, len(cells), height)
    ]
    for_each(blocks, lambda block: fill(*block), X.size)


def _fold(X: Reals) -> int:
    """How many rows are laid side by side, so that loops over columns are long."""
    n, d = X.shape
    return max(1, min(_WIDE // d, n)) if X.flags.c_contiguous and X.size > _SMALL else 1
