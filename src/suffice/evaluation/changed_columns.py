"""A table in memory with other cells in some columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import narwhals as nw
import numpy as np
from narwhals.typing import IntoDataFrame

from ..data.rows import is_sparse
from ..errors import InvalidData, did_you_mean
from ..resampling.rows import count_rows, in_memory, rows_of
from ..typing import Labels, TableLike, Whole


class ChangedColumns:
    """A table whose columns can be read and replaced, by name or by position; what comes out is of its own kind."""

    def __init__(self, X: TableLike, owner: str) -> None:
        self._table, self._owner = in_memory(X, owner), owner
        if is_sparse(self._table):
            self._table = self._table.toarray()
        self.n = count_rows(self._table, owner)
        self._is_array = isinstance(self._table, np.ndarray)
        if self._is_array and self._table.ndim != 2:
            raise InvalidData(f"{owner}: X must have rows and columns; got an array of shape {self._table.shape}.")
        self.names = tuple(f"x{j}" for j in range(self._table.shape[1])) if self._is_array else self._frame_names()

    def place(self, column: str | int) -> int:
        """The position of a column that is named, or numbered from 0."""
        if isinstance(column, str) and column in self.names:
            return self.names.index(column)
        if isinstance(column, int | np.integer) and -len(self.names) <= column < len(self.names):
            return int(column) % len(self.names)
        guess, listed = did_you_mean(str(column), list(self.names)), ", ".join(self.names[:20])
        raise InvalidData(f"{self._owner}: X has no column {column!r}.{guess} Its columns: {listed}.")

    def cells(self, place: int) -> Labels:
        """The cells of a column, (n,)."""
        if self._is_array:
            return np.asarray(self._table[:, place])
        return np.asarray(self._frame()[self.names[place]].to_numpy())

    def some(self, rows: Whole) -> ChangedColumns:
        """A part of the rows."""
        return ChangedColumns(rows_of(self._table, rows), self._owner)

    def filled(self, places: Sequence[int], rows: Sequence[int]) -> TableLike:
        """The table with the cell of one row in all rows of a column, for some columns."""
        return self.taken(places, [np.full(self.n, row) for row in rows])

    def taken(self, places: Sequence[int], rows: Sequence[Whole]) -> TableLike:
        """The table with the cells of other rows in some columns."""
        if self._is_array:
            changed = self._table.copy()
            for place, own in zip(places, rows, strict=True):
                changed[:, place] = self._table[own, place]
            found: TableLike = changed
            return found
        frame = nw.maybe_reset_index(self._frame())
        columns = [
            nw.maybe_reset_index(frame[self.names[p]][own.tolist()]) for p, own in zip(places, rows, strict=True)
        ]
        return cast("TableLike", frame.with_columns(*columns).to_native())

    def _frame(self) -> nw.DataFrame[IntoDataFrame]:
        found: nw.DataFrame[IntoDataFrame] = nw.from_native(self._table, eager_only=True)
        return found

    def _frame_names(self) -> tuple[str, ...]:
        return tuple(map(str, self._frame().columns))
