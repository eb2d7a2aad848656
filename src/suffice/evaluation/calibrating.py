"""`calibration`: whether probabilities come true, in figures with intervals, by class and in bins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..data.validate import check_weight
from ..errors import InvalidData
from ..params import check_argument
from ..plots import CalibrationDisplay, Reliability
from ..plots.calibration import bins_of, reliabilities
from ..plots.tables import one_a_row
from ..resampling.calibration import Isotonic, spiegelhalter
from ..resampling.cost_results import mean_interval
from ..resampling.intervals import Interval, check_level, normal_quantile
from ..text import aligned, counted, figure, html_table
from ..typing import AxesLike, Codes, Flags, Floats, Labels, TargetLike, WeightLike
from .results import Evaluation

_LEVEL = 0.05 / 3  # of each of three tests
_SURE = normal_quantile(1 - _LEVEL)  # standard errors
_DRAWS = 1000  # of outcomes that follow the probabilities
_MOST = 20_000_000  # outcomes that are drawn one by one
_STREAM = 2026  # the seed of these draws, so that the same rows give the same figures


@dataclass(frozen=True, eq=False)
class ClassCalibration:
    """Whether the probabilities of one class come true.

    brier
        The mean squared distance of probability and outcome, with an interval.
    miscalibration, discrimination, uncertainty
        Its parts, brier = miscalibration − discrimination + uncertainty: what is lost because probabilities do not come
        true, what is won because they tell rows apart, and the Brier score of saying the share of the class always.
        The true chances are estimated by isotonic regression (CORP; Dimitriadis, Gneiting and Jordan, 2021), so that no
        bins matter.
    error
        The expected calibration error: the mean distance of what was said and what came true in bins, by rows.
    error_if_true
        What this would be on average, and at the most in 95 % of samples, of such rows if the probabilities were true:
        it is above 0 by chance alone.
    error_chance
        How likely true probabilities are to have an error as large.
    too_low
        How many standard errors the share of the class is above the mean probability.
    too_extreme
        Spiegelhalter's z: how many standard errors the Brier score is above what the probabilities expect.
    bins
        The reliability diagram: for bins of probability the mean said, the share that came true, and its interval.
    """

    name: str
    brier: Interval
    miscalibration: float
    discrimination: float
    uncertainty: float
    error: float
    error_if_true: tuple[float, float]
    error_chance: float
    too_low: float
    too_extreme: float
    bins: Reliability

    @property
    def verdict(self) -> str:
        """Too low, too high, too extreme, too cautious, not calibrated, or no sign of a fault; wrong in 5 % of samples.

        Each of three tests is at a third of that. Extreme and cautious are said of probabilities whose mean is right.
        """
        if abs(self.too_low) > _SURE:
            return "too low" if self.too_low > 0 else "too high"
        if abs(self.too_extreme) > _SURE:
            return "too extreme" if self.too_extreme > 0 else "too cautious"
        return "not calibrated" if self.error_chance < _LEVEL else "no sign of a fault"


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Whether probabilities come true, class by class; print it, plot it, or take its figures."""

    classes: tuple[ClassCalibration, ...]
    rows: int

    def __getitem__(self, name: object) -> ClassCalibration:
        found = next((one for one in self.classes if one.name == str(name)), None)
        if found is None:
            raise KeyError(name)
        return found

    @cached_property
    def display(self) -> CalibrationDisplay:
        """The reliability diagram, not drawn."""
        return CalibrationDisplay([one.bins for one in self.classes])

    def plot(self, ax: AxesLike = None) -> CalibrationDisplay:
        """The reliability diagram, with 95 % intervals."""
        return self.display.drawn(ax)

    def table(self) -> list[dict[str, object]]:
        """One row a class."""
        return [
            {
                "class": one.name, "brier": one.brier.value, "brier_low": one.brier.low, "brier_high": one.brier.high,
                "miscalibration": one.miscalibration, "discrimination": one.discrimination,
                "uncertainty": one.uncertainty, "error": one.error, "error_if_true": one.error_if_true[0],
                "error_if_true_most": one.error_if_true[1], "error_chance": one.error_chance,
                "too_low": one.too_low, "too_extreme": one.too_extreme, "verdict": one.verdict,
            }
            for one in self.classes
        ]  # fmt: skip

    def bins(self) -> dict[str, Any]:
        """The reliability diagram as a table, one row a bin."""
        return self.display.table()

    def __repr__(self) -> str:
        return f"Calibration({', '.join(f'{one.name}: {one.verdict}' for one in self.classes[:3])})"

    def __str__(self) -> str:
        return "\n".join([f"{counted(self.rows, 'row')}", "", aligned(self._rows()), "", *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), counted(self.rows, "row"), self._notes())

    def _rows(self) -> Sequence[Sequence[str]]:
        header = ("class", "brier", "miscalibration", "discrimination", "uncertainty", "error", "if true", "verdict")
        return [
            header,
            *(
                (one.name, str(one.brier), figure(one.miscalibration, 2), figure(one.discrimination, 2),
                 figure(one.uncertainty, 2), figure(one.error, 2), f"< {figure(one.error_if_true[1], 2)}", one.verdict)
                for one in self.classes
            ),
        ]  # fmt: skip

    def _notes(self) -> list[str]:
        return [
            "brier = miscalibration − discrimination + uncertainty",
            "error: mean distance of what was said and what came true; of true probabilities below `if true` in 95 % "
            "of samples",
        ]


