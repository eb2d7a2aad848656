"""Replicates of a statistic: their histogram, the value of the rows themselves, and an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats
from . import style
from .display import Columns, Display
from .histogram import bin_edges

if TYPE_CHECKING:
    from ..resampling import Bootstrap


@dataclass(eq=False, repr=False)
class ReplicatesDisplay(Display):
    """A histogram of the replicates of a bootstrap, a line at the value, and a band from end to end of its interval.

    >>> shown = ReplicatesDisplay(np.array([0.0, 1.0, 2.0]), np.array([3, 5]), 1.2, 0.4, 1.9, 0.95)
    >>> shown.table()["count"]
    array([3, 5])
    """

    edges: Floats  # (b + 1,)
    counts: NDArray[np.int64]  # (b,)
    value: float
    low: float  # NaN where there is no interval
    high: float
    level: float
    name: str = "statistic"

    @classmethod
    def from_bootstrap(
        cls, found: Bootstrap, *, method: str = "bca", bins: int | None = None, name: str = "statistic",
        ax: AxesLike = None,
    ) -> Self:  # fmt: skip
        """Draw what `bootstrap` found of one statistic, with the interval of a method."""
        if bins is not None and not 1 <= bins <= 1000:
            raise InvalidData(f"{cls.__name__}: bins={bins!r} must be from 1 to 1000, or None for a rule.")
        interval = found.interval(method)
        known = found.replicates[np.isfinite(found.replicates)]
        edges = bin_edges(known, bins)
        counts = np.histogram(known, edges)[0]
        return cls(edges, counts, interval.value, interval.low, interval.high, interval.level, name).drawn(ax)

    def top(self) -> float:
        """How high the band and the line reach: as the highest bar."""
        return float(self.counts.max(initial=0)) or 1.0

    def label(self) -> str:
        """What the band is."""
        return f"{100 * self.level:.4g} % interval"

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax)
        self.figure_ = ax.figure
        colour = style.look(0)[0]
        ax.bar(self.edges[:-1], self.counts, np.diff(self.edges), align="edge", facecolor=(colour, 0.75),
               edgecolor="white", linewidth=0.5)  # fmt: skip
        if np.isfinite([self.low, self.high]).all():
            ax.axvspan(
                self.low, self.high, color=style.look(1)[0], alpha=0.15, linewidth=0, zorder=0, label=self.label()
            )
        if np.isfinite(self.value):
            ax.plot([self.value] * 2, [0, self.top()], color=style.INK, linestyle=style.DASHED, label="value")
        style.dress(ax, x=style.short(self.name, 40), y="resamples")
        ax.set_ylim(bottom=0)
        style.few_digits(ax.xaxis)
        style.few_digits(ax.yaxis)
        style.legend(ax)
        return self

    def table(self) -> Columns:
        """One row a bin."""
        return {"from": self.edges[:-1], "to": self.edges[1:], "count": self.counts}
