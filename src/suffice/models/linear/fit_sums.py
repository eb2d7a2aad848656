"""What a fit by likelihood keeps of its rows for inference: an information matrix, and sums."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Chunk
from ...data.rows import as_weight, one_a_row
from ...errors import IllConditioned, warn
from ...estimator import Attributes
from ...holds import number
from ...losses import Loss
from ...penalties import NoPenalty
from ...solvers import Coefficients, Problem
from ...solvers.problem import gradient_sums
from ...solvers.systems import factored
from ...statistics import GradientSums, Moments, Statistic
from ...statistics.gradient import forth
from ...typing import Floats
from .inverse import inverted, scaled_system, unit_of

_CONDITION = 1e12  # of scaled columns: below, no rank is lost
# Coefficients whose information a model keeps: without a penalty; with one, where few ask for errors, of one predictor
# and of several classes. The information of many columns takes longer than their fit.
MOST, MOST_PENALISED, MOST_OF_CLASSES = 1000, 500, 200


@dataclass(frozen=True)
class FitSums(Statistic):
    """Σw of the rows, and Σ w of: the loss at the fit, at the best constant, Pearson's squares, and log p(y).

    >>> FitSums.of(np.ones(3), np.ones(3), np.ones(3), np.ones(3)).weight
    3.0
    """

    weight: float
    value: float
    null: float
    pearson: float
    log_density: float

    holds: ClassVar = {
        "weight": number(above=0),
        "value": number(),
        "null": number(),
        "pearson": number(at_least=0),
        "log_density": number(finite=False),
    }

    @classmethod
    def of(
        cls, value: Floats, null: Floats, pearson: Floats, log_density: Floats, weight: Floats | None = None
    ) -> FitSums:
        """The sums of some rows, each with one number a row."""
        n = np.size(value)
        given = {"value": value, "null": null, "pearson": pearson, "log_density": log_density}
        columns = [one_a_row(column, n, cls.__name__, name) for name, column in given.items()]
        w = as_weight(weight, n, cls.__name__)
        totals = [float(np.sum(column) if w is None else w @ column) for column in columns]
        return cls(float(n if w is None else w.sum()), *totals)

    def __add__(self, other: FitSums) -> FitSums:
        mine, theirs = ((s.weight, s.value, s.null, s.pearson, s.log_density) for s in (self, other))
        return FitSums(*(a + b for a, b in zip(mine, theirs, strict=True)))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return *(rng.random(n) for _ in range(4)), rng.integers(0, 3, n).astype(float)


def learned_sums(problem: Problem, found: Coefficients, null: Coefficients) -> Attributes:
    """What a fit keeps for inference: its information matrix, and its sums, by one more pass over the rows."""
    most = MOST if isinstance(problem.penalty, NoPenalty) else MOST_PENALISED
    if problem.columns > most or problem.loss.target == "classes" or not problem.loss.has_curvature:
        return {}
    if not (problem.loss.has_likelihood or problem.loss.is_family):
        return {}
    if not problem.penalty.is_smooth:  # slopes were selected, after which intervals do not hold
        return {}
    loss = problem.loss
    curved = problem.curved(found)
    if not (curved.second.weight > 0 and curved.second.is_finite()):  # it ran away
        return {}
    if isinstance(problem.penalty, NoPenalty):
        _warn_if_dependent(problem, curved.second)
    level = 2 * curved.first.value / curved.first.weight if loss.dispersed else 1.0
    level = level if level > 0 else float(np.finfo(float).tiny)

    if loss.target == "signs":
        sums = _sums_of_signs(loss, curved.first, float(null.intercept))
        return _kept(problem, curved.second, sums)

    summarise = _at_constant if not (loss.dispersed or null.slope.any()) else _at_fit
    sums = problem.source.reduce(partial(summarise, loss=loss, found=found, null=null, level=level))
    if summarise is _at_constant:  # the fit differs from the constant by its loss alone
        logs = sums.log_density + sums.null - curved.first.value
        sums = replace(sums, log_density=logs)
    sums = replace(sums, value=curved.first.value)
    information = curved.second
    if problem.free is not None:
        both = np.ix_(problem.free, problem.free)
        information = Moments(information.weight, information.mean[problem.free], information.scatter[both])
    return _kept(problem, information, sums)


def _kept(problem: Problem, information: Moments, sums: FitSums) -> Attributes:
    ridge = float(problem.penalty.curvature(problem.columns).max(initial=0.0)) * sums.weight
    return {"_information": information, "_sums": sums, "_ridge": ridge, "_centred": problem.fit_intercept}


def _at_fit(chunk: Chunk, loss: Loss, found: Coefficients, null: Coefficients, level: float) -> FitSums:
    """The sums of some rows but for the loss at the fit, which is known."""
    eta = forth(chunk.X, found.slope, found.intercept)
    mean, nothing = loss.mean(eta), np.zeros(len(chunk))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        squares = (chunk.y - mean) ** 2 / loss.variance(mean)
        logs = loss.log_density(eta, chunk.y, level) if loss.has_likelihood else np.full_like(eta, np.nan)
        rest = FitSums.of(nothing, nothing, squares, logs, chunk.weight)
    return replace(rest, null=gradient_sums(chunk, loss, null).value)


def _at_constant(chunk: Chunk, loss: Loss, found: Coefficients, null: Coefficients, level: float) -> FitSums:
    """The sums of some rows at the best constant alone: no column is looked at, and no dispersion estimated."""
    bare = replace(chunk, X=np.zeros((len(chunk), 0)))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        logs = np.asarray(loss.log_density(np.full(1, float(null.intercept)), chunk.y))
    total = float(logs.sum() if chunk.weight is None else chunk.weight @ logs)
    sums = gradient_sums(bare, loss, Coefficients(np.zeros(0), null.intercept))
    return FitSums(sums.weight, 0.0, sums.value, 0.0, total)


def _warn_if_dependent(problem: Problem, information: Moments) -> None:
    """Warn where columns follow from others, so that many coefficients fit equally well."""
    free = np.arange(problem.columns) if problem.free is None else np.flatnonzero(problem.free)
    scatter, mean, weight = information.scatter[np.ix_(free, free)], information.mean[free], information.weight
    if not problem.fit_intercept:
        scatter = scatter + weight * np.outer(mean, mean)
    unit = unit_of(scatter, mean, weight)
    if not len(free) or factored(scaled_system(scatter, 0.0, unit))[1] <= _CONDITION:
        return
    rank = inverted(scatter, 0.0, unit).rank
    if rank < len(free):
        warn_of_rank(problem, len(free), rank)


def warn_of_rank(problem: Problem, columns: int, rank: int) -> None:
    """Warn that columns depend on each other."""
    warn(
        f"{problem.owner}: the {columns} columns have rank {rank}; many coefficients fit equally well, and some are "
        "given, without standard errors for columns that others determine. Drop columns, or use a penalty.",
        IllConditioned,
    )


def _sums_of_signs(loss: Loss, first: GradientSums, constant: float) -> FitSums:
    """The sums where rows have one of two targets: they follow from those of the fit."""
    share = float(loss.mean(np.float64(constant)))  # of the sign 1 among all rows
    each = loss.value(np.full(2, constant), np.array([-1.0, 1.0]))
    null = first.weight * float(each @ np.array([1 - share, share]))
    return FitSums(first.weight, first.value, null, 0.0, -first.value)
