"""Associations: how much each pair of columns has to do with each other, as a coloured table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from ..typing import Axes, AxesLike, Floats
from . import style
from .display import Columns, Display


class Found(Protocol):
    """How strongly columns go together."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def strength(self) -> Floats: ...


@dataclass(eq=False, repr=False)
class AssociationDisplay(Display):
    """A square of strengths from 0 to 1; NaN, where two columns cannot be compared, and the diagonal stay empty.

    >>> AssociationDisplay(("a", "b"), np.array([[1.0, 0.3], [0.3, 1.0]])).table()["strength"]
    array([0.3])
    """

    names: Sequence[str]
    strength: Floats  # (d, d)
    note: str = ""

    @classmethod
    def from_associations(cls, found: Found, *, ax: AxesLike = None) -> Self:
        """What `associations` found: anything with `names` and `strength`."""
        return cls(found.names, found.strength).drawn(ax)

    def cells(self) -> list[tuple[int, int, float]]:
        """Row, column and strength of each cell that is drawn."""
        found = np.ndenumerate(self.strength)
        return [(i, j, float(value)) for (i, j), value in found if i != j and np.isfinite(value)]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        d = len(self.names)
        side = float(np.clip(0.34 * d, 1.4, 9.0))
        self.ax_ = axes = style.new_axes(ax, (side + 1.3, side + 1.1))
        self.figure_ = axes.figure
        shown = np.full((d, d), np.nan)
        for i, j, value in self.cells():
            shown[i, j] = value
        look = {"cmap": style.shades(), "vmin": 0, "vmax": 1, "interpolation": "nearest", "aspect": "auto"}
        axes.imshow(np.ma.masked_invalid(shown), **look)
        style.dress(axes)
        style.matrix_axes(axes)
        for i, j, value in self.cells() if d <= 24 else ():
            words = {"ha": "center", "va": "center", "fontsize": 6.5, "color": style.ink_on(value)}
            axes.text(j, i, hundredths(value), **words)
        style.names_beside(axes, self.names)
        style.names_below(axes, self.names)
        style.note(axes, self.note)
        return self

    def table(self) -> Columns:
        """One row a pair of columns."""
        i, j = np.triu_indices(len(self.names), 1)
        names = np.array(self.names)
        return {"column": names[i], "with": names[j], "strength": self.strength[i, j]}


def hundredths(strength: float) -> str:
    """A strength in two digits, as it stands in a cell.

    >>> hundredths(0.428), hundredths(0.999)
    ('.43', '1')
    """
    return f"{strength:.2f}"[1:] if strength < 0.995 else "1"
