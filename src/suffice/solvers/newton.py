"""Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..engine import Outcome, Step, iterate
from ..errors import NotConverged, warn
from ..typing import Floats
from .base import Solver, needs_smooth
from .few_rows import few_rows
from .hessian import ClassSystem, CurvedSystem, gradient_of, hessian, moved
from .lbfgs import times_inverse
from .problem import Coefficients, Limits, Problem

_HALVINGS = 40
_LEAST_ROWS, _ROWS_A_COLUMN = 10_000, 100  # few rows to begin with
_ROUGH = 1e-6  # how exact the fit of few rows is: the others change more
_SHARP = 1e-4  # of `tol`: where the curvature is the expected one, steps shrink by a factor and the last are cheap
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Newton(Solver):
    """Newton's method, which is iteratively reweighted least squares: the Hessian Σ h x xᵀ is a summary of the rows.

    A step solves (Xᵀ H X + Λ) δ = −∇F and is halved until the objective falls. With the parabolas of a majorised loss
    it is the algorithm of majorisation and minimisation (EM for Student's t). One pass over the rows an iteration.

    Of many rows, some are fitted first. Where all are in memory, their Hessian, corrected by what the steps show of
    the other rows (as in L-BFGS), then serves for all, whose gradients alone are summed.
    """

    names: ClassVar = ("newton", "irls")

    def lacks(self, problem: Problem) -> str:
        if not problem.loss.has_curvature:
            return f"a loss with a curvature, which {type(problem.loss).__name__} has not"
        if problem.loss.majorises and problem.penalty.is_smooth:  # parabolas lie above it, also where it has corners
            return ""
        return needs_smooth(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        rows = few_rows(problem, max(_LEAST_ROWS, _ROWS_A_COLUMN * problem.columns))
        if rows is None:
            return _iterated(problem, start, limits, None)
        few = problem.of_rows(rows)
        begun = _iterated(few, start, Limits(limits.max_iter, _ROUGH), None)
        if begun.history.status != "converged":  # what few rows say is of no use
            return _iterated(problem, start, limits, None)
        in_memory = problem.source.in_memory is not None  # else a pass is slow, whatever it sums
        lent = _Lent(hessian(few, few.bent(begun.state), 1.0), begun.state) if in_memory else None
        return _iterated(problem, begun.state, limits, lent)


def _iterated(problem: Problem, start: Coefficients, limits: Limits, lent: _Lent | None) -> Outcome[Coefficients]:
    """Steps from a start; by a Hessian of some of the rows as long as it serves."""
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
        if gain <= _ROUNDING * abs(before):
            return Step(at, before, done=True)
        found, after = _decreased(problem, at, change, before, gain, borrowed)
        done = gain <= _SHARP * limits.tol * max(abs(after), size)
        if found is at and lent is not None and borrowed:
            lent.serves = False
            return Step(at, before, {"gain": gain})
        if found is at and not done:
            warn(f"{problem.owner}: no step of Newton's method lowers the objective; try solver='lbfgs'.", NotConverged)
        return Step(found, after, {"gain": gain}, done=done or found is at)

    return iterate(
        lambda run: start, step, max_iter=limits.max_iter, snapshot=problem.shown, kept=problem.zero().kept()
    )


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
