"""Errors of a pruned tree against its leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..typing import Axes, AxesLike, Floats
from . import style, tables
from .display import Columns, Display

_LABELS = {"error": "training", "test_error": "test"}


@dataclass(eq=False, repr=False)
class PruningDisplay(Display):
    """Lines are errors over log₂ of the number of leaves, for the rows of the fit and for others.

    >>> PruningDisplay([4, 2, 1], [0.0, 0.1, 0.5], [0.2, 0.15, 0.5]).table()["leaves"]
    array([4, 2, 1])
    """

    leaves: Sequence[int] | Floats  # (k,)
    error: Sequence[float] | Floats  # (k,)
    test_error: Sequence[float] | Floats | None = None  # (k,)

    @classmethod
    def from_path(cls, path: object, *, ax: AxesLike = None) -> Self:
        """What `cost_complexity_path` gives: `leaves` (k,), `error` (k,), and `test_error` (k,) or None."""
        leaves, error = (tables.fitted(path, name, cls.__name__) for name in ("leaves", "error"))
        return cls(leaves, error, getattr(path, "test_error", None)).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.6, 3.0))
        self.figure_ = ax.figure
        for k, (name, values) in enumerate(self.lines().items()):
            ax.plot(self.places, values, color=style.COLOURS[k], linewidth=1.4, marker="o", markersize=3, label=name)
        style.dress(ax, x="log₂ leaves", y="error")
        style.few_digits(ax.yaxis)
        if self.test_error is not None:
            style.legend(ax)
        return self

    @property
    def places(self) -> Floats:
        """Where the trees stand across, log₂ of their leaves."""
        return np.asarray(np.log2(np.asarray(self.leaves, dtype=float)))

    def lines(self) -> dict[str, Floats]:
        """What is drawn, by its name in the legend."""
        columns = self.table()
        return {label: columns[name] for name, label in _LABELS.items() if name in columns}

    def table(self) -> Columns:
        """One row a tree."""
        found = {"leaves": np.asarray(self.leaves), "error": np.asarray(self.error, dtype=float)}
        if self.test_error is not None:
            found["test_error"] = np.asarray(self.test_error, dtype=float)
        return found
