"""Ranking rows by a score: the ROC and the precision–recall curve, their areas, and what chance would give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..text import figure

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankingCurve:
    """A curve over all thresholds: a row is called positive where its score is at least the threshold."""

    x_name: str
    y_name: str
    x: Floats
    y: Floats
    thresholds: Floats  # of each point
    area: float
    baseline: float  # the area of a score that knows nothing

    def table(self) -> list[dict[str, float]]:
        """One row a threshold."""
        names = ("threshold", self.x_name, self.y_name)
        points = zip(self.thresholds.tolist(), self.x.tolist(), self.y.tolist(), strict=True)
        return [dict(zip(names, point, strict=True)) for point in points]

    def __str__(self) -> str:
        return f"{self.y_name} over {self.x_name}: area {figure(self.area)}, by chance {figure(self.baseline)}"


def roc(positive: Any, score: Any, sample_weight: Any = None) -> RankingCurve:
    """The receiver operating characteristic, TP/(TP + FN) over FP/(FP + TN).

    Its area is the probability that a positive row scores above a negative one, ties counting half; by chance ½.

    >>> curve = roc([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> print(curve)
    true positive rate over false positive rate: area 0.75, by chance 0.5
    """
    return Ranking.of(positive, score).roc(sample_weight)


def precision_recall(positive: Any, score: Any, sample_weight: Any = None) -> RankingCurve:
    """The precision TP/(TP + FP) over the recall TP/(TP + FN).

    Its area is the average precision, Σ (Rₖ − Rₖ₋₁) Pₖ, which does not interpolate; by chance it is the share of
    positive rows.

    >>> print(precision_recall([False, False, True, True], [0.1, 0.4, 0.35, 0.8]))
    precision over recall: area 0.8333, by chance 0.5
    """
    return Ranking.of(positive, score).precision_recall(sample_weight)


def roc_area(positive: Any, score: Any, sample_weight: Any = None) -> float:
    """The area under the ROC curve; NaN without a positive or without a negative row."""
    return roc(positive, score, sample_weight).area


def precision_recall_area(positive: Any, score: Any, sample_weight: Any = None) -> float:
    """The average precision; NaN without a positive row."""
    return precision_recall(positive, score, sample_weight).area


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows in the order of their scores, highest first; what is sorted once serves any weights."""

    order: NDArray[np.int64]  # (m,)
    yes: NDArray[np.bool_]  # (m,): whether positive, in this order
    last: NDArray[np.int64]  # of each run of equal scores
    thresholds: Floats  # of the runs, after infinity

    @classmethod
    def of(cls, positive: Any, score: Any) -> Ranking:
        """Sort the rows."""
        yes, value = np.asarray(positive, dtype=bool), np.asarray(score, dtype=np.float64)
        if yes.ndim != 1 or yes.shape != value.shape:
            raise InvalidData(f"A ranking needs one truth and one score a row; got shapes {yes.shape}, {value.shape}.")
        if np.isnan(value).any():
            raise InvalidData(f"A ranking needs scores; row {int(np.argmax(np.isnan(value)))} holds NaN.")
        order = np.argsort(-value, kind="stable")
        value = value[order]
        last = np.append(np.flatnonzero(value[1:] != value[:-1]), len(value) - 1)
        return cls(order, yes[order], last, np.concatenate([[math.inf], value[last]]))

    def counts(self, sample_weight: Any = None) -> tuple[Floats, Floats]:
        """The weight of positive and of negative rows at or above each threshold, from (0, 0) on."""
        weight = np.ones(len(self.order)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != self.order.shape:
            raise InvalidData(f"A ranking needs one weight a row, {self.order.shape}; got shape {weight.shape}.")
        weight = weight[self.order]
        parts = (np.cumsum(np.where(self.yes, weight, 0)), np.cumsum(np.where(self.yes, 0, weight)))
        hits, alarms = (np.concatenate([[0.0], part[self.last]]) for part in parts)
        return hits, alarms

    def roc(self, sample_weight: Any = None) -> RankingCurve:
        """The receiver operating characteristic."""
        hits, alarms = self.counts(sample_weight)
        with np.errstate(invalid="ignore", divide="ignore"):
            x, y = alarms / alarms[-1], hits / hits[-1]
        names = "false positive rate", "true positive rate"
        return RankingCurve(*names, x, y, self.thresholds, float(np.trapezoid(y, x)), 0.5)

    def precision_recall(self, sample_weight: Any = None) -> RankingCurve:
        """The precision over the recall."""
        hits, alarms = self.counts(sample_weight)
        called = hits + alarms
        with np.errstate(invalid="ignore", divide="ignore"):
            recall = hits / hits[-1]
            precision = np.where(called > 0, hits / np.where(called > 0, called, 1), 1.0)
            area = float(np.sum(np.diff(recall) * precision[1:]))
            share = float(hits[-1] / called[-1])
        return RankingCurve("recall", "precision", recall, precision, self.thresholds, area, share)
