"""Residuals: what is left of the truth once the prediction is taken from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..typing import Axes, Floats
from . import style
from .display import Columns
from .prediction_error import PredictionErrorDisplay


@dataclass(eq=False, repr=False)
class ResidualsDisplay(PredictionErrorDisplay):
    """Residuals, the truth less the prediction, over the predictions: a cloud around 0 where a model misses nothing.

    A bend is what the model cannot follow; a funnel are errors that grow with the target, for which its logarithm may
    be better.

    >>> ResidualsDisplay(np.array([1.0, 2.0]), np.array([1.5, 2.0])).table()["residual"]
    array([-0.5,  0. ])
    """

    @property
    def residuals(self) -> Floats:
        """The truth less the prediction, (shown,)."""
        return self.truth - self.predicted

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.4, 3.2))
        self.figure_ = ax.figure
        ax.axhline(0.0, color=style.QUIET, linewidth=0.9, linestyle=style.DASHED, zorder=1)
        style.points(ax, self.predicted, self.residuals, 0, len(self.truth))
        style.dress(ax, x=f"predicted {style.short(self.name, 30)}".strip(), y="true less predicted")
        for axis in (ax.xaxis, ax.yaxis):
            style.few_digits(axis)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a row of the data."""
        return {"predicted": np.asarray(self.predicted), "residual": self.residuals}
