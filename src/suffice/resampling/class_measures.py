"""Measures of classes: rates, losses of probabilities, areas of rankings, costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ..errors import InvalidParameter
from ..params import as_float
from ..typing import Floats
from .answers import Answers
from .measure_registry import LOSS, MEASURES, Counts, Measure, measure, unknown
from .ranking import Points, Ranking
from .rates import RATES, averaged, f_ratio, one_against_rest

_LARGEST_BETA = 1e150  # the squares of larger numbers overflow


def _right(answers: Answers) -> Counts:
    return float(np.trace(answers.confusion)), answers.total


def _wrong(answers: Answers) -> Counts:
    right, total = _right(answers)
    return max(0.0, total - right), total


@measure("accuracy", "classes", zone=0.01, counts=_right)
def accuracy(answers: Answers) -> float:
    """The share of rows whose class is right."""
    return answers.mean(answers.truth == answers.predicted)


@measure("error", "classes", larger=False, zone=0.01, counts=_wrong)
def error(answers: Answers) -> float:
    """The share of rows whose class is wrong."""
    return answers.mean(answers.truth != answers.predicted)


@measure("balanced_accuracy", "classes", zone=0.01)
def balanced_accuracy(answers: Answers) -> float:
    """The mean over classes of the share of their rows that is right."""
    return _averaged(answers, RATES["recall"], "macro")


def _losses(answers: Answers) -> Floats:
    given = answers.probability[np.arange(len(answers.truth)), answers.truth]
    return np.asarray(-np.log(np.clip(given, np.finfo(np.float64).eps, None)), dtype=np.float64)


@measure("log_loss", "classes", larger=False, needs="probability", bounds=LOSS, each=_losses)
def log_loss(answers: Answers) -> float:
    """The mean of −log of the probability given to the true class, which is taken as at least 2⁻⁵²."""
    return answers.mean(answers.kept("log_loss", lambda: _losses(answers)))


def _squares(answers: Answers) -> Floats:
    off = np.array(answers.probability, dtype=np.float64)
    off[np.arange(len(answers.truth)), answers.truth] -= 1
    return np.asarray(np.sum(off**2, axis=1) / (2 if len(answers.classes) == 2 else 1))


@measure("brier", "classes", larger=False, needs="probability", bounds=(0.0, 2.0), zone=0.01, each=_squares)
def brier(answers: Answers) -> float:
    """The mean of Σ (p − [true class])² over the classes; for two classes half of it, (p − [positive])²."""
    return answers.mean(_squares(answers))


@measure("roc_auc", "classes", needs="ranking", zone=0.01, each=unknown)
def roc_auc(answers: Answers) -> float:
    """The share of pairs of a positive and a negative row of one fold that are ranked rightly, the area under the ROC
    curve; with more than two classes, the mean of each against the rest."""
    return _area(answers, Ranking.roc, lambda positive, negative: positive * negative)


def _precision_of_one(answers: Answers) -> Floats:
    """1 for a positive row, which is all that there is to find; else not known."""
    found = np.full(len(answers.rows), math.nan)
    found[answers.truth == answers.positive] = 1.0
    return found


@measure("average_precision", "classes", needs="ranking", zone=0.01, each=_precision_of_one)
def average_precision(answers: Answers) -> float:
    """The mean over positive rows of the precision down to each in its fold, the area under the precision–recall
    curve; with more than two classes, the mean of each against the rest."""
    return _area(answers, Ranking.precision_recall, lambda positive, negative: positive)


def _area(answers: Answers, curve: Callable[..., Points], mass: Callable[[float, float], float]) -> float:
    codes = range(len(answers.classes)) if answers.positive is None else (answers.positive,)
    return float(np.mean([_within_folds(answers, code, curve, mass) for code in codes]))


def _within_folds(
    answers: Answers, code: int, curve: Callable[..., Points], mass: Callable[[float, float], float]
) -> float:
    """The mean area of the folds, each by the number of pairs or rows that its area is a mean over.

    The scores of two fits cannot be compared, so rows of different folds are not, unless no fold has both kinds.
    """
    total = area = 0.0
    for rows, ranking in answers.kept(("rankings", code), lambda: _rankings(answers, code)):
        weight = answers.weight[rows]
        hits, alarms = (float(part[-1]) for part in ranking.counts(weight))
        if hits > 0 and alarms > 0:
            total += mass(hits, alarms)
            area += mass(hits, alarms) * curve(ranking, weight).area
    if total > 0:
        return area / total
    whole = answers.kept(("ranking", code), lambda: Ranking.of(answers.truth == code, answers.score_of(code)))
    return curve(whole, answers.weight).area


def _rankings(answers: Answers, code: int) -> list[tuple[Any, Ranking]]:
    """The rows of each fold that has rows of this class and of others, and their ranking."""
    if answers.fold is None:
        return []
    yes, score = answers.truth == code, answers.score_of(code)
    of = np.unique(answers.fold, return_inverse=True)[1]
    hits, size = np.bincount(of, yes), np.bincount(of)
    order, ends = np.argsort(of, kind="stable"), np.cumsum(size)
    parts = [order[ends[k] - size[k] : ends[k]] for k in np.flatnonzero((hits > 0) & (hits < size))]
    return [(rows, Ranking.of(yes[rows], score[rows])) for rows in parts]


def _averaged(answers: Answers, ratio: Callable[..., Any], average: str | None) -> float:
    """A rate of the positive class, or over the classes."""
    rates = averaged(ratio(*_counts(answers)), average, answers.calls.sum(axis=1) > 0)
    return float(rates if average else rates[answers.positive])


def _counts(answers: Answers) -> Any:
    """TP, FP, FN and TN of each class; a row that was called none of the classes is a miss, and no false alarm."""
    tp, fp, _, _ = one_against_rest(answers.confusion)
    rows = answers.calls.sum(axis=1)
    return tp, fp, rows - tp, answers.total - rows - fp


def _rate(name: str, ratio: Callable[..., Any], average: str | None = None, doc: str = "") -> Measure:
    """A measure from a ratio of counts: of the positive class where there are two, else the mean over classes."""

    def compute(answers: Answers) -> float:
        return _averaged(answers, ratio, average or ("macro" if answers.positive is None else None))

    def counts(answers: Answers) -> Counts | None:
        if answers.positive is None:
            return None
        over, under = ratio(*_counts(answers))
        return float(over[answers.positive]), float(under[answers.positive])

    share = average is None and not name.startswith("f1") and not name.startswith("f_beta")
    return Measure(
        name, "classes", compute, name.split("_m")[0] not in ("false_positive_rate", "miss_rate"),
        zone=0.01, counts=counts if share else None, doc=doc,
    )  # fmt: skip


def f_beta(beta: float, average: str | None = None) -> Measure:
    """The F measure that gives recall β times the weight of precision, (1 + β²) P R / (β² P + R)."""
    if not isinstance(beta, Real) or not 0 < beta < _LARGEST_BETA:
        raise InvalidParameter(f"f_beta: beta must be a number above 0, below {_LARGEST_BETA:g}; got {beta!r:.80}.")
    return _rate(f"f_beta({beta:g})", f_ratio(float(beta)), average, f"The F measure with β = {beta:g}.")


def detection_cost(false_alarm: float = 1.0, miss: float = 1.0, per_row: bool = False) -> Measure:
    """The cost of all rows of two classes, false_alarm · FP + miss · FN; `per_row` divides it by their number.

    Where rows are tested more than once, each counts as one row with the mean of its costs.

    >>> detection_cost(1, 10), detection_cost(1, 10, per_row=True)
    (Measure('detection_cost(1, 10)'), Measure('detection_cost_per_row(1, 10)'))
    """
    for kind, cost in (("false_alarm", false_alarm), ("miss", miss)):
        if not isinstance(cost, Real) or not 0 <= as_float(cost) < math.inf:
            raise InvalidParameter(f"detection_cost: {kind} must be a number, finite and at least 0; got {cost!r:.80}.")

    def compute(answers: Answers) -> float:
        _, fp, fn, _ = (part[answers.positive] for part in _counts(answers))
        mean = float(false_alarm * fp + miss * fn) / answers.total if answers.total > 0 else float("nan")
        return mean if per_row else mean * answers.size

    doc = f"{false_alarm:g} for a false alarm, {miss:g} for a miss, {'a row' if per_row else 'of all rows'}."
    name = f"detection_cost{'_per_row' if per_row else ''}({false_alarm:g}, {miss:g})"
    return Measure(name, "classes", compute, False, bounds=LOSS, two_classes=True, doc=doc)


for _name, _ratio in RATES.items():
    for _average in (None, "macro", "micro"):
        _full = _name if _average is None else f"{_name}_{_average}"
        _how = _average or "of the positive class; with more than two classes, macro"
        MEASURES[_full] = _rate(_full, _ratio, _average, f"The {_name.replace('_', ' ')}, {_how}.")
MEASURES["detection_cost"] = detection_cost()
MEASURES["detection_cost_per_row"] = detection_cost(per_row=True)
