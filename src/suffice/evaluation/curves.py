"""Ranking rows by a score: the ROC and the precision–recall curve, their areas, and what chance would give."""

from __future__ import annotations

from dataclasses import dataclass

from ..data.validate import check_weight
from ..resampling.ranking import Ranking
from ..text import figure
from ..typing import Floats, NumberLike, WeightLike


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


def roc(positive: object, score: NumberLike, sample_weight: WeightLike = None) -> RankingCurve:
    """The receiver operating characteristic, TP/(TP + FN) over FP/(FP + TN).

    Its area is the probability that a positive row scores above a negative one, ties counting half; by chance ½.

    >>> curve = roc([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> print(curve)
    true positive rate over false positive rate: area 0.75, by chance 0.5
    """
    ranking = Ranking.of(positive, score)
    x, y, area, chance = ranking.roc(_weight(sample_weight, ranking, "roc"))
    return RankingCurve("false positive rate", "true positive rate", x, y, ranking.thresholds, area, chance)


def precision_recall(positive: object, score: NumberLike, sample_weight: WeightLike = None) -> RankingCurve:
    """The precision TP/(TP + FP) over the recall TP/(TP + FN).

    Its area is the average precision, Σ (Rₖ − Rₖ₋₁) Pₖ, which does not interpolate; by chance it is the share of
    positive rows.

    >>> print(precision_recall([False, False, True, True], [0.1, 0.4, 0.35, 0.8]))
    precision over recall: area 0.8333, by chance 0.5
    """
    ranking = Ranking.of(positive, score)
    x, y, area, chance = ranking.precision_recall(_weight(sample_weight, ranking, "precision_recall"))
    return RankingCurve("recall", "precision", x, y, ranking.thresholds, area, chance)


def roc_area(positive: object, score: NumberLike, sample_weight: WeightLike = None) -> float:
    """The area under the ROC curve; NaN without a positive or without a negative row."""
    return roc(positive, score, sample_weight).area


def precision_recall_area(positive: object, score: NumberLike, sample_weight: WeightLike = None) -> float:
    """The average precision; NaN without a positive row."""
    return precision_recall(positive, score, sample_weight).area


def _weight(sample_weight: WeightLike, ranking: Ranking, owner: str) -> Floats | None:
    return None if sample_weight is None else check_weight(sample_weight, len(ranking.order), owner)
