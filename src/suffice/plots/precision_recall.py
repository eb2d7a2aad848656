"""Precision and recall: how many of those called positive are, over the share of positives found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..typing import Floats
from .ranking import STEPS, Ranking, RankingDisplay


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
        """One point a threshold, from recall 0 on."""
        from ..resampling.ranking import Ranking

        return Ranking.of(yes, score).precision_recall(weight)

    @classmethod
    def at_steps(cls, x: Floats, y: Floats) -> Floats:
        """The precision at the highest threshold that reaches a recall."""
        return np.asarray(y[np.minimum(np.searchsorted(x, STEPS - 1e-12), len(y) - 1)])

    def path(self, curve: Ranking) -> Floats:
        """Steps, unless it is a mean of folds: the precision of a threshold holds back to the recall before it."""
        line = super().path(curve)
        if curve.low is not None:
            return line
        x, y = line.T
        return np.column_stack([np.repeat(x, 2)[:-1], np.repeat(y, 2)[1:]])

    def chances(self) -> list[Floats]:
        """The share of positives, for up to seven curves."""
        return [np.array([[0.0, curve.chance], [1.0, curve.chance]]) for curve in self.curves[:7]]
