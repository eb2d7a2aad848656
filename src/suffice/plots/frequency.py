"""Frequencies: the most frequent values of a column of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter
from ..text import figure
from ..typing import Axes, AxesLike, Floats
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class FrequencyDisplay(Display):
    """The most frequent values of a column, each with its count; `total` counts the cells that are not missing.

    >>> FrequencyDisplay(("a", "b"), np.array([3, 1]), 4).table()["share"]
    array([0.75, 0.25])
    """

    values: Sequence[str]
    counts: NDArray[Any]
    total: float
    name: str = ""
    note: str = ""

    @classmethod
    def from_column(cls, column: object, name: str = "", *, most: int = 20, ax: AxesLike = None) -> Self:
        """A column of any kind, as an array or a list; what is missing is left out."""
        if most < 1:
            raise InvalidParameter(f"{cls.__name__}: most={most!r} must be at least 1.")
        cells = np.asarray(column)
        parts = tables.groups(cells.astype(object), len(cells), cls.__name__, most=10**9)
        counts = np.bincount(parts.codes, minlength=len(parts.names))
        here = [k for k, value in enumerate(parts.names) if value != tables.MISSING]
        order = sorted(here, key=lambda k: -counts[k])[:most]
        note = "" if len(order) == len(here) else f"{len(order):,} of {len(here):,} values"
        total = float(counts[here].sum())
        return cls([parts.names[k] for k in order], counts[order], total, name, note).drawn(ax)

    def shares(self) -> Floats:
        """Each count as a share of the cells that are not missing."""
        return np.asarray(self.counts / max(self.total, 1e-300), dtype=float)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = axes = style.new_axes(ax, (4.2, 0.8 + 0.26 * max(len(self.values), 1)))
        self.figure_ = axes.figure
        axes.barh(range(len(self.values)), self.counts, height=0.7, color=style.COLOURS[0], alpha=0.75)
        words = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "fontsize": style.SMALL}
        for y, (count, share) in enumerate(zip(self.counts.tolist(), self.shares(), strict=True)):
            axes.annotate(f"{figure(count, 5)} ({100 * share:.3g}%)", (count, y), color=style.INK, **words)
        style.dress(axes, title=style.short(self.name), x="rows")
        style.names_beside(axes, [value or "(empty)" for value in self.values])
        axes.grid(False)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(self.values) - 0.4, -0.6)
        axes.set_xlim(0, 1.35 * float(max(self.counts, default=1)))
        style.few_digits(axes.xaxis)
        style.note(axes, self.note)
        return self

    def table(self) -> Columns:
        """One row a value."""
        return {"value": np.array(self.values), "count": np.asarray(self.counts), "share": self.shares()}
