"""Precision and recall: how many of those called positive are, over the share of positives found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from . import style
from .ranking import STEPS, Ranking, RankingDisplay, some_points
from .tables import Floats


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(RankingDisplay):
    """Precision TP/(TP + FP) over recall TP/(TP + FN); the area is the average precision, Σ (Rₖ − Rₖ₋₁) Pₖ.

    Between two thresholds nothing is interpolated: the line is a step. Dashes are the share of positives, which is
    what a score that knows nothing gives.

    >>> PrecisionRecallDisplay([Ranking("ill", np.array([0.0, 1.0]), np.array([1.0, 0.5]), 0.5, 0.5)]).areas()
    {'ill': 0.5}
    """

    x_name: ClassVar[str] = "recall"
    y_name: ClassVar[str] = "precision"
    area_name: ClassVar[str] = "average precision"

    @classmethod
    def curve(cls, yes: NDArray[np.bool_], score: Floats, weight: Floats | None) -> tuple[Floats, Floats, float, float]:
        """scikit-learn's points, from recall 0 on."""
        from sklearn.metrics import precision_recall_curve

        precision, recall, _ = precision_recall_curve(yes, score, sample_weight=weight)
        x, y = recall[::-1], precision[::-1]
        return x, y, float(np.sum(np.diff(x) * y[1:])), float(np.average(yes, weights=weight))

    @classmethod
    def at_steps(cls, x: Floats, y: Floats) -> Floats:
        """The precision at the highest threshold that reaches a recall."""
        return np.asarray(y[np.minimum(np.searchsorted(x, STEPS - 1e-12), len(y) - 1)])

    def _line(self, curve: Ranking, look: dict[str, Any]) -> None:
        steps = {} if curve.low is not None else {"drawstyle": "steps-pre"}
        kept = some_points(len(curve.x))
        self.ax_.plot(curve.x[kept], curve.y[kept], label=curve.name, **look, **steps)

    def _chance(self) -> None:
        for k, curve in enumerate(self.curves[:7]):
            look = {"linewidth": 0.9, "linestyle": style.DASHED, "zorder": 1, "alpha": 0.6}
            colour = style.QUIET if len(self.curves) == 1 else style.COLOURS[k]
            self.ax_.axhline(curve.chance, color=colour, **look)
