"""Prediction errors: predicted numbers against the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, NumberLike, Predictor, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class PredictionErrorDisplay(Display):
    """Predictions over the truth; on the dashed line they agree.

    >>> PredictionErrorDisplay(np.array([1.0, 2.0]), np.array([1.5, 2.0])).table()["error"]
    array([0.5, 0. ])
    """

    truth: Floats  # (shown,)
    predicted: Floats  # (shown,)
    name: str = ""
    note: str = ""

    @classmethod
    def from_estimator(cls, estimator: Predictor, X: TableLike, y: TargetLike, **more: Any) -> Self:
        """A fitted regressor, rows that it has not seen, and their true numbers."""
        return cls.from_predictions(y, estimator.predict(X), **more)

    @classmethod
    def from_evaluation(cls, evaluation: Any, **more: Any) -> Self:
        """What `evaluate` found: the predictions of all rows while they were left out."""
        return cls.from_predictions(evaluation.answers.truth, evaluation.answers.predicted, **more)

    @classmethod
    def from_predictions(
        cls,
        y_true: TargetLike,
        y_pred: NumberLike,
        *,
        name: str = "",
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """True and predicted numbers; of many rows some are shown."""
        who = cls.__name__
        truth = tables.numbers(y_true, who, "y_true")
        predicted = tables.numbers(y_pred, who, "y_pred", len(truth))
        if not len(truth):
            raise InvalidData(f"{who}: there are no rows; at least 1 is needed.")
        shown = tables.some(len(truth), most_rows)
        return cls(truth[shown], predicted[shown], name, tables.rows_note(len(shown), len(truth))).drawn(ax)

    def limits(self) -> tuple[float, float]:
        """From where to where both axes go."""
        both = np.concatenate([self.truth, self.predicted])
        low, high = float(both.min()), float(both.max())
        room = 0.05 * (high - low) or max(1e-6, 0.05 * abs(low))
        return low - room, high + room

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (3.8, 3.6))
        self.figure_ = ax.figure
        ends = self.limits()
        ax.plot(ends, ends, color=style.QUIET, linewidth=0.9, linestyle=style.DASHED, zorder=1)
        style.points(ax, self.truth, self.predicted, 0, len(self.truth))
        style.dress(ax, x=f"true {style.short(self.name, 30)}".strip(), y="predicted")
        ax.grid(axis="x", color=style.FAINT, linewidth=0.6)
        ax.set_xlim(ends)
        ax.set_ylim(ends)
        for axis in (ax.xaxis, ax.yaxis):
            style.few_digits(axis)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a row of the data."""
        return {"true": self.truth, "predicted": self.predicted, "error": self.predicted - self.truth}
