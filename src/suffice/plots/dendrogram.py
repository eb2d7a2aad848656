"""A tree of merges: how high two clusters are joined, coloured by the clusters of a cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..typing import Axes
from . import style
from .display import Columns, Display


@dataclass(frozen=True)
class Link:
    """One merge: where its two parts stand and how high they are, its own height, and its cluster (-1 for none)."""

    at: tuple[float, float]
    foot: tuple[float, float]
    height: float
    cluster: int = -1

    def corners(self) -> list[tuple[float, float]]:
        """From the foot of one part over the merge to the foot of the other."""
        (left, right), (low, other) = self.at, self.foot
        return [(left, low), (left, self.height), (right, self.height), (right, other)]


@dataclass(frozen=True)
class End:
    """What stands at the foot of the tree: a leaf or a part that is not drawn, how many leaves, and its cluster."""

    name: str
    count: int = 1
    cluster: int = -1


@dataclass(eq=False, repr=False)
class DendrogramDisplay(Display):
    """Links and ends of a tree, drawn upwards or to the right; `cut` is the height of a dashed line.

    >>> DendrogramDisplay([Link((0, 1), (0, 0), 2.0)], [End("a"), End("b")]).links[0].height
    2.0
    """

    links: Sequence[Link]
    ends: Sequence[End]
    cut: float | None = None
    orientation: str = "top"

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = style.new_axes(ax, self._size())
        self.figure_ = self.ax_.figure
        for link in self.links:
            self._draw(link)
        if self.cut is not None:
            line = self.ax_.axhline if self.orientation == "top" else self.ax_.axvline
            line(self.cut, color=style.QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        self._dress()
        return self

    def table(self) -> Columns:
        """One row a merge: where its two parts stand, its height, and its cluster (-1 for none)."""
        return {
            "left": np.array([link.at[0] for link in self.links], dtype=float),
            "right": np.array([link.at[1] for link in self.links], dtype=float),
            "height": np.array([link.height for link in self.links], dtype=float),
            "cluster": np.array([link.cluster for link in self.links], dtype=int),
        }

    def top(self) -> float:
        """Up to where the tree is drawn."""
        highest = max([link.height for link in self.links if np.isfinite(link.height)], default=1.0) or 1.0
        return min(1.05 * highest, np.finfo(np.float64).max)

    def _size(self) -> tuple[float, float]:
        """Wide enough for the names of the ends."""
        length = min(max(4.6, 0.2 * len(self.ends) + 1.0), 14.0)
        return (length, 3.6) if self.orientation == "top" else (5.2, max(2.4, length * 0.8))

    def _draw(self, link: Link) -> None:
        across, up = zip(*link.corners(), strict=True)
        colour = style.INK if link.cluster < 0 else style.COLOURS[link.cluster % len(style.COLOURS)]
        x, y = (across, up) if self.orientation == "top" else (up, across)
        self.ax_.plot(x, y, color=colour, linewidth=1.2, solid_joinstyle="miter", zorder=2)

    def _dress(self) -> None:
        ax, names = self.ax_, [end.name for end in self.ends]
        if self.orientation == "top":
            style.dress(ax, y="height")
            crowded = len(names) > 1 and (max(map(len, names)) > 3 or len(names) > 20)
            ax.set_xticks(range(len(names)), names, rotation=90 if crowded else 0)
            ax.set_xlim(-0.7, len(names) - 0.3)
            ax.set_ylim(0, self.top())
            ax.tick_params(axis="x", length=0)
            ax.spines["bottom"].set_visible(False)
        else:
            style.dress(ax, x="height")
            ax.grid(False)
            ax.grid(axis="x", color="#e6e6e6", linewidth=0.6)
            ax.set_yticks(range(len(names)), names)
            ax.set_ylim(len(names) - 0.3, -0.7)
            ax.set_xlim(0, self.top())
            ax.tick_params(axis="y", length=0)
            ax.spines["left"].set_visible(False)
        self._colour_names()
        style.few_digits(ax.yaxis if self.orientation == "top" else ax.xaxis)

    def _colour_names(self) -> None:
        ticks = self.ax_.get_xticklabels() if self.orientation == "top" else self.ax_.get_yticklabels()
        for tick, end in zip(ticks, self.ends, strict=True):
            if end.cluster >= 0:
                tick.set_color(style.COLOURS[end.cluster % len(style.COLOURS)])
