"""Parallel coordinates: every row is a line across the columns, each column on a scale of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..text import figure
from ..typing import Axes, AxesLike, Floats, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display
from .searched import Searched, parameter_column

MOST_LINES = 1000
_SHARES = (0.1, 0.5)  # of the candidates of a search
_QUALITY = ("best tenth", "better half", "worse half")


@dataclass(eq=False, repr=False)
class ParallelDisplay(Display):
    """Lines across columns; below and above each column stand its least and its greatest value.

    A line is broken where a value is missing; a constant column is crossed in the middle.

    >>> ParallelDisplay(("a", "b"), np.array([[1.0, 5.0], [2.0, 5.0]])).heights()
    array([[0. , 0.5],
           [1. , 0.5]])
    """

    names: Sequence[str]
    values: Floats  # (shown, d)
    codes: NDArray[np.int64] | None = None  # (shown,)
    groups: Sequence[str] = ("",)
    note: str = ""
    ticks: Sequence[Sequence[tuple[float, str]]] = ()  # of each column, what stands at which values beside its line

    @classmethod
    def from_table(
        cls,
        X: TableLike,
        names: Sequence[str] | None = None,
        *,
        groups: TargetLike = None,
        most: int = 20,
        most_rows: int = MOST_LINES,
        ax: AxesLike = None,
    ) -> Self:
        """The first `most` columns of a table, at most `most_rows` of its rows, coloured by groups."""
        table, parts, shown, note = tables.some_rows(X, names, groups, cls.__name__, most, most_rows)
        return cls(table.names, table.values[shown], parts.codes[shown], parts.names, note).drawn(ax)

    @classmethod
    def from_search(cls, found: Searched, *, ax: AxesLike = None) -> Self:
        """What `search` found: a line for each candidate across its parameters and the measure, by how good it is."""
        done = [one for one in found.ranking if np.isfinite(one.values[found.measure.name])]
        names = found.names
        columns = [parameter_column(found, done, name) for name in names]
        measured = np.array([one.values[found.measure.name] for one in done])
        values = np.column_stack([*(column for column, _ in columns), measured])
        place = np.arange(len(done)) / max(len(done), 1)
        codes = np.searchsorted(_SHARES, place, side="right").astype(np.int64)
        ends = [(float(end), figure(float(end), 3)) for end in (measured.min(), measured.max())] if len(done) else []
        ticks = (*(own for _, own in columns), tuple(ends))
        return cls((*names, found.measure.name), values, codes, _QUALITY, "", ticks).drawn(ax)

    def heights(self) -> Floats:
        """Where each value stands between the least and the greatest of its column, (shown, d)."""
        with np.errstate(all="ignore"):
            low, high = self.ends()
            spread = high - low
            return np.where(spread > 0, (self.values - low) / np.where(spread > 0, spread, 1), 0.5 + 0 * self.values)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        d = len(self.names)
        self.ax_ = style.new_axes(ax, (min(max(4.6, 0.9 * d + 1.2), 10.0), 3.2))
        self.figure_ = self.ax_.figure
        self._lines()
        self._scales()
        style.group_legend(self.ax_, self.groups)
        style.note(self.ax_, self.note)
        return self

    def row_codes(self) -> NDArray[np.int64]:
        """The group of each row that is shown."""
        return tables.codes_or_zeros(self.codes, len(self.values))

    def table(self) -> Columns:
        """The values that are shown, and the group of each row."""
        columns = {name: self.values[:, j] for j, name in enumerate(self.names)}
        return {"group": np.array(self.groups)[self.row_codes()], **columns}

    def ends(self) -> tuple[Floats, Floats]:
        """The least and the greatest value of each column; infinite where there is none."""
        known = np.isfinite(self.values)
        return (
            np.where(known, self.values, np.inf).min(axis=0),
            np.where(known, self.values, -np.inf).max(axis=0),
        )

    def marks(self, column: int) -> list[tuple[float, str]]:
        """The heights of what stands beside a column, and the words."""
        low, high = (float(end[column]) for end in self.ends())
        own = self.ticks[column] if self.ticks else ()
        spread = high - low
        return [((value - low) / spread if spread > 0 else 0.5, words) for value, words in own]

    def _lines(self) -> None:
        from matplotlib.collections import LineCollection

        heights, codes = self.heights(), self.row_codes()
        across = np.broadcast_to(np.arange(heights.shape[1]), heights.shape)
        order = np.random.default_rng(0).permutation(len(heights))  # so that no group covers the others
        lines = np.stack([across, heights], axis=2)[order]
        colours = np.array([style.look(k)[0] for k in range(len(self.groups))])[codes[order]]
        alpha = float(np.clip(40 / len(heights), 0.12, 0.8))
        look = {"linewidths": 0.8, "alpha": alpha, "rasterized": len(heights) > 200}
        self.ax_.add_collection(LineCollection(list(lines), colors=list(colours), **look))

    def _scales(self) -> None:
        ax, d = self.ax_, len(self.names)
        style.dress(ax)
        style.matrix_axes(ax)
        ax.set_xlim(-0.3, d - 0.7)
        ax.set_ylim(-0.14, 1.14)
        ax.set_yticks([])
        for j, (low, high) in enumerate(zip(*self.ends(), strict=True)):
            ax.plot([j, j], [0, 1], color=style.QUIET, linewidth=0.8, zorder=3)
            if self.ticks:
                for height, text in self.marks(j):
                    ax.text(
                        j + 0.04, height, style.short(text, 14), va="center", fontsize=6.5, color=style.INK, zorder=4
                    )
            elif np.isfinite(low):
                words = {"ha": "center", "fontsize": 6.5, "color": style.INK}
                ax.text(j, 1.03, _figure(high) if low < high else f"= {_figure(high)}", va="bottom", **words)
                ax.text(j, -0.03, _figure(low) if low < high else "", va="top", **words)
        style.names_below(ax, self.names)


def _figure(x: float) -> str:
    return figure(x, 3).replace("-", "−")
