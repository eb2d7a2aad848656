"""Gradient descent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..engine import Outcome, Step, iterate
from ..errors import InvalidParameter
from ..holds import instance
from .base import Solver, needs_smooth
from .lbfgs import Evaluated, Flat, evaluated
from .problem import Coefficients, Frame, Limits, Problem
from .steps import STEP_RULES, StepRule, Walk

_FAR = 1e8  # times the first objective: nothing comes back from there


@dataclass(frozen=True)
class GradientDescent(Solver):
    """Gradient descent, w ← w − η_t ∇F(w), in the columns' own units; `step` says how long its steps are.

    Fixed ones, decaying ones (1/t, 1/√t), backtracking, exact line search, the bold driver, momentum, Nesterov's, Adam.
    Steps that are too large for the columns lead away from the minimum: the objective in `history_` rises, the status
    is "diverged", and a warning says so. Columns on one scale (StandardScaler) allow longer steps.

    >>> from suffice.solvers.steps import BoldDriver
    >>> GradientDescent(BoldDriver(rate=0.5)).step.grow, GradientDescent("1/t").step.power
    (1.05, 1.0)
    """

    step: StepRule | str = "backtracking"
    names: ClassVar = ("gradient_descent",)
    holds: ClassVar = {"step": instance(StepRule)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", STEP_RULES.member(self.step, "GradientDescent", "step"))

    @property
    def rule(self) -> StepRule:
        """The rule of its steps."""
        if isinstance(self.step, str):
            raise InvalidParameter(f"GradientDescent: step is the name {self.step!r} of no rule.")
        return self.step

    def lacks(self, problem: Problem) -> str:
        missing = needs_smooth(problem)
        if self.rule.takes_subgradients and problem.penalty.is_smooth:
            return ""
        return missing

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        p = problem.columns
        evaluate, flat = evaluated(problem, Frame(np.zeros(p), np.ones(p))), Flat.of(problem)
        first, rule = evaluate(flat.joined(start)), self.rule
        far = _FAR * abs(first[0]) + np.finfo(np.float64).tiny

        def begin(run: int) -> Walk:
            theta = flat.joined(start)
            nothing = np.zeros_like(theta)
            return Walk(theta, *first, rule.rate, nothing, nothing)

        found = iterate(
            begin,
            lambda walk: _stepped(walk, rule, evaluate, limits.tol, far),
            max_iter=limits.max_iter,
            snapshot=lambda walk: problem.shown(flat.split(walk.theta)),
            kept=Walk.kept(flat.size),
        )
        return found.then(lambda walk: flat.split(walk.theta))


def _stepped(walk: Walk, rule: StepRule, evaluate: Evaluated, tol: float, far: float) -> Step[Walk]:
    """One step; where the objective runs away, the last point whose objective is a number."""
    found = rule.next(walk, evaluate)
    if not np.isfinite(found.value) or not np.isfinite(found.gradient).all():
        return Step(walk, walk.value, diverged=True)
    gain = rule.gain(found)
    done = max(gain, abs(walk.value - found.value)) <= tol * abs(found.value)
    return Step(found, found.value, {"gain": gain}, done=done, diverged=found.value > far)
