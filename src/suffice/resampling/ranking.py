"""Rows ranked by a score: the curves over all thresholds and their areas."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.rows import as_array, as_numbers
from ..errors import InvalidData
from ..typing import Floats, WeightLike


class Points(NamedTuple):
    """A curve: one point a threshold, the area below, and the area of a score that knows nothing."""

    x: Floats
    y: Floats
    area: float
    baseline: float


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
        yes, value = as_array(positive, "A ranking"), as_numbers(score, "A ranking")
        if yes.dtype.kind == "V" or yes.ndim != 1 or yes.shape != value.shape:
            raise InvalidData(f"A ranking needs one truth and one score a row; got shapes {yes.shape}, {value.shape}.")
        if not len(value):
            raise InvalidData("A ranking needs rows; got none.")
        if np.isnan(value).any():
            raise InvalidData(f"A ranking needs scores; row {int(np.argmax(np.isnan(value)))} holds NaN.")
        yes, order = yes.astype(bool), np.argsort(-value, kind="stable")
        value = value[order]
        last = np.append(np.flatnonzero(value[1:] != value[:-1]), len(value) - 1)
        return cls(order, yes[order], last, np.concatenate([[math.inf], value[last]]))

    def counts(self, sample_weight: WeightLike = None) -> tuple[Floats, Floats]:
        """The weight of positive and of negative rows at or above each threshold, from (0, 0) on."""
        weight = np.ones(len(self.order)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != self.order.shape:
            raise InvalidData(f"A ranking needs one weight a row, {self.order.shape}; got shape {weight.shape}.")
        weight = weight[self.order]
        parts = (np.cumsum(np.where(self.yes, weight, 0)), np.cumsum(np.where(self.yes, 0, weight)))
        hits, alarms = (np.concatenate([[0.0], part[self.last]]) for part in parts)
        return hits, alarms

    def roc(self, sample_weight: WeightLike = None) -> Points:
        """The true positive rate over the false positive rate."""
        hits, alarms = self.counts(sample_weight)
        with np.errstate(invalid="ignore", divide="ignore"):
            x, y = alarms / alarms[-1], hits / hits[-1]
        return Points(x, y, float(np.trapezoid(y, x)), 0.5)

    def precision_recall(self, sample_weight: WeightLike = None) -> Points:
        """The precision over the recall."""
        hits, alarms = self.counts(sample_weight)
        called = hits + alarms
        with np.errstate(invalid="ignore", divide="ignore"):
            recall = hits / hits[-1]
            precision = np.where(called > 0, hits / np.where(called > 0, called, 1), 1.0)
            area = float(np.sum(np.diff(recall) * precision[1:]))
            share = float(hits[-1] / called[-1])
        return Points(recall, precision, area, share)
