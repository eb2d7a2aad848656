"""Pairs of columns: scatters below the diagonal, histograms on it, correlations above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..typing import Axes, AxesLike, Floats, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display
from .histogram import bin_edges


@dataclass(eq=False, repr=False)
class PairsDisplay(Display):
    """A matrix of scatters; `correlation` is that of all rows where both values are known, not of those shown.

    >>> shown = PairsDisplay(("a", "b"), np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones((2, 2)))
    >>> shown.table()["correlation"]
    array([1.])
    """

    names: Sequence[str]
    values: Floats  # (shown, d)
    correlation: Floats  # (d, d)
    codes: NDArray[np.int64] | None = None  # (shown,)
    groups: Sequence[str] = ("",)
    note: str = ""

    @classmethod
    def from_table(
        cls,
        X: TableLike,
        names: Sequence[str] | None = None,
        *,
        groups: TargetLike = None,
        most: int = 6,
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """The first `most` columns of a table, coloured by groups, with at most so many rows as points."""
        table, parts, shown, note = tables.some_rows(X, names, groups, cls.__name__, most, most_rows)
        values, codes = table.values[shown], parts.codes[shown]
        return cls(table.names, values, correlations(table.values), codes, parts.names, note).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure, or within the frame of `ax`; `ax_` is a list of rows of axes."""
        d = len(self.names)
        side = min(1.5, 9.0 / d) if d > 1 else 2.4
        self.ax_ = style.grid(d, d, ax, (side, side))
        self.figure_ = self.ax_[0][0].figure
        for i in range(d):
            for j in range(d):
                self._panel(self.ax_[i][j], i, j)
        style.group_legend(self.ax_[0][-1], self.groups)
        if self.note:
            self.figure_.suptitle(self.note, fontsize=style.SMALL, color=style.QUIET, ha="right", x=0.99)
        self.figure_.align_ylabels()
        return self

    def table(self) -> Columns:
        """One row a pair of columns."""
        i, j = np.tril_indices(len(self.names), -1)
        names = np.array(self.names)
        return {"x": names[j], "y": names[i], "correlation": self.correlation[i, j]}

    def histogram(self, j: int) -> tuple[Floats, NDArray[np.int64]]:
        """Edges and counts of column j, for the diagonal; of the rows that are shown."""
        column = self.values[np.isfinite(self.values[:, j]), j]
        edges = bin_edges(column, most=20)
        return edges, np.histogram(column, edges)[0]

    def limits(self, j: int) -> tuple[float, float]:
        """From where to where column j is drawn."""
        edges = bin_edges(self.values[:, j])
        room = 0.06 * (edges[-1] - edges[0])
        return float(edges[0] - room), float(edges[-1] + room)

    def row_codes(self) -> NDArray[np.int64]:
        """The group of each row that is shown."""
        return tables.codes_or_zeros(self.codes, len(self.values))

    def _panel(self, ax: Any, i: int, j: int) -> None:
        from matplotlib.ticker import MaxNLocator

        d = len(self.names)
        if i < j:
            _correlation(ax, float(self.correlation[i, j]))
            return
        if i == j:
            edges, counts = self.histogram(i)
            look = {"facecolor": (style.QUIET, 0.5), "edgecolor": "white", "linewidth": 0.4}
            ax.bar(edges[:-1], counts, np.diff(edges), align="edge", **look)
        else:
            self._scatter(ax, i, j)
            ax.set_ylim(*self.limits(i))
        ax.set_xlim(*self.limits(j))
        width = max(8, int(90 / d))
        y = style.short(self.names[i], width) if j == 0 else ""
        style.dress(ax, x=style.short(self.names[j], width) if i == d - 1 else "", y=y)
        ax.grid(False)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(nbins=3, min_n_ticks=2))
            style.few_digits(axis)
        ax.tick_params(labelsize=6.5, labelbottom=i == d - 1, labelleft=j == 0 and i > 0, left=i > j)

    def _scatter(self, ax: Axes | None, i: int, j: int) -> None:
        codes = self.row_codes()
        for k in range(len(self.groups)):
            own = self.values[codes == k]
            style.points(
                ax, own[:, j], own[:, i], k, len(codes), s=5.0 if len(self.values) <= 500 else 2.0, linewidths=0.0
            )


def correlations(values: Floats) -> Floats:
    """Pearson's correlation of each pair, over the rows where both are known; NaN where one is constant."""
    d = values.shape[1]
    out = np.full((d, d), np.nan)
    for i in range(d):
        for j in range(i + 1):
            both = np.isfinite(values[:, i]) & np.isfinite(values[:, j])
            x, y = values[both, i], values[both, j]
            x, y = x - x.mean() if len(x) else x, y - y.mean() if len(y) else y
            size = float(np.sqrt((x @ x) * (y @ y)))
            if size > 0:
                out[i, j] = out[j, i] = np.clip((x @ y) / size, -1.0, 1.0)
    return out


def _correlation(ax: Axes, r: float) -> None:
    style.matrix_axes(ax)
    ax.set_xticks([])
    ax.set_yticks([])
    text = "–" if np.isnan(r) else style.number(r)
    size = 7.5 + (0.0 if np.isnan(r) else 5.0 * abs(r))
    colour = style.QUIET if np.isnan(r) else style.COLOURS[0] if r >= 0 else style.COLOURS[1]
    ax.text(0.5, 0.5, text, ha="center", va="center", fontsize=size, color=colour, transform=ax.transAxes)
