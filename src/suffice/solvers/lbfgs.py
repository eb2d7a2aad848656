"""The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..engine import Kept, Outcome, Step, iterate
from ..holds import floats, number
from ..typing import Floats
from .base import Solver, needs_smooth
from .few_rows import borrowed_inverse
from .line_search import searched
from .problem import Coefficients, Frame, Limits, Problem
from .row_space import is_spanned, solved_by_rows

Evaluated = Callable[[Floats], tuple[float, Floats]]
Inverse = Callable[[Floats], Floats]  # of a Hessian, times a gradient
_FEW = 200  # slopes whose Hessian is formed and factored soon
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LBFGS(Solver):
    """L-BFGS: a quasi-Newton method that learns the curvature from the last `memory` steps; one or two passes each.

    Slopes are those of columns about their mean, in units in which all are curved about alike, by their spread and by
    the penalty.
    Of many rows, some say which columns go together: their products are the curvature that the steps correct. Of few
    rows with many columns and an L2 penalty, the problem is first solved in the space that the rows span.
    """

    memory: int = 10
    names: ClassVar = ("lbfgs",)

    def lacks(self, problem: Problem) -> str:
        return needs_smooth(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        if is_spanned(problem):
            start = solved_by_rows(problem, limits, self._of_few) or start
        frame = curved_alike(problem)
        lent = borrowed_inverse(problem, frame, start)
        evaluate = evaluated(problem, frame)
        flat = Flat.of(problem)

        first = flat.joined(frame.into(start))
        value, gradient = evaluate(first)

        def begin(run: int) -> _State:
            return _State(first, value, gradient, np.zeros((0, len(first))), np.zeros((0, len(first))))

        def step(state: _State) -> Step[_State]:
            return _stepped(state, evaluate, self.memory, limits.tol, abs(value), lent)

        def shown(state: _State) -> dict[str, object]:
            return dict(problem.shown(frame.out(flat.split(state.theta))))

        found = iterate(begin, step, max_iter=limits.max_iter, snapshot=shown, kept=_State.kept(flat.size))
        return found.then(lambda state: frame.out(flat.split(state.theta)))

    def _of_few(self, problem: Problem, start: Coefficients, limits: Limits) -> Coefficients:
        """The coefficients of few rows and columns."""
        from .newton import Newton  # which takes steps of this solver

        many = problem.zero().slope.size > _FEW
        solver = self if many or Newton().lacks(problem) else Newton()
        return solver.solve(problem, start, limits).state


@dataclass(frozen=True)
class _State:
    """Where it stands: coefficients (q,), value and gradient there, and the last changes of both, (m, q) each."""

    theta: Floats
    value: float
    gradient: Floats
    moves: Floats
    turns: Floats

    @property
    def last_fall(self) -> float:
        """By about how much the step before lowered the value, by the gradients at its ends; one alone says little."""
        if not len(self.moves):
            return np.inf
        move = self.moves[-1]
        return 0.5 * float(move @ self.turns[-1]) - float(move @ self.gradient)

    @classmethod
    def kept(cls, q: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        kinds = {"theta": floats(q), "value": number(finite=False), "gradient": floats(q)}
        return Kept.fields(cls, **kinds, moves=floats(None, q), turns=floats(None, q))


@dataclass(frozen=True)
class Flat:
    """Coefficients as one vector: the slopes, then the intercept where there is one."""

    shape: tuple[int, ...]
    fit_intercept: bool

    @classmethod
    def of(cls, problem: Problem) -> Flat:
        """The layout of a problem's coefficients."""
        return cls(problem.zero().slope.shape, problem.fit_intercept)

    @property
    def size(self) -> int:
        """The length of the vector."""
        return int(np.prod(self.shape)) + self.fit_intercept * int(np.prod(self.shape[1:], dtype=int))

    def joined(self, found: Coefficients) -> Floats:
        """The vector of coefficients."""
        return np.concatenate([found.slope.ravel(), found.intercept.ravel()])[: self.size]

    def split(self, theta: Floats) -> Coefficients:
        """The coefficients of a vector."""
        slopes = int(np.prod(self.shape))
        intercept = theta[slopes:] if self.fit_intercept else np.zeros(int(np.prod(self.shape[1:], dtype=int)))
        return Coefficients(theta[:slopes].reshape(self.shape), intercept.reshape(self.shape[1:]))


def curved_alike(problem: Problem) -> Frame:
    """Columns about their mean, each in the unit in which the curvature of loss and penalty is at most about 1."""
    frame, steepest, bent = problem.frame(), problem.loss.steepest(), problem.penalty.curvature(problem.columns)
    bent = bent if bent.ndim == 1 else np.diagonal(bent)
    return replace(frame, unit=np.sqrt((steepest if np.isfinite(steepest) else 1.0) * frame.unit**2 + bent))


def evaluated(problem: Problem, frame: Frame) -> Evaluated:
    """Objective and gradient as functions of the vector of coefficients in a frame."""
    flat = Flat.of(problem)

    def evaluate(theta: Floats) -> tuple[float, Floats]:
        at = frame.out(flat.split(theta))
        sums = problem.sums(at)
        slope = sums.slope / sums.weight + problem.penalty.gradient(at.slope)
        gradient = flat.joined(frame.gradient(slope, np.asarray(sums.offset / sums.weight)))
        return problem.objective(at, sums), gradient

    return evaluate


def _stepped(
    state: _State, evaluate: Evaluated, memory: int, tol: float, size: float, lent: Inverse | None
) -> Step[_State]:
    direction = -times_inverse(state.gradient, state.moves, state.turns, lent)
    gain = -0.5 * float(direction @ state.gradient)
    if not gain > _ROUNDING * abs(state.value):
        return Step(state, state.value, done=True)
    first = 1.0 if len(state.moves) or lent else min(1.0, 1 / float(np.linalg.norm(direction)))
    found = searched(evaluate, state.theta, direction, state.value, state.gradient, first)
    if found is None:  # nothing along it is better than rounding
        return Step(state, state.value, done=True)
    theta, value, gradient = found
    move, turn = theta - state.theta, gradient - state.gradient
    moves, turns = state.moves, state.turns
    if float(move @ turn) > 1e-12 * float(turn @ turn):
        moves, turns = np.vstack([moves, move])[-memory:], np.vstack([turns, turn])[-memory:]
    done = max(gain, state.value - value, state.last_fall) <= tol * max(abs(value), size)
    return Step(_State(theta, value, gradient, moves, turns), value, {"gain": gain}, done=done)


def times_inverse(gradient: Floats, moves: Floats, turns: Floats, first: Inverse | None = None) -> Floats:
    """The inverse Hessian that the last steps suggest, times the gradient: the two loops of Nocedal (1980).

    `first` is the inverse that they correct; by default a multiple of the identity that the last step suggests.
    """
    q, inner = gradient.copy(), []
    pairs = list(zip(moves, turns, strict=True))
    for move, turn in reversed(pairs):
        alpha = float(move @ q) / float(move @ turn)
        q -= alpha * turn
        inner.append(alpha)
    if first is not None:
        q = first(q)
    elif pairs:
        move, turn = pairs[-1]
        q *= float(move @ turn) / float(turn @ turn)
    for (move, turn), alpha in zip(pairs, reversed(inner), strict=True):
        q += (alpha - float(turn @ q) / float(move @ turn)) * move
    return q
