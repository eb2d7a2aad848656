"""Newton's method for losses with kinks, which are rounded less and less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.predictors import SINGULAR, NewtonLimits
from ..backend.weights import given_or_ones
from ..engine import Kept, Outcome, Step, iterate
from ..holds import floats, number
from ..statistics.gradient import forth
from ..typing import Floats
from .base import Solver
from .few_rows import FewRows, are_few, are_few_of_classes
from .line_search import searched
from .newton import CurvedSystem, gradient_of
from .problem import Coefficients, Limits, Problem

_SHRINK, _INNER, _NARROWEST = 8.0, 50, 8.0**-8
_SHRINK_FEW = 64.0  # of few rows, whose steps cost less than what is done between them
_SHARP = 1e-7  # of `tol`: how exact the last minimum is
_FLAT = 0.1  # the slope along a step at its end, as a part of that at its beginning


@dataclass(frozen=True)
class Smoothing(Solver):
    """Newton's method for a loss with kinks: parabolas round them off, narrower in each iteration, down to the kinks.

    The minimum of the rounded loss is off by no more than the width times the share of rows within it, so by about the
    square of the width. For many rows of few columns: an iteration takes a few Hessians, each a summary of the rows.
    """

    names: ClassVar = ("smoothing",)

    def lacks(self, problem: Problem) -> str:
        rounded = problem.loss.rounded(1.0)
        if problem.loss.target == "classes" and (rounded is None or not are_few_of_classes(problem)):
            return "one predictor a row, or few rows of several classes with an L2 penalty"
        if rounded is None:
            return f"a loss whose kinks can be rounded, which {type(problem.loss).__name__} has not"
        if not problem.penalty.is_smooth:
            return f"a penalty with a gradient everywhere, which {type(problem.penalty).__name__} has not"
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        small = FewRows.of(_rounded(problem, 1.0))
        value, weight = _valued(problem, small, start), problem.sums(start).weight if small is None else small.weight
        shrink = _SHRINK_FEW if are_few(weight, problem.columns) else _SHRINK  # from every source alike
        # Kinks are rounded in units of the predictor: what rows lose at the start, which must lie within.
        first = _State(start.slope, start.intercept, value, 1.25 * value if value > 0 else 1.0)
        return iterate(
            lambda run: first,
            lambda state: _narrowed(problem, small, state, limits.tol, first.width, shrink),
            max_iter=limits.max_iter,
            snapshot=lambda state: problem.shown(state.coefficients),
            kept=lambda: _State.kept(*start.slope.shape),
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
    def kept(cls, *shape: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        return Kept.fields(cls, slope=floats(*shape), intercept=floats(*shape[1:]), value=number(), width=number())


def _valued(problem: Problem, small: FewRows | None, at: Coefficients) -> float:
    """The objective with all its kinks."""
    return problem.value(at) if small is None else small.value(at, problem.loss)


def _rounded(problem: Problem, width: float) -> Problem:
    """The problem with kinks that are rounded within a width."""
    rounded = problem.loss.rounded(width)
    assert rounded is not None
    return replace(problem, loss=rounded, _curved=[], _first=[])


def _narrowed(
    problem: Problem, small: FewRows | None, state: _State, tol: float, first: float, shrink: float
) -> Step[_State]:
    """The minimum of the loss rounded by the state's width, if its true objective is lower."""
    found, smooth = _least(problem, small, state.coefficients, state.width, tol)
    value = _valued(problem, small, found)
    narrow = state.width / shrink
    excess = smooth - value  # of the rounded loss: the minimum may be so far off
    done = narrow < first * _NARROWEST or excess <= tol * max(abs(value), 1e-6 * first)
    if done and small is None:  # now exactly, so that how the rows are read does not show in the slopes
        found, _ = _minimised(_rounded(problem, state.width), found, _SHARP * tol)
        value = problem.value(found)
    after = replace(state, width=narrow)
    if value < state.value:
        after = _State(found.slope, np.asarray(found.intercept), value, narrow)
    return Step(after, after.value, {"excess": excess}, done=done)


def _least(
    problem: Problem, small: FewRows | None, at: Coefficients, width: float, tol: float
) -> tuple[Coefficients, float]:
    """The minimum of the loss rounded by a width, and its objective; exactly where rows are few."""
    if small is None:
        return _minimised(_rounded(problem, width), at, 0.1 * tol)
    found = small.steps(at, NewtonLimits(_SHARP * tol, 0.0, _FLAT, _INNER), problem.loss.rounded(width))
    at = Coefficients(found.slope, found.intercept)
    if found.status == SINGULAR and problem.classes is None:
        return _minimised(_rounded(problem, width), at, _SHARP * tol)
    return at, float(found.history[-1, 0]) if len(found.history) else found.first


def _minimised(problem: Problem, at: Coefficients, tol: float) -> tuple[Coefficients, float]:
    """Newton's method with a line search, for a Hessian that holds only near where it was taken; and the objective."""
    for _ in range(_INNER):
        sums = problem.curved(at)
        value, gradient = problem.objective(at, sums.first), gradient_of(problem, at, sums.first)
        change = -CurvedSystem.of(problem, sums.second, sums.first.weight).times_inverse(gradient)
        slope = float(gradient @ change)
        if -0.5 * slope <= tol * abs(value):
            break
        along = _along(problem, at, change)
        length = searched(along, np.zeros(1), np.ones(1), value, np.array([slope]), 1.0, flat=_FLAT)
        if length is None:
            break
        at = at.moved(change[:-1], np.asarray(change[-1]), float(length[0][0]))
    return at, problem.objective(at, problem.curved(at).first)


def _along(problem: Problem, at: Coefficients, change: Floats) -> Callable[[Floats], tuple[float, Floats]]:
    """The objective and its slope at so many times a change, each a vector of one number.

    Of rows in memory the predictors are straight lines, so that nothing is multiplied but once.
    """
    rows, loss, penalty = problem.source.in_memory, problem.loss, problem.penalty
    if rows is None:
        return lambda t: _pass_along(problem, at, change, float(t[0]))
    begin, speed = (forth(rows.X, w, np.asarray(b)) for w, b in ((at.slope, at.intercept), (change[:-1], change[-1])))
    weight = given_or_ones(rows.weight, len(rows))
    total = weight.sum()

    def evaluate(t: Floats) -> tuple[float, Floats]:
        slopes = at.slope + t[0] * change[:-1]
        value, gradient, _ = loss.parts(begin + t[0] * speed, rows.y)
        slope = weight @ (gradient * speed) / total + penalty.gradient(slopes) @ change[:-1]
        return float(weight @ value / total) + penalty.value(slopes), np.array([slope])

    return evaluate


def _pass_along(problem: Problem, at: Coefficients, change: Floats, t: float) -> tuple[float, Floats]:
    there = at.moved(change[:-1], np.asarray(change[-1]), t)
    sums = problem.sums(there)
    return problem.objective(there, sums), np.array([float(gradient_of(problem, there, sums) @ change)])
