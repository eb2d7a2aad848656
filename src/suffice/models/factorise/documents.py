"""Rows of numbers that are not negative, most of them often 0, with something kept for each from pass to pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from scipy import sparse

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...data.validate import sparse_place
from ...errors import InvalidData
from ...statistics import row_uniforms
from ...typing import Floats, Whole
from .cells import Cells


@dataclass(frozen=True)
class Documents:
    """Some rows: their cells above 0, the cells that are missing, and what each row counts."""

    cells: Cells
    gone: sparse.csr_array | None  # 1 where a cell is missing, (n, d)
    weight: Floats | None

    @classmethod
    def of(cls, chunk: Chunk, owner: str) -> Documents:
        """Those of checked rows."""
        check_not_negative(chunk, owner)
        return cls(Cells.of(chunk.X, zeros=False), missing_cells(chunk.X), chunk.weight)

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def turned(self) -> tuple[Whole, Whole, Floats]:
        """The cells column by column: where each begins, their rows, and their values by the weight of the row."""
        starts, rows, place = self.cells.turned
        values = self.cells.values[place]
        return starts, rows, values if self.weight is None else values * self.weight[rows]

    @property
    def counts(self) -> Floats:
        """What each row counts, (n,)."""
        return given_or_ones(self.weight, len(self))

    @cached_property
    def shares(self) -> Floats:
        """The cells as shares of the words of their row, (cells,)."""
        return np.asarray(self.cells.values / self.cells.row_sums(self.cells.values)[self.cells.rows])

    @cached_property
    def words(self) -> Floats:
        """How many words of each kind there are by weight, (d,)."""
        return self.cells.column_sums(self.cells.values * self.counts[self.cells.rows])

    def weighted(self, rows: Floats) -> Floats:
        """Rows by what they count, (n, k)."""
        return rows if self.weight is None else rows * self.weight[:, None]

    def luck(self, seed: int) -> Floats:
        """A number in (0, 1) for each row (n,) that depends on its cells and the seed alone."""
        digits = np.random.default_rng(0).random(self.cells.d)
        return row_uniforms(self.cells.row_sums(self.cells.values * digits[self.cells.columns])[:, None], seed)

    def less(self, totals: Floats, columns: Floats) -> Floats | None:
        """What of the totals (k,) of all columns (d, k) each row sees, (n, k); None where nothing is missing."""
        return None if self.gone is None else np.maximum(totals - np.asarray(self.gone @ columns), 0.0)


def missing_cells(X: Any) -> sparse.csr_array | None:
    """1 where a cell is missing; None where none is."""
    bad = np.isnan(X.data if is_sparse(X) else X)
    if not bad.any():
        return None
    if not is_sparse(X):
        return sparse.csr_array(bad.astype(np.float64))
    gone = sparse.csr_array((bad.astype(np.float64), X.indices, X.indptr), shape=X.shape, copy=True)
    gone.eliminate_zeros()  # in place, hence the copy
    return gone


def check_not_negative(chunk: Chunk, owner: str) -> None:
    """Refuse the first cell below 0; missing ones are none."""
    X = chunk.X
    cells = X.data if is_sparse(X) else X
    bad = cells < 0
    if not bad.any():
        return
    if is_sparse(X):
        place, value = sparse_place(X, bad, chunk.number), X.data[int(np.argmax(bad))]
    else:
        i, j = np.argwhere(bad)[0]
        place, value = f"{chunk.number(i)}, column {j}", X[i, j]
    raise InvalidData(
        f"{owner}: row {place} holds {value:g}. Negative values in data passed to {owner} (input X) cannot be used; "
        "drop the row or mend the cell."
    )


class Sums(Protocol):
    """What adds up."""

    def __add__(self, other: object, /) -> object: ...


S = TypeVar("S", bound=Sums)


class Pieces(Protocol):
    """Documents piece by piece, as often as they are asked for."""

    def pieces(self) -> Iterator[tuple[slice, Documents]]: ...


class Passes:
    """Passes over the documents of a source, in the order of the rows; those in memory are found once."""

    def __init__(self, source: Source, owner: str) -> None:
        self.source, self.owner = source, owner
        rows = source.in_memory
        self._inside = None if rows is None else Documents.of(rows, owner)

    def pieces(self) -> Iterator[tuple[slice, Documents]]:
        """Documents, and which rows of the source they are."""
        first = 0
        with closing(self.source.watched()) as chunks:
            for chunk in chunks:
                found = Documents.of(chunk, self.owner) if self._inside is None else self._inside
                yield slice(first, first + len(found)), found
                first += len(found)
        if not first:
            raise InvalidData(f"{self.owner}: {self.source} has no rows; at least 1 is needed.")
