"""The gap between training and future error, and what it says about overfitting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..resampling import Answers, Fold, Interval, Measure, Problem, jackknife
from ..resampling.intervals import spread
from ..text import figure
from ..typing import Floats
from .left_out import held_out_ratio, left_out_of


@dataclass(frozen=True)
class Gap:
    """A measure of the rows that the fits learned from, and of rows that they did not see."""

    measure: Measure
    training: float
    future: float
    worse: Interval  # by how much the measure is worse on new rows: negative where it is better
    zone: float  # gaps up to this do not matter

    @property
    def verdict(self) -> str:
        """ "overfitting" where the whole interval is beyond the zone, "none" where none of it is, else "undecided"."""
        if self.worse.low > self.zone:
            return "overfitting"
        return "none" if self.worse.high <= self.zone else "undecided"  # NaN is neither

    def __str__(self) -> str:
        name, matters = self.measure.name, f"gaps up to {figure(self.zone, 3)} do not matter"
        sure = f"{figure(self.worse.value)} [{figure(self.worse.low)}, {figure(self.worse.high)}]"
        if math.isnan(self.worse.low):
            sure = f"{figure(self.worse.value)}, and how sure that is, is unknown"
        verdict = {
            "overfitting": "a sign of overfitting",
            "none": "no sign of overfitting",
            "undecided": "undecided whether it overfits",
        }[self.verdict]
        return f"{verdict}: the gap of {name}, by which new rows are worse than training rows, is {sure}; {matters}"


def gap_of(of: Problem, folds: Sequence[Fold], one: Measure, level: float, zone: float | None = None) -> Gap:
    """The gap of the folds that did not fail: without each fold in turn where there are at least two, else each row.

    Without a zone, that of the measure, or 1 % of its value.
    """
    new, seen = [fold.answers(of) for fold in folds], [fold.training_answers(of) for fold in folds]
    sign = 1.0 if one.larger else -1.0
    if one.pooled or len(folds) == 1:
        new, seen = [Answers.joined(new)], [Answers.joined(seen)]
        seen[0].kept("size", lambda: new[0].size)  # a total is that of as many rows
        worse = _jackknifed(of, folds, seen[0], new[0], one, sign, level)
    else:
        worse = _over_folds(folds, np.array([sign * (one(a) - one(b)) for a, b in zip(seen, new, strict=True)]), level)
    training, future = (float(np.mean([one(part) for part in parts])) for parts in (seen, new))
    zone = next(z for z in (zone, one.zone, 0.01 * abs(future)) if z is not None)
    return Gap(one, training, future, worse, zone)


def _jackknifed(
    of: Problem, folds: Sequence[Fold], seen: Answers, new: Answers, one: Measure, sign: float, level: float
) -> Interval:
    both, m = Answers.joined([seen, new]), len(seen.rows)
    left_out = jackknife(
        lambda weight: sign * (one(seen.weighted(weight[:m])) - one(new.weighted(weight[m:]))),
        left_out_of(of, both, len(folds) > 1),
    )
    if len(folds) == 1:
        return left_out.interval(level)
    return left_out.interval(level, ratio=held_out_ratio(folds), method="corrected t")


def _over_folds(folds: Sequence[Fold], values: Floats, level: float) -> Interval:
    known = np.isfinite(values)
    if not known.any():
        return Interval(math.nan, math.nan, math.nan, level, "corrected t")
    parts = [fold for fold, here in zip(folds, known, strict=True) if here]
    return spread(values[known], [len(f.learned_from) for f in parts], [len(f.test) for f in parts]).interval(level)


FITS = (
    "overfits: better than {best} on training rows, and worse on new rows",
    "underfits: worse than {best} on training rows, and on new rows",
)


def fit_beside(own: Gap, best: Gap, worse: bool) -> str:
    """What a model does beside the best one, from whether it is surely `worse` on new rows; nothing where it is not.

    A model overfits where another has more training error and less future error, and it underfits where another has
    less of both (Mitchell, 1997). Training errors are those of the rows that there are, so they are known.
    """
    if not worse or own.training == best.training:
        return ""
    better = own.training > best.training if own.measure.larger else own.training < best.training
    return "overfits" if better else "underfits"
