"""Receiver operating characteristic: the share of positives found over the share of false alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..typing import Floats
from .ranking import STEPS, RankingDisplay


@dataclass(eq=False, repr=False)
class RocDisplay(RankingDisplay):
    """ROC curves, TP/(TP + FN) over FP/(FP + TN), one a class, or means of folds with bands.

    >>> from suffice.plots.ranking import Ranking
    >>> RocDisplay([Ranking("ill", np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]), 1.0, 0.5)]).areas()
    {'ill': 1.0}
    """

    x_name: ClassVar[str] = "false positive rate"
    y_name: ClassVar[str] = "true positive rate"
    area_name: ClassVar[str] = "area"

    @classmethod
    def curve(cls, yes: NDArray[np.bool_], score: Floats, weight: Floats | None) -> tuple[Floats, Floats, float, float]:
        """One point a threshold, with the ones on a straight line left out."""
        from ..resampling.ranking import Ranking

        ranking = Ranking.of(yes, score)
        hits, alarms = (np.diff(counts[1:], 2) != 0 for counts in ranking.counts(weight))
        end = np.ones(int(len(ranking.last) > 1), dtype=bool)  # none of its own where all scores are equal
        corner = np.concatenate([[True, True], hits | alarms, end])
        found = ranking.roc(weight)
        return found.x[corner], found.y[corner], found.area, found.baseline

    @classmethod
    def at_steps(cls, x: Floats, y: Floats) -> Floats:
        """Straight lines between the points; at 0 the curve begins."""
        heights = np.interp(STEPS, x, y)
        heights[0] = 0.0
        return np.asarray(heights)

    def chances(self) -> list[Floats]:
        """The diagonal."""
        return [np.array([[0.0, 0.0], [1.0, 1.0]])]
