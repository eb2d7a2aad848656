"""Missing values: where they are in the table, and what share of each column they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.rows import is_gap
from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, TableLike
from . import style, tables
from .display import Columns, Display

MOST_BLOCKS = 200  # rows of the picture


@dataclass(eq=False, repr=False)
class MissingnessDisplay(Display):
    """The table from top to bottom, dark where values are missing, with the share missing above each column.

    Where there are more rows than lines in a picture, a line stands for a block of rows and its shade for the share
    that is missing there.

    >>> shown = MissingnessDisplay(("a", "b"), np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([0.0, 0.5]), 2)
    >>> shown.table()["share"]
    array([0. , 0.5])
    """

    names: Sequence[str]
    blocks: Floats  # (blocks, d): the share missing
    share: Floats  # (d,)
    n_rows: int
    note: str = ""

    @classmethod
    def from_table(cls, X: Any, names: Sequence[str] | None = None, *, most: int = 40, ax: AxesLike = None) -> Self:
        """Any table: an array, a frame, or a mapping of columns; of many columns those with most missing values."""
        who = cls.__name__
        known, is_missing = missing_cells(X, names, who)
        n, d = is_missing.shape
        if not n or not d:
            raise InvalidData(f"{who}: the table has no {'rows' if d else 'columns'}; at least 1 is needed.")
        share = is_missing.mean(axis=0)
        kept = np.sort(np.argsort(-share, kind="stable")[:most])
        starts = np.linspace(0, n, min(n, MOST_BLOCKS) + 1).astype(int)
        sums = np.add.reduceat(is_missing[:, kept], starts[:-1], axis=0, dtype=float)
        note = "" if len(kept) == d else f"{len(kept):,} of {d:,} columns: those with most missing values"
        return cls([known[j] for j in kept], sums / np.diff(starts)[:, None], share[kept], n, note).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        d = len(self.names)
        self.ax_ = style.new_axes(ax, (min(max(3.6, 0.32 * d + 1.2), 10.0), 3.6))
        self.figure_ = self.ax_.figure
        ends = (-0.5, d - 0.5, self.n_rows, 0)
        look = {"cmap": style.shades(style.COLOURS[1]), "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        self.ax_.imshow(self.blocks, extent=ends, aspect="auto", **look)
        for j in range(1, d):
            self.ax_.axvline(j - 0.5, color=style.FAINT, linewidth=0.8)
        style.dress(self.ax_, y="row")
        style.matrix_axes(self.ax_)
        for side in self.ax_.spines.values():
            side.set_visible(True)
            side.set_color(style.QUIET)
        style.names_below(self.ax_, self.names)
        self._shares()
        return self

    def table(self) -> Columns:
        """One row a column."""
        missing = np.rint(self.share * self.n_rows).astype(np.int64)
        return {"name": np.array(self.names), "missing": missing, "share": self.share}

    def _shares(self) -> None:
        ax = self.ax_
        above = ax.secondary_xaxis("top")
        words = [_percent(share) for share in self.share]
        crowded = len(words) > 12
        above.set_xticks(range(len(words)), words, fontsize=min(7.0, style.tick_size(len(words))))
        above.tick_params(length=0, colors=style.INK, rotation=90 if crowded else 0)
        above.spines["top"].set_visible(False)
        head = "missing in each column" if self.share.any() else "no value is missing"
        ax.set_title(head + (f" ({self.note})" if self.note else ""), fontsize=style.SMALL, loc="left")


def _percent(share: float) -> str:
    if share == 0:
        return "0"
    return "<1%" if share < 0.01 else ">99%" if 0.99 < share < 1 else f"{100 * share:.0f}%"


def missing_cells(X: TableLike, names: Sequence[str] | None, who: str) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """The names of the columns, and for each cell whether it is missing: null, None or NaN."""
    frame = tables.as_frame(X)
    if frame is not None:
        columns = [_missing_in(series) for series in frame.iter_columns()]
        known = tables.column_names(names if names is not None else frame.columns, len(columns), who)
    elif isinstance(X, Mapping):
        columns = [_absent(np.asarray(column)) for column in X.values()]
        known = tables.column_names(X, len(columns), who)
    else:
        cells = np.asarray(X)
        if cells.ndim not in (1, 2):
            raise InvalidData(f"{who}: the table has {cells.ndim} dimensions; give rows and columns.")
        cells = cells[:, None] if cells.ndim == 1 else cells
        columns = [_absent(column) for column in cells.T]
        known = tables.column_names(names, len(columns), who)
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        raise InvalidData(f"{who}: the columns have {min(lengths)} to {max(lengths)} rows; give columns of one length.")
    return known, np.column_stack(columns) if columns else np.zeros((0, 0), dtype=bool)


def _missing_in(series: Any) -> NDArray[np.bool_]:
    gone = series.is_null()
    if series.dtype.is_float():
        gone = gone | series.is_nan().fill_null(True)
    return np.asarray(gone.to_numpy(), dtype=bool)


def _absent(column: NDArray[np.generic]) -> NDArray[np.bool_]:
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    if column.dtype.kind != "O":
        return np.zeros(len(column), dtype=bool)
    return np.array([is_gap(value) for value in column.tolist()], dtype=bool)
