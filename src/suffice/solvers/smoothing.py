"""Newton's method for losses with kinks, which are rounded less and less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..engine import Kept, Outcome, Step, iterate
from ..holds import floats, number
from ..observing import unobserved
from ..typing import Floats
from .base import Solver
from .newton import iterated
from .problem import Coefficients, Limits, Problem

_SHRINK, _INNER, _LEVELS = 8.0, 50, 12


@dataclass(frozen=True)
class Smoothing(Solver):
    """Newton's method for a loss with kinks: parabolas round them off, narrower in each iteration, down to the kinks.

    The minimum of the rounded loss is off by no more than the width times the share of rows within it, so by about the
    square of the width. For many rows of few columns: an iteration takes a few Hessians, each a summary of the rows.
    """

    names: ClassVar = ("smoothing",)

    def lacks(self, problem: Problem) -> str:
        if problem.loss.target == "classes":
            return "one predictor a row, and several classes have one each"
        if problem.loss.rounded(1.0) is None:
            return f"a loss whose kinks can be rounded, which {type(problem.loss).__name__} has not"
        if not problem.penalty.is_smooth:
            return f"a penalty with a gradient everywhere, which {type(problem.penalty).__name__} has not"
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        value = problem.objective(start, problem.sums(start))
        # Kinks are rounded in units of the predictor: what rows lose at the start.
        first = _State(start.slope, start.intercept, value, value if value > 0 else 1.0)
        return iterate(
            lambda run: first,
            lambda state: _narrowed(problem, state, limits.tol, first.width),
            max_iter=limits.max_iter,
            snapshot=lambda state: problem.shown(state.coefficients),
            kept=_State.kept(problem.columns),
        ).then(lambda state: state.coefficients)


@dataclass(frozen=True)
class _State:
    """The coefficients, their objective, and the width to round with next."""

    slope: Floats
    intercept: Floats
    value: float
    width: float

    @property
    def coefficients(self) -> Coefficients:
        """As solvers give them."""
        return Coefficients(self.slope, self.intercept)

    @classmethod
    def kept(cls, p: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        return Kept.fields(cls, slope=floats(p), intercept=floats(), value=number(), width=number())


def _narrowed(problem: Problem, state: _State, tol: float, first: float) -> Step[_State]:
    """The minimum of the loss rounded by the state's width, if its true objective is lower."""
    rounded = problem.loss.rounded(state.width)
    assert rounded is not None
    inner = replace(problem, loss=rounded, _curved=[], _first=[])
    with unobserved():
        found = iterated(inner, state.coefficients, Limits(_INNER, max(tol, 1e-12)), None).state
    value = problem.objective(found, problem.sums(found))
    narrow = state.width / _SHRINK
    gain = state.value - value
    done = narrow < first * _SHRINK**-_LEVELS or (state.width < first and gain <= tol * max(abs(value), 1e-6 * first))
    if value < state.value:
        return Step(_State(found.slope, np.asarray(found.intercept), value, narrow), value, {"gain": gain}, done=done)
    return Step(replace(state, width=narrow), state.value, {"gain": gain}, done=done)
