"""The difference of two models on the same rows, and what is sure of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..resampling import Answers, Interval, Measure
from ..resampling.intervals import Spread, paired_rates
from .results import Evaluation


@dataclass(frozen=True, eq=False)
class Difference:
    """A model less another by one measure, on the same rows."""

    name: str
    other: str
    measure: Measure
    values: NDArray[np.float64]  # of each fold; NaN where either has no score
    interval: Interval
    zone: float  # differences up to this do not matter
    known: Spread | None = None  # of the difference; None where there is one fold only

    @property
    def verdict(self) -> str:
        """ "better" or "worse" where the whole interval is beyond the zone, "equivalent" where all of it is within,
        else "undecided"."""
        low, high = self.interval.low, self.interval.high
        if math.isnan(low):
            return "undecided"
        if not self.measure.larger:
            low, high = -high, -low
        if low > self.zone or high < -self.zone:
            return "better" if low > self.zone else "worse"
        return "equivalent" if low >= -self.zone and high <= self.zone else "undecided"

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability that the model is worse, equivalent or better, given the scores of the folds.

        It is that of the correlated t test of Corani and Benavoli (2015); NaN where there are no two folds.
        """
        if self.known is None or self.known.freedom == 0:
            return dict.fromkeys(("worse", "equivalent", "better"), math.nan)
        below, up_to = self.known.below(-self.zone), self.known.below(np.nextafter(self.zone, np.inf))
        low, high = ("worse", "better") if self.measure.larger else ("better", "worse")
        found = {low: below, "equivalent": up_to - below, high: 1 - up_to}
        return {key: found[key] for key in ("worse", "equivalent", "better")}

    def __str__(self) -> str:
        return f"{self.name} − {self.other}, {self.measure.name}: {self.interval}, {self.verdict}"


def common_answers(first: Evaluation, second: Evaluation) -> tuple[Answers, Answers]:
    """The answers of both, of the folds in which neither failed."""
    pairs = zip(first.folds, second.folds, strict=True)
    folds = [(a, b) for a, b in pairs if a.error is None and b.error is None]
    if not folds:
        raise InvalidData(f"compare: {first.name} and {second.name} have no fold in which neither failed.")
    one, other = (Answers.joined([fold.answers(first.problem) for fold in part]) for part in zip(*folds, strict=True))
    return one, other


def by_rows(a: Answers, b: Answers, one: Measure, level: float) -> Interval:
    """The difference of two rates of the same rows."""
    first, second = ((said.truth == said.predicted) == one.larger for said in (a, b))
    gained, lost = (float(a.weight[rows].sum()) for rows in (first & ~second, second & ~first))
    return paired_rates(gained, lost, a.total, level)


def of_two(first: Interval, second: Interval) -> Interval:
    """The difference of two estimates by their own intervals (Zou and Donner, 2008), as if they were independent.

    With estimates a, b and intervals [l, u], it is a − b − √((a − l₁)² + (u₂ − b)²) to
    a − b + √((u₁ − a)² + (b − l₂)²). For rows of both models that are the same it is a little too wide.

    >>> print(of_two(Interval(1.0, 0.7, 1.0), Interval(0.5, 0.4, 0.6)))
    0.5 [0.1838, 0.6]
    """
    value = first.value - second.value
    below = math.hypot(first.value - first.low, second.high - second.value)
    above = math.hypot(first.high - first.value, second.value - second.low)
    return Interval(value, value - below, value + above, first.level, "MOVER")


def difference_columns(to: str, difference: Difference | None) -> dict[str, object]:
    """A difference to the best or to the dummy as entries of a row of figures."""
    keys = ("difference", "low", "high", "verdict", "p_better", "p_equivalent", "p_worse")
    if difference is None:
        return {f"{key}_to_{to}": None for key in keys}
    found, p = difference.interval, difference.probabilities
    values = (found.value, found.low, found.high, difference.verdict, p["better"], p["equivalent"], p["worse"])
    return {f"{key}_to_{to}": value for key, value in zip(keys, values, strict=True)}
