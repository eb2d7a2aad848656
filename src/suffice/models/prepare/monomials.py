"""Monomials of columns: how many there are, which columns each is a product of, and their values in sparse rows.

Those of one degree stand in the order of their columns: x₁², x₁x₂, …, x₂², …. `once` says that no column is multiplied
with itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from ...errors import MemoryNeeded
from ...typing import CSR, Reals, Whole

_MOST_CELLS = 1 << 29  # of sparse products made at once


def how_many(columns: int, degree: int, once: bool) -> int:
    """The number of monomials of a degree.

    >>> how_many(3, 2, once=False), how_many(3, 2, once=True)
    (6, 3)
    """
    return comb(columns, degree) if once else comb(columns + degree - 1, degree) if columns else int(degree == 0)


def factors(columns: int, degrees: Whole, once: bool) -> Iterator[Whole]:
    """The columns that are multiplied in the monomials of each of some degrees, (count, degree).

    >>> [made.tolist() for made in factors(2, np.array([1, 2]), once=False)]
    [[[0], [1]], [[0, 0], [0, 1], [1, 1]]]
    """
    held = np.zeros((1, 0), dtype=np.int64)
    for degree in range(max(degrees, default=0) + 1):
        if degree:
            held = _multiplied(held, columns, once)
        if degree in degrees:
            yield held


def _multiplied(held: Whole, columns: int, once: bool) -> Whole:
    """The next degree: each column times those monomials that begin with it or, where it stands `once`, after it."""
    leading = held[:, 0] if held.shape[1] else np.full(len(held), columns)
    begin = np.searchsorted(leading, np.arange(columns) + once)
    count = len(held) - begin
    first = np.repeat(np.arange(columns), count)
    rows = np.arange(len(first)) - np.repeat(np.cumsum(count) - count - begin, count)
    return np.column_stack([first, held[rows]])


def of_sparse_rows(X: CSR, degrees: Whole, once: bool, owner: str) -> CSR:
    """The monomials of sparse rows: products of the cells that are there, by degree; those of others are 0."""
    products = _Products(X, once, owner)
    held: list[tuple[Whole, Whole, Reals]] = []
    width = 0
    for degree in range(max(degrees, default=0) + 1):
        if degree:
            products.multiply()
        if degree in degrees:
            held.append((products.row, products.place + width, products.value))
            width += how_many(X.shape[1], degree, once)
    row, place, value = (np.concatenate(parts) for parts in zip(*held, strict=True))
    order = np.argsort(row, kind="stable")  # each row has its lower degrees first
    ends = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=X.shape[0]))])
    index = np.int32 if max(width, len(row)) <= np.iinfo(np.int32).max else np.int64
    cells = value[order], place[order].astype(index), ends.astype(index)
    made: CSR = type(X)(cells, shape=(X.shape[0], width))
    return made


class _Products:
    """The monomials of one degree in sparse rows that are not 0, by row and place, and how to come to the next."""

    def __init__(self, X: CSR, once: bool, owner: str) -> None:
        n, self.columns = X.shape
        self.once, self.owner, self.degree = once, owner, 0
        self.cells, self.at = X.data, X.indices.astype(np.int64)
        self.cell_row = np.repeat(np.arange(n), np.diff(X.indptr))
        self.row, self.place = np.arange(n), np.zeros(n, dtype=np.int64)
        self.leading, self.value = np.full(n, self.columns), np.ones(n, X.dtype)

    def multiply(self) -> None:
        """Multiply each cell with the monomials of its row that begin with its column, or after it."""
        step = self.columns + 2  # a leading column may be one too many
        keys, wanted = self.row * step + self.leading, self.cell_row * step + self.at + self.once
        begin, end = np.searchsorted(keys, wanted), np.searchsorted(keys, (self.cell_row + 1) * step)
        count = end - begin
        total = int(count.sum())
        if total > _MOST_CELLS:
            raise MemoryNeeded(
                f"{self.owner}: the products of degree {self.degree + 1} fill {total:,} cells, and at most "
                f"{_MOST_CELLS:,} are made at once; take a lower degree, or fewer columns."
            )
        cell = np.repeat(np.arange(len(count)), count)
        old = np.arange(total) - np.repeat(np.cumsum(count) - count - begin, count)
        self.place = self.place[old] + self._moved()[cell]
        self.row, self.leading, self.value = self.cell_row[cell], self.at[cell], self.value[old] * self.cells[cell]
        self.degree += 1

    def _moved(self) -> Whole:
        """By how many places a monomial moves that is multiplied with each cell."""
        d, k = self.columns, self.degree
        columns, which = np.unique(self.at, return_inverse=True)

        def before(j: int, degree: int) -> int:
            return how_many(d, degree, self.once) - how_many(d - j, degree, self.once)

        moved = [before(j, k + 1) - before(j + self.once, k) for j in columns.tolist()]
        return np.array(moved, dtype=np.int64)[which]
