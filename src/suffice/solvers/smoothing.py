"""Newton's method for losses with kinks, which are rounded less and less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.predictors import SINGULAR, NewtonLimits
from ..backend.weights import given_or_ones
from ..data import Chunk
from ..engine import Kept, Outcome, Step, iterate
from ..errors import NotConverged, warn
from ..holds import floats, number
from ..statistics import DiagonalMoments
from ..statistics.gradient import forth
from ..typing import Floats
from .base import Solver
from .hessian import CurvedSystem, gradient_of
from .line_search import searched
from .problem import Coefficients, Limits, Problem
from .small import SmallProblem, are_few, are_few_of_classes

_SHRINK, _INNER, _NARROWEST = 8.0, 50, 8.0**-15
_SHRINK_FEW = 512.0  # of few rows, whose steps cost less than what is done between them
_SHARP = 1e-7  # of `tol`: how exact the last minimum is
_FLAT = 0.1  # the slope along a step at its end, as a part of that at its beginning


@dataclass(frozen=True)
class Smoothing(Solver):
    """Newton's method for a loss with kinks: parabolas round them off, narrower in each iteration, down to the kinks.

    The gradients of the rounded loss are a point of the dual problem. It ends when the objective is within `tol` of the
    dual there, which no coefficients are below. For many rows of few columns: an iteration takes a few Hessians, each
    a summary of the rows.
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
        small = SmallProblem.of(problem, problem.loss.rounded(1.0))
        value, weight = _valued(problem, small, start), problem.sums(start).weight if small is None else small.weight
        few = problem.classes is None and are_few(weight, problem.columns)  # from every source alike
        shrink = _SHRINK_FEW if few else _SHRINK
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


def _valued(problem: Problem, small: SmallProblem | None, at: Coefficients) -> float:
    """The objective with all its kinks."""
    return (
        problem.value(at) if small is None else small.means(at, problem.loss.value)[0] + problem.penalty.value(at.slope)
    )


def _rounded(problem: Problem, width: float) -> Problem:
    """The problem with kinks that are rounded within a width."""
    rounded = problem.loss.rounded(width)
    assert rounded is not None
    return replace(problem, loss=rounded, _curved=[], _first=[])


def _narrowed(
    problem: Problem, small: SmallProblem | None, state: _State, tol: float, first: float, shrink: float
) -> Step[_State]:
    """The minimum of the loss rounded by the state's width, if its true objective is lower."""
    found, gap, value = _least(problem, small, state, tol, first)
    narrow = state.width / shrink
    is_close = gap <= tol * max(abs(value), 1e-6 * first)
    done = is_close or narrow < first * _NARROWEST
    if done and small is None:  # now exactly, so that how the rows are read does not show in the slopes
        found, _ = _minimised(_rounded(problem, state.width), found, _SHARP * tol, first)
        value = problem.value(found)
    best, least = (found, value) if value < state.value else (state.coefficients, state.value)
    after = _State(best.slope, np.asarray(best.intercept), least, narrow)
    if done and not is_close:
        warn(
            f"{problem.owner}: rounding ends the fit within {gap:.1e} of the least objective, {after.value:.3e}, and "
            "not within tol; put the columns on one scale (StandardScaler), or raise tol.",
            NotConverged,
        )
    return Step(after, after.value, {"gap": gap}, done=done)


def _mean_slack(problem: Problem, at: Coefficients) -> float:
    """By how much the objective without rounding is above its dual, where the rounded one is least."""
    loss = problem.loss

    def slack(chunk: Chunk) -> DiagonalMoments:
        found = loss.slack(forth(chunk.X, at.slope, at.intercept), chunk.y)
        return DiagonalMoments.of(np.asarray(found)[:, None], chunk.weight)

    return float(problem.source.reduce(slack).mean[0])


def _least(
    problem: Problem, small: SmallProblem | None, state: _State, tol: float, first: float
) -> tuple[Coefficients, float, float]:
    """The minimum of the rounded loss, exactly where rows are few, by how much another may have less, and F there."""
    at = state.coefficients
    if small is not None:
        rounded = problem.loss.rounded(state.width)
        assert rounded is not None
        few = small.steps(at, NewtonLimits(_SHARP * tol, 0.0, _FLAT, _INNER), rounded)
        at = Coefficients(few.slope, few.intercept)
        value, left = map(float, few.history[-1]) if len(few.history) else (0.0, np.inf)
        is_enough = few.status != SINGULAR and left <= 0.1 * tol * abs(value)  # else its line search was not
        if is_enough or problem.classes is not None:
            slack, value = small.means(at, rounded.slack, problem.loss.value)
            return at, left + slack, value + problem.penalty.value(at.slope)
    inner = _rounded(problem, state.width)
    found, left = _minimised(inner, at, (0.1 if small is None else _SHARP) * tol, first)
    return found, left + _mean_slack(inner, found), _valued(problem, small, found)


def _minimised(problem: Problem, at: Coefficients, tol: float, unit: float) -> tuple[Coefficients, float]:
    """Newton's method with a line search, for a Hessian that holds only near where it was taken; and what is left.

    Where no row is near a kink, the intercept has no curvature, and a step of it begins with the unit of predictors.
    """
    for _ in range(_INNER):
        sums = problem.curved(at)
        value, gradient = problem.objective(at, sums.first), gradient_of(problem, at, sums.first)
        system = CurvedSystem.of(problem, sums.second, sums.first.weight)
        if problem.fit_intercept and system.level == 0:
            system = replace(system, level=abs(float(gradient[-1])) / unit)
        change = -system.times_inverse(gradient)
        slope = float(gradient @ change)
        if -0.5 * slope <= tol * abs(value):
            break
        along = _along(problem, at, change)
        length = searched(along, np.zeros(1), np.ones(1), value, np.array([slope]), 1.0, flat=_FLAT)
        if length is None:
            break
        at = at.moved(change[:-1], np.asarray(change[-1]), float(length[0][0]))
    return at, max(0.0, -0.5 * slope)


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
