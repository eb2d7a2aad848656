"""A figure over two others, as cells that are the darker the better they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..text import figure
from ..typing import Axes, AxesLike, Floats
from . import style
from .display import Columns, Display
from .searched import Scale, Searched, checked_parameter

_LEGIBLE = 12  # cells a side with figures in them
_FAR = 3.0  # what is so many times as far from the best as the median is pale like everything worse


@dataclass(eq=False, repr=False)
class HeatMapDisplay(Display):
    """Values (rows, columns) over two parameters, dark where they are good, empty where nothing was tried.

    >>> shown = HeatMapDisplay(np.array([[0.8, 0.9]]), ("1", "10"), ("rbf",), ("C", "kernel"), "accuracy")
    >>> shown.shades().tolist()
    [[0.0, 1.0]]
    """

    values: Floats  # (rows from below, columns); NaN where nothing was tried
    across: Sequence[str]
    up: Sequence[str]
    names: tuple[str, str]
    measure: str
    larger: bool = True
    chosen: tuple[int, int] | None = None  # the row and the column of what was chosen
    note: str = ""

    @classmethod
    def from_search(
        cls, found: Searched, across: str | None = None, up: str | None = None, *, most: int = 12, ax: AxesLike = None
    ) -> Self:
        """What `search` found over two of its parameters, by default the first two: in each cell the best candidate.

        Parameters of more than `most` values are cut into cells of equal width on their scale.
        """
        names = found.names
        one = checked_parameter(found, across, cls.__name__, names[:1])
        other = checked_parameter(found, up, cls.__name__, [name for name in names if name != one][:1])
        x, y = (Scale.of(found, name, most) for name in (one, other))
        best, measure = found.best, found.measure
        values = np.full((len(y.names), len(x.names)), np.nan)
        for candidate in found.ranking[::-1]:  # better ones later
            value = candidate.values[measure.name]
            if np.isfinite(value) and one in candidate.params and other in candidate.params:
                values[y.cell(candidate.params[other]), x.cell(candidate.params[one])] = value
        known = one in best.params and other in best.params
        chosen = (y.cell(best.params[other]), x.cell(best.params[one])) if known else None
        others = len(names) > 2 or len(x.names) * len(y.names) < len(found.candidates)
        note = "the best of each cell" if others else ""
        return cls(values, x.names, y.names, (one, other), measure.name, measure.larger, chosen, note).drawn(ax)

    def shades(self) -> Floats:
        """How dark each cell is, from 0 to 1; NaN where nothing was tried."""
        loss = -self.values if self.larger else self.values
        known = loss[np.isfinite(loss)]
        if not len(known):
            return np.full(loss.shape, np.nan)
        best, middle = float(known.min()), float(np.median(known))
        worst = min(float(known.max()), best + _FAR * (middle - best)) if middle > best else float(known.max())
        if worst == best:
            return np.where(np.isfinite(loss), 1.0, np.nan)
        return np.asarray(1 - (np.clip(loss, best, worst) - best) / (worst - best))

    def cells(self) -> list[tuple[int, int, float]]:
        """Row, column and value of what was tried, row by row from below."""
        places = np.argwhere(np.isfinite(self.values)).tolist()
        return [(i, j, float(self.values[i, j])) for i, j in places]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        rows, columns = self.values.shape
        size = (min(1.6 + 0.55 * columns, 8.0), min(1.2 + 0.42 * rows, 6.0))
        self.ax_ = square = style.new_axes(ax, size)
        self.figure_ = square.figure
        dark = self.shades()
        square.imshow(dark, cmap=style.shades(), vmin=0, vmax=1.25, origin="lower", aspect="auto",
                      interpolation="nearest")  # fmt: skip
        style.dress(square, x=style.short(self.names[0]), y=style.short(self.names[1]))
        style.matrix_axes(square)
        style.names_below(square, self.across, 12)
        style.names_beside(square, self.up, 16)
        if max(rows, columns) <= _LEGIBLE:
            for i, j, value in self.cells():
                colour = "white" if dark[i, j] > 0.6 else style.INK
                square.text(j, i, figure(value, 3), ha="center", va="center", fontsize=7, color=colour)
        if self.chosen is not None:
            self._mark(*self.chosen)
        title = f"{self.measure}, {'larger' if self.larger else 'smaller'} is better"
        square.set_title(title, fontsize=style.TEXT, color=style.INK, loc="left")
        square.set_xlabel("\n".join(filter(None, (style.short(self.names[0]), self.note))), fontsize=style.TEXT)
        return self

    def _mark(self, row: int, column: int) -> None:
        from matplotlib.patches import Rectangle

        frame = Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=style.COLOURS[1], linewidth=1.8)
        self.ax_.add_patch(frame)

    def table(self) -> Columns:
        """One row a cell in which something was tried."""
        cells = self.cells()
        return {
            self.names[0]: np.array([self.across[j] for _, j, _ in cells], dtype=object),
            self.names[1]: np.array([self.up[i] for i, _, _ in cells], dtype=object),
            self.measure: np.array([value for _, _, value in cells]),
        }
