"""Solutions for many strengths of a penalty, from the largest down, each begun at the last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ..engine import Outcome, Step, iterate
from ..engine.nested import end_outer
from ..observing import unobserved
from ..statistics import GradientSums
from ..typing import Floats
from .base import Solver
from .columns import columns_of
from .columns_base import Columns
from .coordinate import Rounds
from .null import without_slopes
from .problem import Coefficients, Limits, Problem

_RIDGE = 1e-3  # the share of L1 that the largest strength is given for, where there is none


@dataclass(frozen=True)
class Path:
    """Strengths (k,), slopes (k, p) and intercepts (k,), objectives, dual gaps and mean losses (k,) each.

    Of several classes slopes are (k, p, classes) and intercepts (k, classes). `finished` says whether the iterations
    for each strength ended by themselves; gaps are NaN where the solver knows none.
    """

    strength: Floats
    slope: Floats
    intercept: Floats
    objective: Floats
    gap: Floats
    loss: Floats
    finished: bool = True


@dataclass(frozen=True)
class Found:
    """What is found for one strength: coefficients, objective, dual gap, mean loss, and whether it is exact enough."""

    at: Coefficients
    objective: float
    gap: float
    loss: float
    finished: bool


class Strengths(Protocol):
    """A problem that is solved for one strength after the other.

    `null` are its coefficients without slopes, and `level` the mean loss there.
    """

    problem: Problem

    @property
    def null(self) -> Coefficients: ...
    @property
    def level(self) -> float: ...
    def sums(self, at: Coefficients) -> GradientSums:
        """Loss and gradient."""

    def solved(self, strength: float, before: float, at: Coefficients, limits: Limits) -> Found:
        """The solution for a strength, from that for the one before."""


class ByColumns:
    """By coordinate descent."""

    def __init__(self, problem: Problem, columns: Columns) -> None:
        self.problem, self.columns = problem, columns
        self.null, self.level, self.sums = columns.null, columns.level, columns.sums
        self._last: tuple[Coefficients, GradientSums] | None = None

    def solved(self, strength: float, before: float, at: Coefficients, limits: Limits) -> Found:
        slack = before / strength - 1 if strength > 0 else 1.0
        penalty = self.problem.penalty.of_strength(strength)
        rounds = Rounds(self.problem, self.columns, penalty, limits.tol, slack)
        rounds.last, ended = self._last, False
        for _ in range(limits.max_iter):
            found = rounds.step(at)
            at, ended = found.state, found.done
            if ended:
                break
        self._last = rounds.last
        rounds.warn_of_rounding()
        return Found(at, found.objective, found.metrics["dual_gap"], rounds.sums(at).value, ended)


def by_columns(problem: Problem) -> Strengths:
    """By coordinate descent, on the form of the columns that suits the problem."""
    return ByColumns(problem, columns_of(problem))


class BySolver:
    """By any solver; `chosen` gives the one for a problem."""

    def __init__(self, problem: Problem, chosen: Callable[[Problem], Solver]) -> None:
        self.problem, self.chosen = problem, chosen
        self.null, self.level = without_slopes(problem)

    def sums(self, at: Coefficients) -> GradientSums:
        """Loss and gradient."""
        return self.problem.sums(at)

    def solved(self, strength: float, before: float, at: Coefficients, limits: Limits) -> Found:
        own = replace(self.problem, penalty=self.problem.penalty.of_strength(strength))
        with unobserved():
            outcome = self.chosen(own).solve(own, at, limits)
        end_outer(outcome.history.status)
        objective = float(outcome.history.objective[-1])
        loss = objective - own.penalty.value(outcome.state.slope)
        return Found(outcome.state, objective, np.nan, loss, outcome.history.status == "converged")


def strengths(of: Strengths, count: int, least: float) -> Floats:
    """So many strengths in equal ratios, from that which leaves no slope down to the part `least` of it."""
    gradient, top = _largest(of)
    if not np.isfinite(top):  # slopes are never all 0: from what a little of L1 takes to a part of what L1 takes
        top, least = float(np.abs(gradient).max(initial=0.0)) / _RIDGE, least * _RIDGE
    return np.geomspace(top, top * least, count) if top > 0 else np.geomspace(1.0, least, count)


def _largest(of: Strengths) -> tuple[Floats, float]:
    """The gradient without slopes, and the least strength that leaves them so."""
    sums = of.sums(of.null)
    gradient = sums.slope / sums.weight
    return gradient, of.problem.penalty.largest(gradient)


def path(of: Strengths, strength: Floats, limits: Limits) -> Outcome[Path]:
    """The solutions for falling strengths; one iteration is one strength."""
    count, at = len(strength), of.null
    slope, intercept = np.zeros((count, *at.slope.shape)), np.zeros((count, *at.intercept.shape))
    figures, finished, top = np.zeros((count, 3)), True, _largest(of)[1]

    def step(k: int) -> Step[int]:
        nonlocal at, finished
        own = float(strength[k])
        if own >= top:  # where rounding would move slopes a little
            found = Found(at, of.level, 0.0, of.level, finished=True)
        else:
            found = of.solved(own, float(strength[max(k - 1, 0)]), at, limits)
        at, finished = found.at, finished and found.finished
        slope[k], intercept[k] = at.slope, at.intercept
        figures[k] = found.objective, found.gap, found.loss
        metrics = {"strength": own} if np.isnan(found.gap) else {"strength": own, "dual_gap": found.gap}
        return Step(k + 1, found.objective, metrics, done=k + 1 == count)

    def made(k: int) -> Path:
        objective, gap, loss = figures[:k].T
        return Path(strength[:k], slope[:k] + 0.0, intercept[:k], objective, gap, loss, finished)

    return iterate(lambda run: 0, step, max_iter=count).then(made)
