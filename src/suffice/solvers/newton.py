"""Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..engine import Outcome, Step, iterate
from ..statistics import CurvedSums
from ..typing import Floats
from .base import Solver, needs_smooth
from .problem import Coefficients, Limits, Problem
from .systems import solved

_HALVINGS = 40
_SHARP = 1e-4  # of `tol`: where the curvature is the expected one, steps shrink by a factor and the last are cheap
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Newton(Solver):
    """Newton's method, which is iteratively reweighted least squares: the Hessian Σ h x xᵀ is a summary of the rows.

    A step solves (Xᵀ H X + Λ) δ = −∇F and is halved until the objective falls. With the parabolas of a majorised loss
    it is the algorithm of majorisation and minimisation (EM for Student's t). One pass over the rows an iteration.
    """

    names: ClassVar = ("newton", "irls")

    def lacks(self, problem: Problem) -> str:
        if problem.loss.target == "classes":
            return "one predictor a row, and several classes have one each"
        if not problem.loss.has_curvature:
            return f"a loss with a curvature, which {type(problem.loss).__name__} has not"
        return needs_smooth(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        size = abs(problem.objective(start, problem.curved(start).first))

        def step(at: Coefficients) -> Step[Coefficients]:
            sums = problem.curved(at)
            before = problem.objective(at, sums.first)
            slope, intercept, gain = _direction(problem, at, sums)
            if gain <= _ROUNDING * abs(before):
                return Step(at, before, done=True)
            found, after = _decreased(problem, at, slope, intercept, before, gain)
            return Step(
                found, after, {"gain": gain}, done=found is at or gain <= _SHARP * limits.tol * max(abs(after), size)
            )

        return iterate(
            lambda run: start, step, max_iter=limits.max_iter, snapshot=problem.shown, kept=problem.zero().kept()
        )


def _direction(problem: Problem, at: Coefficients, sums: CurvedSums) -> tuple[Floats, Floats, float]:
    """The change of slopes and intercept, and by how much a parabola falls along it."""
    first, second, p = sums.first, sums.second, problem.columns
    n = first.weight
    own, offset = first.slope + n * problem.penalty.gradient(at.slope), first.offset
    bent = n * problem.penalty.curvature(p)
    system = second.scatter + (np.diag(bent) if bent.ndim == 1 else bent)
    if not problem.fit_intercept:
        system += second.weight * np.outer(second.mean, second.mean)
        slope, intercept = solved(system, -own)[0], np.zeros(())
    else:
        slope = solved(system, second.mean * offset - own)[0]
        level = -offset / second.weight if second.weight > 0 else 0.0
        intercept = np.asarray(level - second.mean @ slope)
    gain = -0.5 * float(own @ slope + offset * intercept) / n
    return slope, intercept, gain


def _decreased(
    problem: Problem, at: Coefficients, slope: Floats, intercept: Floats, before: float, gain: float
) -> tuple[Coefficients, float]:
    """The farthest of the halved steps that lowers the objective; where none does, no step."""
    length, slack = 1.0, _ROUNDING * abs(before)
    for _ in range(_HALVINGS):
        found = at.moved(slope, intercept, length)
        after = problem.objective(found, problem.curved(found).first)
        if after <= before - 1e-4 * length * gain + slack:
            return found, after
        length /= 2
    return at, before
