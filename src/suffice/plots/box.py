"""Boxes: the quartiles of columns, whiskers to the last value within 1.5 times their distance, the rest as points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..typing import Axes, AxesLike, Floats, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display
from .histogram import by_name


@dataclass(frozen=True, eq=False)
class Box:
    """The figures of one box; `low` and `high` are the ends of the whiskers."""

    name: str
    group: str
    n: int
    missing: int
    low: float
    q1: float
    median: float
    q3: float
    high: float
    mean: float
    outliers: Floats

    @classmethod
    def of(cls, values: Floats, name: str = "", group: str = "") -> Box:
        """The figures of a column; NaN where it has no values.

        >>> Box.of(np.array([1.0, 2.0, 3.0, 4.0, 50.0])).outliers
        array([50.])
        """
        x = values[np.isfinite(values)]
        if not len(x):
            nan = np.nan
            return cls(name, group, 0, len(values), nan, nan, nan, nan, nan, nan, x)
        q1, median, q3 = np.quantile(x, [0.25, 0.5, 0.75])
        reach = 1.5 * (q3 - q1)
        inside = x[(x >= q1 - reach) & (x <= q3 + reach)]
        low, high = min(inside.min(), q1), max(inside.max(), q3)
        outliers = np.sort(x[(x < low) | (x > high)])
        return cls(name, group, len(x), len(values) - len(x), low, q1, median, q3, high, x.mean(), outliers)


@dataclass(eq=False, repr=False)
class BoxDisplay(Display):
    """Boxes of columns: in one axes, or, where rows have groups, one panel a column with a box a group.

    >>> shown = BoxDisplay([Box.of(np.array([1.0, 2.0, 3.0, 4.0, 50.0]), "price")])
    >>> shown.table()["median"]
    array([3.])
    """

    boxes: Sequence[Box]
    unit: str = ""
    note: str = ""

    @classmethod
    def from_table(
        cls,
        X: TableLike,
        names: Sequence[str] | None = None,
        *,
        groups: TargetLike = None,
        standardise: bool = False,
        most: int = 30,
        ax: AxesLike = None,
    ) -> Self:
        """Boxes of the first `most` columns of a table, of each group apart, or in standard deviations."""
        who = cls.__name__
        table = tables.read(X, names, who, most)
        values = table.standardised() if standardise else table.values
        parts = tables.groups(groups, len(values), who)
        boxes = [
            Box.of(values[parts.codes == k, j], name, group)
            for j, name in enumerate(table.names)
            for k, group in enumerate(parts.names)
        ]
        return cls(boxes, "standard deviations from the mean" if standardise else "", table.note()).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` is a list of panels where there are groups."""
        if not self.grouped:
            self.ax_ = style.new_axes(ax, (4.6, max(1.2, 0.6 + 0.3 * len(self.boxes))))
            self.figure_ = self.ax_.figure
            self._draw(self.ax_, self.boxes, [box.name for box in self.boxes])
            style.note(self.ax_, self.note)
            return self
        panels = self.panels()
        across, height = style.columns_of(len(panels)), max(1.4, 0.7 + 0.22 * max(map(len, panels.values())))
        self.ax_ = style.panels(len(panels), ax, (style.PANEL[0], height))
        self.figure_ = self.ax_[0].figure
        for i, (panel, (name, boxes)) in enumerate(zip(self.ax_, panels.items(), strict=True)):
            self._draw(panel, boxes, [box.group for box in boxes] if i % across == 0 else None)
            panel.set_title(style.short(name), fontsize=style.TEXT, color=style.INK, loc="left")
        style.note(self.ax_[across - 1], self.note)
        return self

    @property
    def grouped(self) -> bool:
        """Whether there is a box for each group of a column."""
        return any(box.group for box in self.boxes)

    def panels(self) -> dict[str, list[Box]]:
        """The boxes of each column, one a group."""
        return by_name(self.boxes)

    def table(self) -> Columns:
        """One row a box."""
        plain = ("name", "group", "n", "missing", "low", "q1", "median", "q3", "high", "mean")
        columns = {field: np.array([getattr(box, field) for box in self.boxes]) for field in plain}
        return {**columns, "outliers": np.array([len(box.outliers) for box in self.boxes])}

    def _draw(self, ax: Any, boxes: Sequence[Box], names: Sequence[str] | None) -> None:
        for y, box in enumerate(boxes):
            colour = style.look(y)[0] if box.group else style.COLOURS[0]
            if box.n:
                _box(ax, y, box, colour)
            else:
                place = {"transform": ax.get_yaxis_transform(), "fontsize": style.SMALL, "va": "center"}
                ax.text(0.02, y, "no values", color=style.QUIET, **place)
        style.dress(ax, x=self.unit)
        style.names_beside(ax, names if names is not None else [""] * len(boxes))
        ax.set_ylim(len(boxes) - 0.4, -0.6)
        ax.grid(False)
        ax.grid(axis="x", color=style.FAINT, linewidth=0.6)
        ax.tick_params(axis="y", length=0)
        ax.margins(x=0.03)
        if not any(box.n for box in boxes):
            ax.set_xticks([])
        style.few_digits(ax.xaxis)


def _box(ax: Any, y: int, box: Box, colour: str) -> None:
    line = {"color": colour, "linewidth": 1.2, "solid_capstyle": "butt", "zorder": 2}
    ax.plot([box.low, box.q1], [y, y], **line)
    ax.plot([box.q3, box.high], [y, y], **line)
    ax.barh(y, box.q3 - box.q1, left=box.q1, height=0.55, color=colour, alpha=0.25, linewidth=0)
    ax.plot([box.median, box.median], [y - 0.275, y + 0.275], color=colour, linewidth=2, zorder=3)
    ax.scatter(
        box.outliers, np.full(len(box.outliers), y), s=6, color=colour, alpha=0.6, linewidths=0,
        rasterized=len(box.outliers) > 100,
    )  # fmt: skip