def calibration(
    y: TargetLike,
    probability: object = None,
    *,
    classes: TargetLike = None,
    positive: object = None,
    bins: int = 10,
    strategy: str = "quantile",
    sample_weight: WeightLike = None,
    level: float = 0.95,
) -> Calibration:
    """Whether probabilities come true: Brier score and its parts, calibration error, reliability diagram.

    y, probability
        Classes, and what was said of them before: (n,) of the second of two classes, or one column a class, (n, k), of
        rows that the model has not learned from. Or what `evaluate` found, alone: the probabilities of rows left out.
    classes, positive
        The order of the columns, sorted by default; and, of two classes, which one the figures are about.
    bins, strategy
        Of the reliability diagram and the error: with equally many rows ("quantile") or of equal width ("uniform").
    sample_weight
        How many rows each one stands for.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=2000)
    >>> rain = rng.random(2000) < p
    >>> sure = p**3 / (p**3 + (1 - p) ** 3)
    >>> calibration(rain, p)["True"].verdict, calibration(rain, sure)["True"].verdict
    ('no sign of a fault', 'too extreme')
    """
    check_argument("calibration", "bins", bins, integer=True, at_least=1, at_most=1000)
    check_level(level)
    if isinstance(y, Evaluation):
        y, probability, classes = _of_evaluation(y)
    truth = one_a_row(y, "calibration")
    weight = None if sample_weight is None else check_weight(sample_weight, len(truth), "calibration")
    if weight is not None and not weight.sum() > 0:
        raise InvalidData("calibration: no row has a weight above 0.")
    if not len(truth):
        raise InvalidData("calibration: y has no rows; at least 1 is needed.")
    made = reliabilities(truth, probability, classes, positive, bins, strategy, weight, "calibration")
    found = [_of_class(curve, yes, p, bins_of(p, bins, strategy), weight, level) for curve, yes, p in made]
    return Calibration(tuple(found), len(truth))


def _of_evaluation(found: Evaluation) -> tuple[Labels, Floats, Labels]:
    """The truth, the probabilities of rows left out, and the classes."""
    answers = found.answers
    if answers.probability is None:
        raise InvalidData(f"calibration: {found.name} gives no probabilities.")
    names = np.empty(len(found.classes), dtype=object)
    names[:] = list(found.classes)
    return names[np.asarray(answers.truth)], np.asarray(answers.probability, dtype=np.float64), names


def _of_class(
    curve: Reliability, yes: Flags, p: Floats, place: Codes, weight: Floats | None, level: float
) -> ClassCalibration:
    w = np.ones(len(p)) if weight is None else weight
    own, share = Isotonic.of(p, yes, w)(p), float(np.average(yes, weights=w))
    total, best = _brier(p, yes, w), _brier(own, yes, w)
    plain = share * (1 - share)
    chance = _errors_if_true(p, w, place)
    return ClassCalibration(
        curve.name, mean_interval((p - yes) ** 2, w, level, 0.0, 1.0), max(total - best, 0.0),
        max(plain - best, 0.0), plain, curve.error,
        (float(chance.mean()), float(np.quantile(chance, 0.95))), float(np.mean(chance >= curve.error - 1e-12)),
        _off(p, yes, w), spiegelhalter(p, yes, w), curve,
    )  # fmt: skip


def _brier(p: Floats, yes: Flags, w: Floats) -> float:
    return float(np.average((p - yes) ** 2, weights=w))


def _off(p: Floats, yes: Flags, w: Floats) -> float:
    """How many standard errors more rows came true than was said."""
    above, variance = float(w @ (yes - p)), float(w @ (p * (1 - p)))
    if variance > 0:
        return above / float(np.sqrt(variance))
    return float(np.copysign(np.inf, above)) if above else 0.0


def _errors_if_true(p: Floats, w: Floats, place: Codes) -> Floats:
    """The calibration error in these bins of outcomes that follow the probabilities, (draws,)."""
    rng, bins = np.random.default_rng(_STREAM), int(place.max()) + 1
    if len(p) * _DRAWS > _MOST:  # sums of so many outcomes are normal
        deviation = np.sqrt(np.bincount(place, w**2 * p * (1 - p), bins))
        return np.asarray(np.abs(rng.normal(size=(_DRAWS, bins)) * deviation).sum(axis=1) / w.sum())
    off = (w * ((rng.random(len(p)) < p) - p) for _ in range(_DRAWS))
    return np.array([np.abs(np.bincount(place, one, bins)).sum() / w.sum() for one in off])
