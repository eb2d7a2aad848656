"""How many clusters: one small panel a criterion, its choice marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..typing import Axes, Figure, SubFigure
from . import style
from .display import Columns, Display


@dataclass(frozen=True)
class Curve:
    """The values of one criterion over k, their spread where it has one, and the k it chose, if any."""

    name: str
    values: Sequence[float]
    spread: Sequence[float] | None = None
    best: int | None = None


@dataclass(repr=False)
class CriteriaDisplay(Display):
    """Curves over the number of clusters k, each in a panel of its own, as their units differ.

    >>> CriteriaDisplay((1, 2, 3), (Curve("cost", (9.0, 4.0, 3.0), best=2),)).curves[0].best
    2
    """

    k: Sequence[int]
    curves: Sequence[Curve]
    ax_: list[Any] = field(init=False, repr=False)
    figure_: Figure | SubFigure | None = field(init=False, repr=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure, or within the frame of `ax`; `ax_` holds the panels, `figure_` the figure."""
        self.ax_ = style.panels(len(self.curves), ax)
        self.figure_ = self.ax_[0].figure
        for i, (panel, curve) in enumerate(zip(self.ax_, self.curves, strict=True)):
            self._draw(panel, curve, "k" if i >= len(self.curves) - style.columns_of(len(self.curves)) else "")
        return self

    def table(self) -> Columns:
        """One row a k, one column a criterion."""
        return {"k": np.asarray(self.k), **{each.name: np.asarray(each.values, dtype=float) for each in self.curves}}

    def _draw(self, ax: Axes, curve: Curve, x: str) -> None:
        from matplotlib.ticker import MaxNLocator

        k, values = np.asarray(self.k), np.asarray(curve.values, dtype=float)
        values = np.where(np.isfinite(values), values, np.nan)
        colour, accent = style.COLOURS[:2]
        if curve.spread is not None:
            spread = np.asarray(curve.spread, dtype=float)
            ax.fill_between(k, values - spread, values + spread, color=colour, alpha=0.18, linewidth=0)
        ax.plot(k, values, color=colour, linewidth=1.4, marker="o", markersize=3)
        title = curve.name
        if curve.best is not None:
            title = f"{curve.name}: k = {curve.best}"
            at = values[k == curve.best]
            ax.axvline(curve.best, color=accent, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
            ax.plot([curve.best], at, "o", color=accent, markersize=6, zorder=3)
        style.dress(ax, title=title, x=x)
        ax.set_xlim(k[0] - 0.5, k[-1] + 0.5)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=7, min_n_ticks=2))
        style.few_digits(ax.yaxis)
