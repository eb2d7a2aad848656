"""The coefficients without slopes, where paths begin."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..backend.weights import given_or_ones
from ..data import Chunk
from ..errors import InvalidData
from ..losses import Loss
from ..typing import Floats
from .newton import Newton
from .problem import Coefficients, Limits, Problem


def without_slopes(problem: Problem) -> tuple[Coefficients, float]:
    """The intercepts that fit best where all slopes are 0, those of offsets 1, and the mean loss there."""
    if problem.classes is not None:
        return _of_classes(problem, problem.classes)
    return _of_one_predictor(problem) if problem.free is None else _beside_offset(problem)


def _of_classes(problem: Problem, k: int) -> tuple[Coefficients, float]:
    zero = problem.zero()
    if not problem.fit_intercept:
        return zero, _mean_loss(problem, zero)
    weight = problem.source.reduce(partial(_class_weights, k=k))
    if np.any(weight <= 0):
        raise _without_class(problem)
    logs = np.log(weight / weight.sum())
    found = Coefficients(zero.slope, logs - logs.mean())
    return found, _mean_loss(problem, found)


def _without_class(problem: Problem) -> InvalidData:
    return InvalidData(
        f"{problem.owner}: no row of one of the classes is among those learned from; leave such a class out, or take "
        "fewer folds."
    )


def _beside_offset(problem: Problem) -> tuple[Coefficients, float]:
    assert problem.free is not None
    found = Coefficients(np.where(problem.free, 0.0, 1.0), np.zeros(()))
    if problem.fit_intercept:
        held = replace(problem.on(problem.source), free=np.zeros(problem.columns, dtype=bool))
        found = Newton().solve(held, found, Limits(100, 1e-12)).state
    return found, _mean_loss(problem, found)


def _mean_loss(problem: Problem, at: Coefficients) -> float:
    sums = problem.sums(at)
    return sums.value / sums.weight


def _class_weights(chunk: Chunk, k: int) -> Floats:
    return np.bincount(chunk.y, given_or_ones(chunk.weight, len(chunk)), k).astype(np.float64)


def _of_one_predictor(problem: Problem) -> tuple[Coefficients, float]:
    """The coefficients without slopes that fit best, and the mean loss there: some passes over the targets."""
    zero, at = problem.zero(), partial(_at_level, problem=problem)
    if not problem.fit_intercept:
        return zero, float(at(0.0)[0])
    weight, total = problem.source.reduce(_target_sums)
    if problem.loss.target == "signs" and abs(total) >= weight:
        raise _without_class(problem)
    level = problem.loss.constant(float(total / weight))
    value, gradient, curvature = at(level)
    for _ in range(100):
        step = -gradient / curvature if curvature > 0 else 0.0
        if abs(gradient * step) <= 1e-14 * abs(value):
            break
        trial = at(level + step)
        while not trial[0] <= value and abs(step) > 1e-12 * (1 + abs(level)):
            step /= 2
            trial = at(level + step)
        if not trial[0] <= value:
            break
        level, (value, gradient, curvature) = level + step, trial
    return Coefficients(zero.slope, np.asarray(level)), float(value)


def _at_level(level: float, problem: Problem) -> Floats:
    """The mean of the loss, of its gradient and of its curvature where all predictors are the same."""
    found = problem.source.reduce(partial(_level_sums, loss=problem.loss, level=level))
    return np.asarray(found[1:] / found[0])


def _level_sums(chunk: Chunk, loss: Loss, level: float) -> Floats:
    weight = given_or_ones(chunk.weight, len(chunk))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        parts = loss.parts(np.full(len(chunk), level), chunk.y)
    return np.array([weight.sum(), *(float((weight * part).sum()) for part in parts)])


def _target_sums(chunk: Chunk) -> Floats:
    weight = given_or_ones(chunk.weight, len(chunk))
    return np.array([weight.sum(), weight @ np.asarray(chunk.y, dtype=np.float64)])
