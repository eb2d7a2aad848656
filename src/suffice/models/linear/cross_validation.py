"""Cross-validated strengths: folds as summaries, so that what a fold learns from is the sum of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Protocol

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...data.sampling import row_uniforms
from ...engine import Outcome
from ...errors import InvalidData, TimeLimit
from ...losses import Loss, SquaredLoss
from ...solvers import CoordinateDescent, Limits, Problem
from ...solvers.columns import MomentColumns
from ...solvers.path import ByColumns, Path, Strengths, by_columns, path, strengths
from ...statistics import JointMoments, Moments, PerClass
from ...statistics.gradient import forth
from ...typing import Floats, Numbers, Whole
from .paths import CrossValidatedPath

_PRODUCTS = 1500  # columns whose products are formed for each fold
_CELLS = 1 << 22  # predictors that are held at once
_SEED = 0


class Folds(Protocol):
    """Parts of the rows: `weight` (k,) of each, what others learn from, and the errors of coefficients within one."""

    @property
    def weight(self) -> Floats:
        """(k,)."""

    def strengths(self, without: int | None) -> Strengths:
        """The problem of all rows but those of a fold; of all of them for None."""

    def errors(self, fold: int, slope: Floats, intercept: Floats) -> Floats:
        """The mean deviance (k,), for squares the mean squared error, of slopes (k, p) and intercepts (k,) in a fold.

        Of several classes these are (k, p, classes) and (k, classes).
        """


def folds_of(problem: Problem, count: int, strengths_of: Callable[[Problem], Strengths] = by_columns) -> Folds:
    """The rows in so many folds; which one a row is in depends on its cells and its target alone.

    So equal rows are never on both sides, weights are as good as repeated rows, and files give the folds of memory.
    """
    chunk = problem.source.in_memory
    sparse = chunk is not None and is_sparse(chunk.X) and problem.columns > _PRODUCTS // 3
    by_moments = isinstance(problem.loss, SquaredLoss) and not CoordinateDescent().lacks(problem)
    if by_moments and problem.columns <= _PRODUCTS and not sparse:
        return MomentFolds.of(problem, count)
    return SourceFolds.of(problem, count, strengths_of)


def cross_validated(
    folds: Folds, count: int, least: float, limits: Limits, rule: str
) -> tuple[CrossValidatedPath, Outcome[Path]]:
    """The errors of strengths over folds, and the path over all rows down to the strength that was chosen."""
    result, whole = validated(folds, count, least, limits, rule)
    return result, path(whole, result.alphas[: result.chosen + 1], limits)


def validated(
    folds: Folds, count: int, least: float, limits: Limits, rule: str
) -> tuple[CrossValidatedPath, Strengths]:
    """The errors of strengths over folds, and the problem of all rows."""
    whole = folds.strengths(None)
    alphas = strengths(whole, count, least)
    errors = []
    for fold in range(len(folds.weight)):
        found = _whole(path(folds.strengths(fold), alphas, limits))
        errors.append(folds.errors(fold, found.slope, found.intercept))
    return CrossValidatedPath(alphas, np.array(errors), folds.weight, rule), whole


def _whole(outcome: Outcome[Path]) -> Path:
    """The path, where nobody ended it early."""
    if outcome.history.status == "interrupted":
        raise KeyboardInterrupt
    if outcome.history.status == "time_limit":
        raise TimeLimit("the time limit ended cross-validation before anything was chosen.")
    return outcome.state


def fold_of(chunk: Chunk, count: int) -> Whole:
    y = np.asarray(chunk.y, dtype=np.float64)
    y = y[:, None] if y.ndim == 1 else y
    drawn = (row_uniforms(chunk.X, _SEED) + row_uniforms(y, _SEED)) % 1.0
    return np.minimum((drawn * count).astype(np.int64), count - 1)


def check_folds(weight: Floats, owner: str, instead: str = "give a number as strength, or more rows") -> None:
    if len(weight) < 2:
        raise InvalidData(
            f"{owner}: cross-validation needs rows in at least 2 folds, and all that weigh something are in one, as if "
            f"there were one sample; {instead}."
        )


@dataclass(frozen=True)
class MomentFolds:
    """Folds as moments: one pass, and then no row is looked at again."""

    problem: Problem
    parts: tuple[JointMoments, ...]
    weight: Floats

    @classmethod
    def of(cls, problem: Problem, count: int) -> MomentFolds:
        """One pass."""
        found = fold_moments(problem.source, count)
        return cls(problem, found.parts, found.weight)

    def strengths(self, without: int | None) -> Strengths:
        return ByColumns(self.problem, MomentColumns(others(self.parts, without), self.problem.fit_intercept))

    def errors(self, fold: int, slope: Floats, intercept: Floats) -> Floats:
        return squared_errors(moments_of(self.parts[fold]), slope.shape[1], 0, slope, intercept)


def fold_moments(
    source: Source, count: int, instead: str = "give a number as strength, or more rows"
) -> PerClass[JointMoments]:
    """The moments of each fold: one pass; `instead` is the remedy where there is one fold alone."""
    found = source.reduce(partial(_by_fold, count=count))
    check_folds(found.weight, source.needs.owner, instead)
    return found


def others(parts: tuple[JointMoments, ...], without: int | None) -> Moments:
    """The moments of all rows but those of a fold."""
    return moments_of(reduce(add, (part for k, part in enumerate(parts) if k != without)))


def moments_of(joint: JointMoments) -> Moments:
    found = joint.moments
    return found if isinstance(found, Moments) else found.squared()


def squared_errors(own: Moments, p: int, target: int, slope: Floats, intercept: Floats) -> Floats:
    """The mean squared error (k,) in rows with these moments."""
    S, mean, t = own.scatter, own.mean, p + target
    squares = S[t, t] - 2 * slope @ S[:p, t] + np.einsum("kp,kp->k", slope @ S[:p, :p], slope)
    return np.asarray(np.maximum(squares, 0.0) / own.weight + (mean[t] - intercept - slope @ mean[:p]) ** 2)


def _by_fold(chunk: Chunk, count: int) -> PerClass[JointMoments]:
    def grouped(X: Numbers, group: Whole, groups: int, weight: Floats | None) -> tuple[JointMoments, ...]:
        rows = [np.flatnonzero(group == g) for g in range(groups)]
        return tuple(JointMoments.of(X[own], None if weight is None else weight[own], chunk.y[own]) for own in rows)

    return PerClass.by(grouped, chunk.X, fold_of(chunk, count), chunk.weight)


@dataclass(frozen=True)
class SourceFolds:
    """Folds as rows, where no summary of them is enough, or it would be too large."""

    problem: Problem
    strengths_of: Callable[[Problem], Strengths]
    count: int
    numbers: Whole  # of the folds that have rows
    weight: Floats

    @classmethod
    def of(cls, problem: Problem, count: int, strengths_of: Callable[[Problem], Strengths] = by_columns) -> SourceFolds:
        """One pass for the weights of the folds."""
        weight = problem.source.reduce(partial(_fold_weights, count=count))
        numbers = np.flatnonzero(weight > 0)
        check_folds(weight[numbers], problem.owner)
        return cls(problem, strengths_of, count, numbers, weight[numbers])

    def strengths(self, without: int | None) -> Strengths:
        if without is None:
            return self.strengths_of(self.problem)
        number = self.numbers[without]
        return self.strengths_of(
            self.problem.on(self.problem.source.filtered(lambda c: fold_of(c, self.count) != number))
        )

    def errors(self, fold: int, slope: Floats, intercept: Floats) -> Floats:
        number = self.numbers[fold]
        own = self.problem.source.filtered(lambda c: fold_of(c, self.count) == number)
        total = own.reduce(partial(_deviances, loss=self.problem.loss, slope=slope, intercept=intercept))
        return np.asarray(total / self.weight[fold])


def _deviances(chunk: Chunk, loss: Loss, slope: Floats, intercept: Floats) -> Floats:
    """2 Σ w ℓ of some rows, (k,), for slopes (k, p) or (k, p, classes)."""
    count, p = slope.shape[:2]
    several = np.ascontiguousarray(np.moveaxis(slope, 1, 0).reshape(p, -1))
    total, weight = np.zeros(count), given_or_ones(chunk.weight, len(chunk))
    step = max(1, _CELLS // several.shape[1])
    for begin in range(0, len(chunk), step):
        rows = slice(begin, begin + step)
        eta = forth(chunk.X[rows], several, intercept.ravel()).reshape(-1, *intercept.shape)
        with np.errstate(over="ignore"):
            total += [2 * float(weight[rows] @ loss.value(eta[:, k], chunk.y[rows])) for k in range(count)]
    return total


def _fold_weights(chunk: Chunk, count: int) -> Floats:
    return np.bincount(fold_of(chunk, count), given_or_ones(chunk.weight, len(chunk)), count).astype(np.float64)
