"""Newton's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.predictors import DONE, NO_STEP, NewtonLimits
from ..engine import Outcome, Step, iterate
from ..engine.nested import is_early
from ..errors import NotConverged, warn
from ..typing import Floats
from .base import Solver, needs_smooth
from .few_rows import NEWTON_ROWS_A_COLUMN, few_rows
from .hessian import ClassSystem, CurvedSystem, gradient_of, hessian, moved
from .lbfgs import LBFGS, times_inverse
from .problem import Coefficients, Limits, Problem
from .small import AT_ONCE, SmallProblem

_HALVINGS = 40
_LEAST_ROWS = 10_000  # to begin with
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

    Few rows take many steps in one call. Of many, some are fitted first. Where all are in memory, their Hessian,
    corrected by what the steps show of the other rows (as in L-BFGS), then serves for all, whose gradients alone are
    summed.

    Losses with straight parts, such as Huber's, may have a gradient where they have no curvature. L-BFGS goes on there.
    """

    names: ClassVar = ("newton", "irls")

    def lacks(self, problem: Problem) -> str:
        if not problem.loss.has_curvature:
            return f"a loss with a curvature, which {type(problem.loss).__name__} has not"
        if problem.loss.majorises and problem.penalty.is_smooth:  # parabolas lie above it, also where it has corners
            return ""
        return needs_smooth(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        problem = problem.observed()
        small = SmallProblem.of(problem)
        if small is not None:
            return _at_once(small, start, limits)
        rows = few_rows(problem, max(_LEAST_ROWS, NEWTON_ROWS_A_COLUMN * problem.columns))
        if rows is None:
            return _carried_on(problem, _iterated(problem, start, limits, None), limits)
        few = problem.of_rows(rows)
        begun = _iterated(few, start, Limits(limits.max_iter, _ROUGH), None)
        if is_early(begun.history.status):
            return begun
        if begun.history.status != "converged" or _is_straight(few, begun.state):  # few rows are of no use
            return _carried_on(problem, _iterated(problem, start, limits, None), limits)
        in_memory = problem.source.in_memory is not None  # else a pass is slow, whatever it sums
        lent = _Lent(hessian(few, few.bent(begun.state), 1.0), begun.state) if in_memory else None
        return _iterated(problem, begun.state, limits, lent)


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
    if problem.loss.target == "classes":
        return False
    sums = problem.curved(at)
    system = CurvedSystem.of(problem, sums.second, sums.first.weight)
    gradient = gradient_of(problem, at, sums.first)
    diagonal = np.append(np.diagonal(system.slopes) + system.level * system.mean**2, system.level)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    left = gradient - system.times(system.times_inverse(gradient))
    return bool(np.linalg.norm(left / unit) > _UNEXPLAINED * np.linalg.norm(gradient / unit))


def _iterated(problem: Problem, start: Coefficients, limits: Limits, lent: _Lent | None) -> Outcome[Coefficients]:
    """Steps from a start; by a Hessian of some of the rows as long as it serves."""
    return iterate(
        lambda run: start,
        _stepping(problem, start, limits, lent),
        max_iter=limits.max_iter,
        snapshot=problem.shown,
        kept=start.kept,
    )


def _at_once(rows: SmallProblem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
    """Steps of few rows from a start, many in one call; those whose system is nearly singular are taken one by one."""
    problem = rows.problem
    known: list[float] = []  # the size of the objective at the start
    one_by_one: list[Coefficients] = []

    def several(at: Coefficients, most: int) -> Step[Coefficients]:
        if not known and at is not start:
            known.append(abs(problem.objective(start, problem.gradients(start))))
        size = known[0] if known else -1.0
        found = rows.steps(at, NewtonLimits(_SHARP * limits.tol, size, 0.0, min(most, AT_ONCE)))
        known[:] = known or [abs(found.first)]
        passed = [(objective, {"gain": gain}) for objective, gain in found.history.tolist()]
        if not passed:
            one_by_one.append(at)
            return _stepping(problem, start, limits, None)(at)
        if found.status == NO_STEP:
            _warn_no_step(problem)
        done = found.status in (DONE, NO_STEP)
        return Step(Coefficients(found.slope, found.intercept), *passed[-1], done=done, earlier=passed[:-1])

    found = iterate(
        lambda run: start,
        lambda at: several(at, 1),
        max_iter=limits.max_iter,
        snapshot=problem.shown,
        kept=start.kept,
        several=several,
    )
    return _carried_on(problem, found, limits) if one_by_one else found


def _stepping(
    problem: Problem, start: Coefficients, limits: Limits, lent: _Lent | None
) -> Callable[[Coefficients], Step[Coefficients]]:
    """What takes a step, after a start."""
    size = abs(problem.objective(start, problem.gradients(start) if lent else problem.bent(start).first))

    def step(at: Coefficients) -> Step[Coefficients]:
        borrowed = lent is not None and lent.serves
        sums = problem.gradients(at) if borrowed else problem.bent(at).first
        before, gradient = problem.objective(at, sums), gradient_of(problem, at, sums)
        if lent is not None and borrowed:
            change = -lent.times_inverse(at, gradient)
        else:
            change = -hessian(problem, problem.bent(at), sums.weight).times_inverse(gradient)
        gain = -0.5 * float(gradient @ change)
        if gain <= _ROUNDING * abs(before):  # which nobody sees in the objective, but in the digits of coefficients
            return Step(moved(at, change, 1.0), before, done=True)
        found, after = _decreased(problem, at, change, before, gain, borrowed)
        done = gain <= _SHARP * limits.tol * max(abs(after), size)
        done |= gain <= _STUCK * abs(before) and after >= before - _ROUNDING * abs(before)
        if found is at and lent is not None and borrowed:
            lent.serves = False
            return Step(at, before, {"gain": gain})
        if found is at and not done:
            _warn_no_step(problem)
        return Step(found, after, {"gain": gain}, done=done or found is at)

    return step


def _warn_no_step(problem: Problem) -> None:
    remedy = "put the columns on one scale" if LBFGS().lacks(problem) else "try solver='lbfgs'"
    warn(f"{problem.owner}: no step of Newton's method lowers the objective; {remedy}.", NotConverged)


class _Lent:
    """The Hessian of some rows, in place of that of all, corrected by the last steps; `serves` until one fails."""

    def __init__(self, system: CurvedSystem | ClassSystem, at: Coefficients) -> None:
        self._system, size = system, at.slope.size + at.intercept.size
        self.serves = True
        self._at: tuple[Floats, Floats] | None = None
        self._moves, self._turns = np.zeros((0, size)), np.zeros((0, size))

    def times_inverse(self, at: Coefficients, gradient: Floats) -> Floats:
        """The inverse times the gradient at some coefficients."""
        theta = np.append(at.slope, at.intercept)
        if self._at is not None:
            move, turn = theta - self._at[0], gradient - self._at[1]
            if float(move @ turn) > 1e-12 * float(np.linalg.norm(move) * np.linalg.norm(turn)):
                self._moves, self._turns = np.vstack([self._moves, move]), np.vstack([self._turns, turn])
        self._at = theta, gradient
        return times_inverse(gradient, self._moves, self._turns, self._system.times_inverse)


def _decreased(
    problem: Problem, at: Coefficients, change: Floats, before: float, gain: float, borrowed: bool
) -> tuple[Coefficients, float]:
    """The farthest of the halved steps that lowers the objective; where none does, no step."""
    length, slack = 1.0, _ROUNDING * abs(before)
    for _ in range(3 if borrowed else _HALVINGS):
        found = moved(at, change, length)
        after = problem.objective(found, problem.gradients(found) if borrowed else problem.bent(found).first)
        if after <= before - 1e-4 * length * gain + slack:
            return found, after
        length /= 2
    return at, before
