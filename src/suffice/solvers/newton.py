"""Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..data import Chunk
from ..data.rows import is_sparse
from ..engine import Outcome, Step, iterate
from ..engine.nested import is_early
from ..errors import NotConverged, warn
from ..statistics import GradientSums, Moments
from ..typing import Floats
from .base import Solver, needs_smooth
from .lbfgs import LBFGS, times_inverse
from .problem import Coefficients, Limits, Problem
from .systems import solved

_HALVINGS = 40
_LEAST_ROWS, _ROWS_A_COLUMN, _MANY_TIMES = 10_000, 100, 5  # few rows to begin with, and how many more there must be
_ROUGH = 1e-6  # how exact the fit of few rows is: the others change more
_SHARP = 1e-4  # of `tol`: where the curvature is the expected one, steps shrink by a factor and the last are cheap
_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_STUCK = 1e-8  # of the objective: a step that promises less, and lowers it by rounding alone, is the last
_UNEXPLAINED = 1e-3  # of a gradient: more of it that no curvature answers is left to L-BFGS


@dataclass(frozen=True)
class Newton(Solver):
    """Newton's method, which is iteratively reweighted least squares: the Hessian Σ h x xᵀ is a summary of the rows.

    A step solves (Xᵀ H X + Λ) δ = −∇F and is halved until the objective falls. With the parabolas of a majorised loss
    it is the algorithm of majorisation and minimisation (EM for Student's t). One pass over the rows an iteration.

    Of many rows in memory, every so many-th are fitted first. Their Hessian, corrected by what the steps show of the
    other rows (as in L-BFGS), then serves for all, whose gradients alone are summed.

    Losses with straight parts, such as Huber's, may have a gradient where they have no curvature. L-BFGS goes on there.
    """

    names: ClassVar = ("newton", "irls")

    def lacks(self, problem: Problem) -> str:
        if problem.loss.target == "classes":
            return "one predictor a row, and several classes have one each"
        if not problem.loss.has_curvature:
            return f"a loss with a curvature, which {type(problem.loss).__name__} has not"
        if problem.loss.majorises and problem.penalty.is_smooth:  # parabolas lie above it, also where it has corners
            return ""
        return needs_smooth(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        few = _few_rows(problem)
        if few is None:
            return _carried_on(problem, _iterated(problem, start, limits, None), limits)
        begun = _iterated(few, start, Limits(limits.max_iter, _ROUGH), None)
        if is_early(begun.history.status):
            return begun
        if begun.history.status != "converged" or _is_straight(few, begun.state):  # few rows are of no use
            return _carried_on(problem, _iterated(problem, start, limits, None), limits)
        return _iterated(problem, begun.state, limits, _Lent(few, few.curved(begun.state).second))


def _carried_on(problem: Problem, found: Outcome[Coefficients], limits: Limits) -> Outcome[Coefficients]:
    """The outcome; where it ended as there was no curvature, that of L-BFGS from there, if that gains anything."""
    if found.history.status != "converged" or not problem.loss.is_smooth or not _is_straight(problem, found.state):
        return found
    further = LBFGS().solve(problem, found.state, limits)
    value, lower = float(found.history.objective[-1]), float(further.history.objective[-1])
    gains = lower < value - limits.tol * abs(value)
    return further if gains or is_early(further.history.status) else found


def _is_straight(problem: Problem, at: Coefficients) -> bool:
    """Whether the gradient has a part that the Hessian does not answer."""
    sums = problem.curved(at)
    system = CurvedSystem.of(problem, sums.second, sums.first.weight)
    gradient = gradient_of(problem, at, sums.first)
    diagonal = np.append(np.diagonal(system.slopes) + system.level * system.mean**2, system.level)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    left = gradient - system.times(system.times_inverse(gradient))
    return bool(np.linalg.norm(left / unit) > _UNEXPLAINED * np.linalg.norm(gradient / unit))


def _iterated(problem: Problem, start: Coefficients, limits: Limits, lent: _Lent | None) -> Outcome[Coefficients]:
    """Steps from a start; by a Hessian of some of the rows as long as it serves."""
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
        done |= gain <= _STUCK * abs(before) and after >= before - _ROUNDING * abs(before)
        if found is at and lent is not None and borrowed:
            lent.serves = False
            return Step(at, before, {"gain": gain})
        if found is at and not done:
            remedy = "put the columns on one scale" if LBFGS().lacks(problem) else "try solver='lbfgs'"
            warn(f"{problem.owner}: no step of Newton's method lowers the objective; {remedy}.", NotConverged)
        return Step(found, after, {"gain": gain}, done=done or found is at)

    return iterate(
        lambda run: start, step, max_iter=limits.max_iter, snapshot=problem.shown, kept=problem.zero().kept()
    )


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

    def times(self, change: Floats) -> Floats:
        """It times a change (p + 1,)."""
        level = self.level * (float(change[-1]) + float(self.mean @ change[:-1]))
        return np.append(self.slopes @ change[:-1] + self.mean * level, level)


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
