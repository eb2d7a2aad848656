"""Cross-validated strengths: folds as summaries, so that what a fold learns from is the sum of the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import Protocol

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...data.sampling import row_uniforms
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter, TimeLimit
from ...solvers import Limits, Problem
from ...solvers.columns import Columns, MomentColumns, columns_of
from ...solvers.path import Path, path, strengths
from ...statistics import JointMoments, Moments, PerClass
from ...statistics.gradient import forth
from ...typing import Floats, Numbers, Whole
from .paths import CrossValidatedPath

_PRODUCTS = 1500  # columns whose products are formed for each fold
_RIDGE_PRODUCTS = 3000
_SEED = 0


class Folds(Protocol):
    """Parts of the rows: `weight` (k,) of each, what others learn from, and the errors of coefficients within one."""

    @property
    def weight(self) -> Floats:
        """(k,)."""

    def columns(self, without: int | None) -> Columns:
        """All rows but those of a fold; all of them for None."""

    def errors(self, fold: int, slope: Floats, intercept: Floats) -> Floats:
        """The mean squared error (k,) of slopes (k, p) and intercepts (k,) in a fold."""


def folds_of(problem: Problem, count: int) -> Folds:
    """The rows in so many folds; which one a row is in depends on its cells and its target alone.

    So equal rows are never on both sides, weights are as good as repeated rows, and files give the folds of memory.
    """
    chunk = problem.source.in_memory
    sparse = chunk is not None and is_sparse(chunk.X) and problem.columns > _PRODUCTS // 3
    if problem.columns <= _PRODUCTS and not sparse:
        return MomentFolds.of(problem.source, count, problem.fit_intercept)
    return SourceFolds.of(problem, count)


def cross_validated(
    problem: Problem, folds: Folds, count: int, least: float, limits: Limits, rule: str
) -> tuple[CrossValidatedPath, Outcome[Path]]:
    """The errors of strengths over folds, and the path over all rows down to the strength that was chosen."""
    whole = folds.columns(None)
    alphas = strengths(whole, problem.penalty, count, least)
    errors = []
    for fold in range(len(folds.weight)):
        found = _whole(path(problem, folds.columns(fold), alphas, limits))
        errors.append(folds.errors(fold, found.slope, found.intercept))
    result = CrossValidatedPath(alphas, np.array(errors), folds.weight, rule)
    return result, path(problem, whole, alphas[: result.chosen + 1], limits)


def _whole(outcome: Outcome[Path]) -> Path:
    """The path, where nobody ended it early."""
    if outcome.history.status == "interrupted":
        raise KeyboardInterrupt
    if outcome.history.status == "time_limit":
        raise TimeLimit("the time limit ended cross-validation before anything was chosen.")
    return outcome.state


def _fold(chunk: Chunk, count: int) -> Whole:
    y = np.asarray(chunk.y, dtype=np.float64).reshape(len(chunk), -1)
    drawn = (row_uniforms(chunk.X, _SEED) + row_uniforms(y, _SEED)) % 1.0
    return np.minimum((drawn * count).astype(np.int64), count - 1)


def _checked(weight: Floats, owner: str) -> None:
    if len(weight) < 2:
        raise InvalidData(
            f"{owner}: cross-validation needs rows in at least 2 folds, and all rows that weigh something are in one; "
            "give a number as alpha, or more rows."
        )


@dataclass(frozen=True)
class MomentFolds:
    """Folds as moments: one pass, and then no row is looked at again."""

    parts: tuple[JointMoments, ...]
    weight: Floats
    fit_intercept: bool

    @classmethod
    def of(cls, source: Source, count: int, fit_intercept: bool) -> MomentFolds:
        """One pass."""
        found = source.reduce(partial(_by_fold, count=count))
        _checked(found.weight, source.needs.owner)
        return cls(found.parts, found.weight, fit_intercept)

    def moments(self, without: int | None) -> Moments:
        """Of all rows but those of a fold."""
        return _moments(reduce(add, (part for k, part in enumerate(self.parts) if k != without)))

    def columns(self, without: int | None) -> Columns:
        return MomentColumns(self.moments(without), self.fit_intercept)

    def errors(self, fold: int, slope: Floats, intercept: Floats) -> Floats:
        return _squared_errors(_moments(self.parts[fold]), slope.shape[1], 0, slope, intercept)


def _moments(joint: JointMoments) -> Moments:
    found = joint.moments
    return found if isinstance(found, Moments) else found.squared()


def _squared_errors(own: Moments, p: int, target: int, slope: Floats, intercept: Floats) -> Floats:
    """The mean squared error (k,) in rows with these moments."""
    S, mean, t = own.scatter, own.mean, p + target
    squares = S[t, t] - 2 * slope @ S[:p, t] + np.einsum("kp,kp->k", slope @ S[:p, :p], slope)
    return np.asarray(np.maximum(squares, 0.0) / own.weight + (mean[t] - intercept - slope @ mean[:p]) ** 2)


def _by_fold(chunk: Chunk, count: int) -> PerClass[JointMoments]:
    def grouped(X: Numbers, group: Whole, groups: int, weight: Floats | None) -> tuple[JointMoments, ...]:
        rows = [np.flatnonzero(group == g) for g in range(groups)]
        return tuple(JointMoments.of(X[own], None if weight is None else weight[own], chunk.y[own]) for own in rows)

    return PerClass.by(grouped, chunk.X, _fold(chunk, count), chunk.weight)


@dataclass(frozen=True)
class SourceFolds:
    """Folds as rows, where a matrix of all columns would be too large."""

    problem: Problem
    count: int
    numbers: Whole  # of the folds that have rows
    weight: Floats

    @classmethod
    def of(cls, problem: Problem, count: int) -> SourceFolds:
        """One pass for the weights of the folds."""
        weight = problem.source.reduce(partial(_fold_weights, count=count))
        numbers = np.flatnonzero(weight > 0)
        _checked(weight[numbers], problem.owner)
        return cls(problem, count, numbers, weight[numbers])

    def columns(self, without: int | None) -> Columns:
        if without is None:
            return columns_of(self.problem)
        number = self.numbers[without]
        return columns_of(
            replace(self.problem, source=self.problem.source.filtered(lambda c: _fold(c, self.count) != number))
        )

    def errors(self, fold: int, slope: Floats, intercept: Floats) -> Floats:
        number = self.numbers[fold]

        def summarise(chunk: Chunk) -> Floats:
            rest = np.asarray(chunk.y)[:, None] - forth(chunk.X, np.ascontiguousarray(slope.T), intercept)
            return np.asarray(given_or_ones(chunk.weight, len(chunk)) @ rest**2)

        own = self.problem.source.filtered(lambda c: _fold(c, self.count) == number)
        return np.asarray(own.reduce(summarise) / self.weight[fold])


def _fold_weights(chunk: Chunk, count: int) -> Floats:
    return np.bincount(_fold(chunk, count), given_or_ones(chunk.weight, len(chunk)), count).astype(np.float64)


def ridge_validated(source: Source, fit_intercept: bool, folds: int, count: int, rule: str) -> CrossValidatedPath:
    """The errors over folds of strengths λ of ½ λ ‖w‖² beside the mean loss, from their moments; targets are added up.

    They lie between ten times the largest eigenvalue of the columns' covariance and a millionth of it.
    """
    p = len(source.schema)
    if p > _RIDGE_PRODUCTS:
        raise InvalidParameter(
            f"{source.needs.owner}: alpha='cv' needs the products of all columns; X has {p:,}, and at most "
            f"{_RIDGE_PRODUCTS:,} are allowed. Give a number as alpha."
        )
    parts = MomentFolds.of(source, folds, fit_intercept)
    top = float(_Spectrum.of(parts.moments(None), p, fit_intercept).values.max())
    alphas = (top if top > 0 else 1.0) * np.geomspace(10.0, 1e-6, count)
    errors = np.zeros((len(parts.weight), count))
    for fold in range(len(errors)):
        learned, own = _Spectrum.of(parts.moments(fold), p, fit_intercept), _moments(parts.parts[fold])
        for target in range(learned.cross.shape[1]):
            slope, intercept = learned.ridge(alphas, target)
            errors[fold] += _squared_errors(own, p, target, slope, intercept)
    return CrossValidatedPath(alphas, errors, parts.weight, rule)


@dataclass(frozen=True)
class _Spectrum:
    """The columns' mean products as eigenvalues (p,) and vectors (p, p), and those with targets along them (p, q)."""

    values: Floats
    vectors: Floats
    cross: Floats
    mean: Floats

    @classmethod
    def of(cls, moments: Moments, p: int, centred: bool) -> _Spectrum:
        mean = moments.mean if centred else np.zeros_like(moments.mean)
        off = moments.mean - mean
        S = moments.scatter / moments.weight + np.outer(off, off)
        values, vectors = np.linalg.eigh(S[:p, :p])
        return cls(np.maximum(values, 0.0), vectors, vectors.T @ S[:p, p:], mean)

    def ridge(self, alphas: Floats, target: int) -> tuple[Floats, Floats]:
        """Slopes (k, p) and intercepts (k,) of one target."""
        p = len(self.values)
        slope = (self.cross[:, target] / (self.values + alphas[:, None])) @ self.vectors.T
        return slope, self.mean[p + target] - slope @ self.mean[:p]
