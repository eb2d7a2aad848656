"""Rows that a sampler drew from a frame, as a frame of the same kind: what is copied stays what it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...data import Chunk
from ...typing import Codes, Reals
from .sampler import Rows

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.typing import IntoDataFrame, IntoSeries


def as_given(frame: nw.DataFrame[IntoDataFrame], chunk: Chunk, drawn: Rows) -> object:
    """The drawn rows of the table that `chunk` holds as numbers and codes.

    Whole numbers stay whole where all new ones are. A new category is taken from a row that has it.
    """
    import narwhals as nw

    found = frame[drawn.places.tolist()]
    new = np.flatnonzero(drawn.made)
    if not len(new):
        return found.to_native()
    found = nw.maybe_reset_index(found)
    columns = []
    for j, name in enumerate(frame.columns):
        cells = drawn.X[new, j]
        if j in drawn.categories:
            donors = drawn.places.copy()
            donors[new] = _holding(np.asarray(chunk.X)[:, j], cells, donors[new])
            columns.append(nw.maybe_reset_index(frame.select(name)[donors.tolist()])[name])
        else:
            columns.append(_with_cells(found[name], new, cells))
    return found.with_columns(*columns).to_native()


def _holding(column: Reals, cells: Reals, own: Codes) -> Codes:
    """For each cell a row of the table that holds it: its own row where that does."""
    codes, first = np.unique(column, return_index=True)
    same = (column[own] == cells) | np.isnan(cells)
    return np.where(same, own, first[np.minimum(np.searchsorted(codes, cells), len(codes) - 1)])


def _with_cells(column: nw.Series[IntoSeries], at: Codes, cells: Reals) -> nw.Series[IntoSeries]:
    """The column with new numbers at some places; missing ones are missing there already."""
    import narwhals as nw

    known = ~np.isnan(cells)
    at, cells = at[known], cells[known]
    if np.all(cells == np.rint(cells)) or column.dtype.is_float():
        whole = not column.dtype.is_float()
        return column.scatter(at.tolist(), cells.astype(np.int64 if whole else cells.dtype).tolist())
    return column.cast(nw.Float64).scatter(at.tolist(), cells.tolist())
