"""Histograms: how the values of columns are spread, of all rows or of each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display

MOST_BINS, MOST_OVERLAID = 60, 5
FEW_WHOLE = 24  # whole numbers, each of which gets a bin


class Named(Protocol):
    """A part of a picture that belongs to a column."""

    @property
    def name(self) -> str:
        """The column."""


T = TypeVar("T", bound=Named)


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts between edges for one column and group, and how many values are missing."""

    name: str
    edges: Floats  # (b + 1,)
    counts: NDArray[np.int64]  # (b,)
    group: str = ""
    missing: int = 0

    def ends(self) -> tuple[float, float]:
        """From where to where values may stand: without the halves that whole numbers have about them."""
        first, last = float(self.edges[0]), float(self.edges[-1])
        halves = first % 1 == last % 1 == 0.5 and np.all(self.edges % 1 == 0.5)
        return (first + 0.5, last - 0.5) if halves else (first, last)


@dataclass(eq=False, repr=False)
class HistogramDisplay(Display):
    """Histograms in one panel a column; groups share the edges and lie over one another.

    >>> HistogramDisplay([Histogram("age", np.array([0.0, 10.0, 20.0]), np.array([4, 2]))]).table()["count"]
    array([4, 2])
    """

    histograms: Sequence[Histogram]
    note: str = ""

    @classmethod
    def from_table(
        cls,
        X: TableLike,
        names: Sequence[str] | None = None,
        *,
        groups: TargetLike = None,
        bins: int | None = None,
        most: int = 12,
        ax: AxesLike = None,
    ) -> Self:
        """Histograms of the first `most` columns, with `bins` bins or as many as Freedman and Diaconis say."""
        who = cls.__name__
        if bins is not None and not 1 <= bins <= 1000:
            raise InvalidData(f"{who}: bins={bins!r} must be from 1 to 1000, or None for a rule.")
        table = tables.read(X, names, who, most)
        parts = tables.groups(groups, len(table.values), who, MOST_OVERLAID)
        made = []
        for name, column in zip(table.names, table.values.T, strict=True):
            edges = bin_edges(column, bins)
            for k, group in enumerate(parts.names):
                own = column[parts.codes == k]
                here = np.isfinite(own)
                made.append(Histogram(name, edges, np.histogram(own[here], edges)[0], group, int((~here).sum())))
        return cls(made, table.note()).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure, or within the frame of `ax`; `ax_` holds the panels."""
        panels = self.panels()
        across = style.columns_of(len(panels))
        self.ax_ = style.panels(len(panels), ax)
        self.figure_ = self.ax_[0].figure
        for i, (panel, (name, own)) in enumerate(zip(self.ax_, panels.items(), strict=True)):
            self._draw(panel, name, own, "rows" if i % across == 0 else "")
        style.note(self.ax_[across - 1], self.note)
        self._name_groups(self.ax_[across - 1])
        return self

    def panels(self) -> dict[str, list[Histogram]]:
        """The histograms of each column, one a group."""
        return by_name(self.histograms)

    def groups(self) -> list[str]:
        """The names of the groups; one without a name where there are none."""
        return list(dict.fromkeys(each.group for each in self.histograms))

    def table(self) -> Columns:
        """One row a bin."""
        every = self.histograms
        bins = [len(each.counts) for each in every]
        return {
            "name": np.repeat([each.name for each in every], bins),
            "group": np.repeat([each.group for each in every], bins),
            "from": np.concatenate([each.edges[:-1] for each in every]),
            "to": np.concatenate([each.edges[1:] for each in every]),
            "count": np.concatenate([each.counts for each in every]),
        }

    def _draw(self, ax: Any, name: str, own: list[Histogram], y: str) -> None:
        for k, each in enumerate(own):
            colour = _colour(k, each.group)
            if len(own) == 1:
                look = {"facecolor": (colour, 0.75), "edgecolor": "white", "linewidth": 0.5}
                ax.bar(each.edges[:-1], each.counts, np.diff(each.edges), align="edge", **look)
            else:
                ax.stairs(each.counts, each.edges, fill=True, color=colour, alpha=0.2, linewidth=0)
                ax.stairs(each.counts, each.edges, color=colour, linewidth=1.3)
        style.dress(ax, title=style.short(name), y=y)
        missing = sum(each.missing for each in own)
        if missing:
            ax.set_xlabel(f"{missing:,} missing", fontsize=style.SMALL, color=style.QUIET)
        if not any(each.counts.any() for each in own):
            ax.set_xticks([])
            ax.set_yticks([])
        ax.set_ylim(bottom=0)
        style.few_digits(ax.xaxis)
        style.few_digits(ax.yaxis)

    def _name_groups(self, ax: Axes) -> None:
        from matplotlib.patches import Patch

        names = self.groups()
        if names != [""]:
            colours = [_colour(k, name) for k, name in enumerate(names)]
            style.legend(ax, [Patch(facecolor=(c, 0.2), edgecolor=c) for c in colours], names)


def whole_edges(low: int, high: int, bins: int) -> Floats:
    """About so many bins of the same whole width, of which the last is as full as it can be; one for each of few."""
    span = high - low + 1
    widest = 1 if span <= FEW_WHOLE else -(-span // bins)
    step = min(range(widest, -(-2 * widest // 3) - 1, -1), key=lambda width: -span % width)
    return np.arange(low - 0.5, high + step, step)


def by_name(parts: Sequence[T]) -> dict[str, list[T]]:
    """The parts of each panel, by the name of its column."""
    panels: dict[str, list[T]] = {}
    for part in parts:
        panels.setdefault(part.name, []).append(part)
    return panels


def _colour(k: int, group: str) -> str:
    return style.QUIET if group.startswith(f"{tables.OTHERS} (") else style.look(k)[0]


def bin_edges(values: Floats, bins: int | None = None, most: int = MOST_BINS) -> Floats:
    """Equal bins over the finite values: so many, or as wide as 2 IQR / n^⅓, at most so many.

    Whole numbers get bins of whole width about them, so that no bin holds more of them than another.

    >>> bin_edges(np.array([1.0, 1.0, np.nan])), bin_edges(np.array([1.0, 2.0, 2.0, 3.0]))
    (array([0.5, 1.5]), array([0.5, 1.5, 2.5, 3.5]))
    """
    x = values[np.isfinite(values)]
    if not len(x):
        return np.array([0.0, 1.0])
    low, high = float(x.min()), float(x.max())
    if high / 2 - low / 2 <= 1e-12 * max(abs(low), abs(high)):
        room = 0.5 if abs(low) < 1e6 else abs(low) * 1e-6
        return np.array([low - room, low + room])
    if bins is not None:
        return np.linspace(low, high, bins + 1)
    q1, q3 = np.quantile(x, [0.25, 0.75])
    width = 2 * (q3 - q1) / len(x) ** (1 / 3)
    sturges = np.log2(len(x)) + 1
    wanted = (high - low) / width if width > 1e-9 * (high - low) else sturges
    bins = int(np.ceil(np.clip(wanted, min(sturges, 10), most)))
    if max(abs(low), abs(high)) < 1e9 and np.all(x == np.floor(x)):
        return whole_edges(int(low), int(high), bins)
    return np.linspace(low, high, bins + 1)
