"""A tree of decisions: boxes with questions and answers, coloured by class or by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..text import figure
from ..typing import Axes
from . import style
from .display import Columns, Display

WIDTH, HEIGHT = 0.88, 0.56  # of a box, where two leaves are 1 apart and so are two levels
_INCHES = (1.62, 1.16)  # of a leaf and a level
_WIDEST, _HIGHEST = 40.0, 30.0
_LETTERS = 21  # in a line of a box


@dataclass(frozen=True)
class TreeNode:
    """A box: where it stands, its question (column and relation, of a leaf none), what it says, weight, the box above.

    `shares` are those of classes; of numbers it is empty, and `level` says where the value stands from 0 to 1.
    """

    x: float
    depth: int
    question: tuple[str, str] | None
    says: str
    weight: float
    shares: tuple[float, ...] = ()
    level: float = 0.0
    above: int = -1
    edge: str = ""  # what leads here from above
    is_cut: bool = False  # whether what is below it is left out

    @property
    def group(self) -> int:
        """The class of the greatest share, −1 for none."""
        return int(np.argmax(self.shares)) if self.shares else -1

    @property
    def strength(self) -> float:
        """How deep its colour is, from 0 to 1: by how far the greatest share is above that of equal ones."""
        k = len(self.shares)
        return self.level if k < 2 else (max(self.shares) - 1 / k) / (1 - 1 / k)


@dataclass(eq=False, repr=False)
class TreeDisplay(Display):
    """The boxes of a tree, each behind the one above it, and the names of classes (none for numbers).

    >>> root = TreeNode(0.5, 0, ("age", "≤ 30"), "0.5", 4.0)
    >>> left = TreeNode(0.0, 1, None, "0.1", 2.0, above=0, edge="yes")
    >>> right = TreeNode(1.0, 1, None, "0.9", 2.0, above=0, edge="no")
    >>> TreeDisplay((root, left, right)).table()["depth"]
    array([0, 1, 1])
    """

    nodes: Sequence[TreeNode]
    classes: Sequence[str] = ()

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = style.new_axes(ax, self._size())
        self.figure_ = self.ax_.figure
        self.ax_.set_axis_off()
        wide, deep = self.extent()
        self.ax_.set_xlim(-0.55, wide + 0.55)
        self.ax_.set_ylim(deep + 0.45, -0.35)
        for start, end, said in self.edges():
            self._draw_edge(start, end, said)
        for node in self.nodes:
            self._draw(node)
        return self

    def table(self) -> Columns:
        """One row a box: its place, depth, the box above it, weight, question and what it says."""
        return {
            "x": np.array([node.x for node in self.nodes], dtype=float),
            "depth": np.array([node.depth for node in self.nodes], dtype=int),
            "above": np.array([node.above for node in self.nodes], dtype=int),
            "weight": np.array([node.weight for node in self.nodes], dtype=float),
            "question": np.array([" ".join(node.question or ()) for node in self.nodes], dtype=object),
            "says": np.array([node.says for node in self.nodes], dtype=object),
        }

    def extent(self) -> tuple[float, int]:
        """The greatest place across, and the greatest depth."""
        return max(node.x for node in self.nodes), max(node.depth for node in self.nodes)

    @staticmethod
    def asked(node: TreeNode) -> list[str]:
        """The question of a box, on two lines where it is long."""
        if node.question is None:
            return []
        name, relation = style.short(node.question[0], _LETTERS), style.short(node.question[1], _LETTERS)
        return [f"{name} {relation}"] if len(name) + len(relation) < _LETTERS else [name, relation]

    def _size(self) -> tuple[float, float]:
        wide, deep = self.extent()
        return min(_WIDEST, _INCHES[0] * (wide + 1.1)), min(_HIGHEST, _INCHES[1] * (deep + 0.8))

    def edges(self) -> list[tuple[tuple[float, float], tuple[float, float], str]]:
        """From where to where lines go, from box to box, and what is said at each."""
        found = []
        for node in self.nodes:
            if node.above >= 0:
                above = self.nodes[node.above]
                ends = (above.x, above.depth + HEIGHT / 2), (node.x, node.depth - HEIGHT / 2)
                found.append((*ends, node.edge))
        return found

    def _draw_edge(self, start: tuple[float, float], end: tuple[float, float], said: str) -> None:
        self.ax_.plot(*zip(start, end, strict=True), color=style.QUIET, linewidth=0.9, zorder=1)
        middle = (np.array(start) + np.array(end)) / 2
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        self.ax_.text(*middle, said, fontsize=6.5, color=style.QUIET, ha="center", va="center", bbox=box, zorder=2)

    def _draw(self, node: TreeNode) -> None:
        from matplotlib.patches import FancyBboxPatch

        left, top = node.x - WIDTH / 2, node.depth - HEIGHT / 2
        colour = style.look(max(node.group, 0))[0]
        box = FancyBboxPatch(
            (left, top), WIDTH, HEIGHT, "round,pad=0,rounding_size=0.06", edgecolor=colour,
            facecolor=_paled(colour, 0.12 + 0.38 * node.strength), linewidth=0.7 if node.question else 1.3, zorder=3,
        )  # fmt: skip
        self.ax_.add_patch(box)
        for k, (start, end) in enumerate(stacked(node.shares)):
            place = (left + 0.06 + start * (WIDTH - 0.12), node.depth + 0.15)
            self.ax_.add_patch(_bar(place, (end - start) * (WIDTH - 0.12), style.look(k)[0]))
        words = [*((line, "bold") for line in self.asked(node)), (style.short(node.says, 22), "normal")]
        words[-1] = (words[-1][0], "normal" if node.question else "bold")
        words.append((f"n = {figure(node.weight, 6)}", "normal"))
        bottom = 0.14 if node.shares else 0.26
        for (text, weight), y in zip(words, np.linspace(-0.26, bottom, 2 * len(words) + 1)[1::2], strict=True):
            self.ax_.text(node.x, node.depth + y, text, fontsize=6.5, weight=weight, color=style.INK, ha="center",
                          va="center", zorder=5)  # fmt: skip
        if node.is_cut:
            self.ax_.text(node.x, node.depth + 0.36, "…", fontsize=12, color=style.QUIET, ha="center", va="center")


def stacked(shares: Sequence[float]) -> list[tuple[float, float]]:
    """Where the part of each class begins and ends."""
    ends = np.cumsum([0.0, *shares])
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))


def _bar(place: tuple[float, float], width: float, colour: str) -> object:
    from matplotlib.patches import Rectangle

    return Rectangle(place, width, 0.07, facecolor=colour, edgecolor="none", zorder=4)


def _paled(colour: str, strength: float) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    red, green, blue = (min(1.0, max(0.0, 1 - strength * (1 - part))) for part in to_rgb(colour))
    return red, green, blue
