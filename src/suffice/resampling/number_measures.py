"""Measures of numbers: how far predictions are from the truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..typing import Floats, Numbers
from .answers import Answers
from .measure_registry import LOSS, measure


def _squares(answers: Answers) -> Any:
    off = np.square(np.asarray(answers.truth, dtype=np.float64) - answers.predicted)
    return off if off.ndim == 1 else off.mean(axis=1)


@measure("mse", "numbers", larger=False, bounds=LOSS)
def mse(answers: Answers) -> float:
    """The mean of (y − ŷ)²; over several targets their mean."""
    return answers.mean(_squares(answers))


@measure("rmse", "numbers", larger=False, bounds=LOSS)
def rmse(answers: Answers) -> float:
    """The root of the mean of (y − ŷ)²."""
    return float(np.sqrt(answers.mean(_squares(answers))))


@measure("mae", "numbers", larger=False, bounds=LOSS)
def mae(answers: Answers) -> float:
    """The mean of |y − ŷ|."""
    off = np.abs(np.asarray(answers.truth, dtype=np.float64) - answers.predicted)
    return answers.mean(off if off.ndim == 1 else off.mean(axis=1))


@measure("r2", "numbers", bounds=(-math.inf, 1.0), zone=0.01)
def r2(answers: Answers) -> float:
    """1 − Σ (y − ŷ)² / Σ (y − ȳ)², ȳ the mean of the same rows; over several targets their mean."""
    return _over_targets(answers, _r2)


@measure("correlation", "numbers", bounds=(-1.0, 1.0), zone=0.01)
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
    about = float(np.dot(w, (y - np.average(y, weights=w)) ** 2))
    return 1 - float(np.dot(w, (y - said) ** 2)) / about if about > 0 else float("nan")


def _correlation(y: Numbers, said: Numbers, w: Floats) -> float:
    y, said = y - np.average(y, weights=w), said - np.average(said, weights=w)
    both = float(np.dot(w, y**2) * np.dot(w, said**2))
    return float(np.dot(w, y * said)) / both**0.5 if both > 0 else float("nan")
