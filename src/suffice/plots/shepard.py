"""Shepard diagram: distances in a map over the dissimilarities that they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats
from . import style
from .display import Columns, Display

_MOST = 5000


@dataclass(eq=False, repr=False)
class ShepardDisplay(Display):
    """Distances in a map over dissimilarities, a dot for each pair of rows; the line is what the fit aimed at.

    Of non-metric scaling the line is the rising function that is nearest to the dots, else the dissimilarities.

    >>> import numpy as np
    >>> shown = ShepardDisplay(np.array([1.0, 2.0]), np.array([1.5, 2.0]), np.array([1.0, 2.0]))
    >>> shown.table()["distance"]
    array([1.5, 2. ])
    """

    dissimilarity: Floats  # (pairs,), rising
    distance: Floats  # (pairs,)
    disparity: Floats  # (pairs,)
    note: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, *, most: int = _MOST, ax: AxesLike = None) -> Self:
        """A fitted embedding; of many pairs some are shown."""
        if not hasattr(estimator, "shepard"):
            raise InvalidData(f"{cls.__name__}: {type(estimator).__name__} is no embedding; give a fitted one, as MDS.")
        found = estimator.shepard(most)
        n = len(estimator.embedding_)
        total, shown = n * (n - 1) // 2, len(found.distance)
        note = f"{shown:,} of {total:,} pairs" if shown < total else ""
        return cls(found.dissimilarity, found.distance, found.disparity, note).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.2, 3.4))
        self.figure_ = ax.figure
        style.points(ax, self.dissimilarity, self.distance, 0, len(self.distance))
        ax.plot(self.dissimilarity, self.disparity, color=style.COLOURS[1], linewidth=1.2, zorder=3)
        style.dress(ax, x="dissimilarity", y="distance in the map")
        ax.set_ylim(bottom=0)
        for axis in (ax.xaxis, ax.yaxis):
            style.few_digits(axis)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a pair."""
        return {"dissimilarity": self.dissimilarity, "distance": self.distance, "disparity": self.disparity}
