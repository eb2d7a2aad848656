"""Measures of numbers: how far predictions are from the truth."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..backend.weights import weighted_sum
from ..typing import Floats, Numbers
from .answers import Answers
from .measure_registry import LOSS, measure, unknown


def _squares(answers: Answers) -> Floats:
    return _over_columns(np.square(np.asarray(answers.truth, dtype=np.float64) - answers.predicted))


def _distances(answers: Answers) -> Floats:
    return _over_columns(np.abs(np.asarray(answers.truth, dtype=np.float64) - answers.predicted))


def _over_columns(off: Floats) -> Floats:
    return off if off.ndim == 1 else np.asarray(off.mean(axis=1))


@measure("mse", "numbers", larger=False, bounds=LOSS, each=_squares)
def mse(answers: Answers) -> float:
    """The mean of (y − ŷ)²; over several targets their mean."""
    return answers.mean(_squares(answers))


@measure("rmse", "numbers", larger=False, bounds=LOSS, each=lambda answers: np.sqrt(_squares(answers)))
def rmse(answers: Answers) -> float:
    """The root of the mean of (y − ŷ)²."""
    return float(np.sqrt(answers.mean(_squares(answers))))


@measure("mae", "numbers", larger=False, bounds=LOSS, each=_distances)
def mae(answers: Answers) -> float:
    """The mean of |y − ŷ|."""
    return answers.mean(_distances(answers))


@measure("r2", "numbers", bounds=(-math.inf, 1.0), zone=0.01, each=unknown)
def r2(answers: Answers) -> float:
    """1 − Σ (y − ŷ)² / Σ (y − ȳ)², ȳ the mean of the same rows; over several targets their mean."""
    return _over_targets(answers, _r2)


@measure("correlation", "numbers", bounds=(-1.0, 1.0), zone=0.01, each=unknown)
def correlation(answers: Answers) -> float:
    """The correlation of y and ŷ, which sees neither shift nor scale; over several targets their mean."""
    return _over_targets(answers, _correlation)


def _over_targets(answers: Answers, compute: Callable[[Numbers, Numbers, Floats], float]) -> float:
    if not answers.total > 0:
        return float("nan")
    truth, said = (np.asarray(a, dtype=np.float64) for a in (answers.truth, answers.predicted))
    truth, said = truth.reshape(len(truth), -1).T, said.reshape(len(said), -1).T
    return float(np.mean([compute(t, s, answers.weight) for t, s in zip(truth, said, strict=True)]))


def _r2(y: Numbers, said: Numbers, w: Floats) -> float:
    about = weighted_sum(w, (y - np.average(y, weights=w)) ** 2)
    return 1 - weighted_sum(w, (y - said) ** 2) / about if about > _nothing(y, w) else float("nan")


def _correlation(y: Numbers, said: Numbers, w: Floats) -> float:
    own, other = y - np.average(y, weights=w), said - np.average(said, weights=w)
    squares = weighted_sum(w, own**2), weighted_sum(w, other**2)
    if not (squares[0] > _nothing(y, w) and squares[1] > _nothing(said, w)):
        return float("nan")
    return weighted_sum(w, own * other) / (math.sqrt(squares[0]) * math.sqrt(squares[1]))


def _nothing(y: Numbers, w: Floats) -> float:
    """What rounding may leave of the squares about the mean of numbers that are all equal."""
    return (8 * float(np.finfo(np.float64).eps)) ** 2 * weighted_sum(w, np.square(y))
