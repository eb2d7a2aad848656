"""Newton's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.predictors import DONE, NO_STEP, NewtonLimits
from ..data import Chunk
from ..data.rows import is_sparse
from ..engine import Outcome, Step, iterate
from ..errors import NotConverged, warn
from ..statistics import GradientSums, Moments
from ..typing import Floats
from .base import Solver, needs_smooth
from .few_rows import AT_ONCE, FewRows, are_few_of_classes
from .lbfgs import times_inverse
from .problem import Coefficients, Limits, Problem
from .systems import solved

_HALVINGS = 40
_LEAST_ROWS, _ROWS_A_COLUMN, _MANY_TIMES = 10_000, 100, 5  # few rows to begin with, and how many more there must be
_ROUGH = 1e-6  # how exact the fit of few rows is: the others change more
_SHARP = 1e-4  # of `tol`: where the curvature is the expected one, steps shrink by a factor and the last are cheap
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Newton(Solver):
    """Newton's method, which is iteratively reweighted least squares: the Hessian Σ h x xᵀ is a summary of the rows.

    A step solves (Xᵀ H X + Λ) δ = −∇F and is halved until the objective falls. With the parabolas of a majorised loss
    it is the algorithm of majorisation and minimisation (EM for Student's t). One pass over the rows an iteration.

    Few rows take many steps in one call, also those of several classes with an L2 penalty. Of many rows in memory,
    every so many-th are fitted first. Their Hessian, corrected by what the steps show of the other rows (as in L-BFGS),
    then serves for all, whose gradients alone are summed.
    """

    names: ClassVar = ("newton", "irls")

    def lacks(self, problem: Problem) -> str:
        if problem.loss.target == "classes":
            few = bool(problem.loss.kernel) and are_few_of_classes(problem)
            return "" if few else "one predictor a row, or few rows of several classes with an L2 penalty"
        if not problem.loss.has_curvature:
            return f"a loss with a curvature, which {type(problem.loss).__name__} has not"
        if problem.loss.majorises and problem.penalty.is_smooth:  # parabolas lie above it, also where it has corners
            return ""
        return needs_smooth(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        small = FewRows.of(problem)
        if small is not None:
            return _at_once(small, start, limits)
        few = _few_rows(problem)
        if few is None:
            return _iterated(problem, start, limits, None)
        begun = _iterated(few, start, Limits(limits.max_iter, _ROUGH), None)
        if begun.history.status != "converged":  # what few rows say is of no use
            return _iterated(problem, start, limits, None)
        return _iterated(problem, begun.state, limits, _Lent(few, few.curved(begun.state).second))


def _iterated(problem: Problem, start: Coefficients, limits: Limits, lent: _Lent | None) -> Outcome[Coefficients]:
    """Steps from a start; by a Hessian of some of the rows as long as it serves."""
    return iterate(
        lambda run: start,
        _stepping(problem, start, limits, lent),
        max_iter=limits.max_iter,
        snapshot=problem.shown,
        kept=problem.zero().kept,
    )


def _at_once(rows: FewRows, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
    """Steps of few rows from a start, many in one call; those whose system is nearly singular are taken one by one."""
    problem = rows.problem
    known: list[float] = []  # the size of the objective at the start

    def several(at: Coefficients, most: int) -> Step[Coefficients]:
        if not known and at is not start:
            known.append(abs(problem.objective(start, problem.gradients(start))))
        size = known[0] if known else -1.0
        found = rows.steps(at, NewtonLimits(_SHARP * limits.tol, size, 0.0, min(most, AT_ONCE)))
        known[:] = known or [abs(found.first)]
        passed = [(objective, {"gain": gain}) for objective, gain in found.history.tolist()]
        if not passed and problem.classes is None:
            return _stepping(problem, start, limits, None)(at)
        if not passed:
            _warn_no_step(problem)
            return Step(at, found.first, done=True)
        if found.status == NO_STEP:
            _warn_no_step(problem)
        done = found.status in (DONE, NO_STEP)
        return Step(Coefficients(found.slope, found.intercept), *passed[-1], done=done, earlier=passed[:-1])

    return iterate(
        lambda run: start,
        lambda at: several(at, 1),
        max_iter=limits.max_iter,
        snapshot=problem.shown,
        kept=problem.zero().kept,
        several=several,
    )


def _stepping(
    problem: Problem, start: Coefficients, limits: Limits, lent: _Lent | None
) -> Callable[[Coefficients], Step[Coefficients]]:
    """What takes a step, after a start."""
    size = abs(problem.objective(start, problem.gradients(start) if lent else problem.curved(start).first))

    def step(at: Coefficients) -> Step[Coefficients]:
        borrowed = lent is not None and lent.serves
        sums = problem.gradients(at) if borrowed else problem.curved(at).first
        before, gradient = problem.objective(at, sums), gradient_of(problem, at, sums)
        if lent is not None and borrowed:
            change = -lent.times_inverse(at, gradient)
        else:
            change = -CurvedSystem.of(problem, problem.curved(at).second, sums.weight).times_inverse(gradient)
        gain = -0.5 * float(gradient @ change)
        if gain <= _ROUNDING * abs(before):
            return Step(at, before, done=True)
        found, after = _decreased(problem, at, change, before, gain, borrowed)
        done = gain <= _SHARP * limits.tol * max(abs(after), size)
        if found is at and lent is not None and borrowed:
            lent.serves = False
            return Step(at, before, {"gain": gain})
        if found is at and not done:
            _warn_no_step(problem)
        return Step(found, after, {"gain": gain}, done=done or found is at)

    return step


def _warn_no_step(problem: Problem) -> None:
    warn(f"{problem.owner}: no step of Newton's method lowers the objective; try solver='lbfgs'.", NotConverged)


def gradient_of(problem: Problem, at: Coefficients, sums: GradientSums) -> Floats:
    """The gradient of the objective: of the slopes, then of the intercept, (p + 1,)."""
    slope = sums.slope / sums.weight + problem.penalty.gradient(at.slope)
    return np.append(slope, sums.offset / sums.weight if problem.fit_intercept else 0.0)


@dataclass(frozen=True)
class CurvedSystem:
    """The Hessian of the objective: of the slopes about the curved mean, the mean itself, and of the intercept."""

    slopes: Floats
    mean: Floats
    level: float  # 0 without an intercept

    @classmethod
    def of(cls, problem: Problem, second: Moments, weight: float) -> CurvedSystem:
        """By the moments of rows that weigh so much."""
        bent = problem.penalty.curvature(problem.columns)
        system = second.scatter / weight + (np.diag(bent) if bent.ndim == 1 else bent)
        level = second.weight / weight
        if problem.fit_intercept:
            return cls(system, second.mean, level)
        return cls(system + level * np.outer(second.mean, second.mean), np.zeros_like(second.mean), 0.0)

    def times_inverse(self, gradient: Floats) -> Floats:
        """Its inverse times a gradient (p + 1,)."""
        offset = float(gradient[-1])
        slope = solved(self.slopes, gradient[:-1] - self.mean * offset)[0]
        return np.append(slope, (offset / self.level if self.level > 0 else 0.0) - float(self.mean @ slope))


class _Lent:
    """The Hessian of some rows, in place of that of all, corrected by the last steps; `serves` until one fails."""

    def __init__(self, few: Problem, second: Moments) -> None:
        self._system = CurvedSystem.of(few, second, 1.0)
        self.serves = True
        self._at: tuple[Floats, Floats] | None = None
        self._moves, self._turns = np.zeros((0, few.columns + 1)), np.zeros((0, few.columns + 1))

    def times_inverse(self, at: Coefficients, gradient: Floats) -> Floats:
        """The inverse times the gradient at some coefficients."""
        theta = np.append(at.slope, at.intercept)
        if self._at is not None:
            move, turn = theta - self._at[0], gradient - self._at[1]
            if float(move @ turn) > 1e-12 * float(np.linalg.norm(move) * np.linalg.norm(turn)):
                self._moves, self._turns = np.vstack([self._moves, move]), np.vstack([self._turns, turn])
        self._at = theta, gradient
        return times_inverse(gradient, self._moves, self._turns, self._system.times_inverse)


def _few_rows(problem: Problem) -> Problem | None:
    """The problem of every so many-th row, where all rows are in memory and so many that their Hessian is near."""
    rows, p = problem.source.in_memory, problem.columns
    if rows is None or is_sparse(rows.X):
        return None
    every = len(rows) // max(_LEAST_ROWS, _ROWS_A_COLUMN * p)
    if every < _MANY_TIMES:
        return None
    weight = None if rows.weight is None else rows.weight[::every]
    if weight is not None and not np.count_nonzero(weight) > len(weight) // 2:
        return None
    return problem.of_rows(Chunk(rows.X[::every], rows.y[::every], weight))


def _decreased(
    problem: Problem, at: Coefficients, change: Floats, before: float, gain: float, borrowed: bool
) -> tuple[Coefficients, float]:
    """The farthest of the halved steps that lowers the objective; where none does, no step."""
    length, slack = 1.0, _ROUNDING * abs(before)
    for _ in range(3 if borrowed else _HALVINGS):
        found = at.moved(change[:-1], np.asarray(change[-1]), length)
        after = problem.objective(found, problem.gradients(found) if borrowed else problem.curved(found).first)
        if after <= before - 1e-4 * length * gain + slack:
            return found, after
        length /= 2
    return at, before
