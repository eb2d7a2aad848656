"""Predictions over a column: one line for each class, or for each value of another column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..typing import Axes, Floats, Labels
from . import style
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class DependenceDisplay(Display):
    """Lines of mean predictions (k, lines) over the values of a column, numbers or names, (k,).

    >>> DependenceDisplay("age", np.array([1.0, 2.0]), np.array([[0.1], [0.4]]), ("yes",)).table()["value"]
    array([0.1, 0.4])
    """

    column: str
    grid: Labels
    values: Floats
    names: Sequence[str]
    words: str = "prediction"

    @property
    def is_named(self) -> bool:
        """Whether the column holds names, which stand side by side."""
        return self.grid.dtype.kind not in "iuf"

    @property
    def places(self) -> Floats:
        """Where the values of the column stand across, (k,)."""
        return np.arange(len(self.grid), dtype=float) if self.is_named else self.grid.astype(float)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = style.new_axes(ax)
        self.figure_ = self.ax_.figure
        for k, (name, line) in enumerate(zip(style.shorts(self.names), self.values.T, strict=True)):
            mark = {"marker": "o", "linestyle": "none"} if self.is_named else {"marker": "." if len(line) < 30 else ""}
            self.ax_.plot(self.places, line, color=style.look(k)[0], linewidth=1.4, label=name, **mark)
        style.dress(self.ax_, x=style.short(self.column, 40), y=self.words)
        if self.is_named:
            names = [style.short(value, 14) for value in self.grid.tolist()]
            self.ax_.set_xticks(self.places, names, rotation=0 if len("".join(names)) < 40 else 90)
        else:
            style.few_digits(self.ax_.xaxis)
        style.few_digits(self.ax_.yaxis)
        if len(self.names) > 1:
            style.legend(self.ax_)
        return self

    def table(self) -> Columns:
        """One row a line and a value of the column."""
        return {
            "name": np.repeat(np.array(self.names, dtype=object), len(self.grid)),
            "at": np.tile(self.grid, len(self.names)),
            "value": np.asarray(self.values, dtype=float).T.ravel(),
        }
