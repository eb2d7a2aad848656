"""Proximal gradient descent with acceleration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..engine import Kept, Outcome, Step, iterate
from ..errors import InvalidParameter
from ..holds import floats, number
from ..penalties import Penalty
from ..typing import Floats
from .base import Solver
from .lbfgs import Flat
from .problem import Coefficients, Frame, Limits, Problem

_GROWTH, _TRIALS = 1.6, 60
_LEAST = 1e-290  # no shorter step is tried: its inverse must be a number


@dataclass(frozen=True)
class FISTA(Solver):
    """Accelerated proximal gradient descent (Beck and Teboulle, 2009), for every penalty that has a proximal map.

    The step is found by backtracking; momentum starts anew where it would raise the objective (O'Donoghue and Candès,
    2015). Slopes are those of columns in units of their spread where the penalty can be written in them.
    """

    names: ClassVar = ("fista", "proximal")

    def lacks(self, problem: Problem) -> str:
        if not problem.loss.is_smooth:
            return f"a loss with a gradient everywhere, which {type(problem.loss).__name__} has not"
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        frame, penalty = _framed(problem)
        flat = Flat.of(problem)
        inner = _Inner(problem, frame, penalty, flat)

        first = flat.joined(frame.into(start))
        value = inner.objective(first)

        def begin(run: int) -> _State:
            return _State(first, first, 1.0, 1.0, value)

        found = iterate(
            begin,
            lambda state: _stepped(state, inner, limits.tol, abs(value)),
            max_iter=limits.max_iter,
            snapshot=lambda state: problem.shown(frame.out(flat.split(state.theta))),
            kept=_State.kept(flat.size),
        )
        return found.then(lambda state: frame.out(flat.split(state.theta)))


def _framed(problem: Problem) -> tuple[Frame, Penalty]:
    """Columns in units of their spread, and the penalty in these; in their own units where it cannot be."""
    frame = problem.frame()
    try:
        return frame, problem.penalty.in_units(frame.unit)
    except InvalidParameter:
        return Frame(frame.centre, np.ones_like(frame.unit)), problem.penalty


@dataclass(frozen=True)
class _State:
    """Where it stands: the coefficients (q,), the point ahead of them, momentum, step, and objective."""

    theta: Floats
    ahead: Floats
    momentum: float
    step: float
    value: float

    @classmethod
    def kept(cls, q: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        one = number()
        return Kept.fields(cls, theta=floats(q), ahead=floats(q), momentum=one, step=one, value=number(finite=False))


@dataclass(frozen=True)
class _Inner:
    """The smooth part and the proximal map as functions of the vector of coefficients."""

    problem: Problem
    frame: Frame
    penalty: Penalty
    flat: Flat

    def smooth(self, theta: Floats) -> tuple[float, Floats]:
        """The mean loss and its gradient."""
        at = self.frame.out(self.flat.split(theta))
        sums = self.problem.sums(at)
        slope, offset = sums.slope / sums.weight, np.asarray(sums.offset / sums.weight)
        value = sums.value / sums.weight
        return value if not np.isnan(value) else np.inf, self.flat.joined(self.frame.gradient(slope, offset))

    def cost(self, theta: Floats) -> float:
        """The penalty."""
        return self.penalty.value(self.flat.split(theta).slope)

    def prox(self, theta: Floats, step: float) -> Floats:
        """The proximal map of the slopes; intercepts are free."""
        found = self.flat.split(theta)
        return self.flat.joined(Coefficients(self.penalty.prox(found.slope, step), found.intercept))

    def objective(self, theta: Floats) -> float:
        """F."""
        return self.smooth(theta)[0] + self.cost(theta)


def _stepped(state: _State, inner: _Inner, tol: float, size: float) -> Step[_State]:
    value, gradient = inner.smooth(state.ahead)
    step = max(state.step * _GROWTH, _LEAST)
    for _ in range(_TRIALS):
        found = inner.prox(state.ahead - step * gradient, step)
        move = found - state.ahead
        loss = inner.smooth(found)[0]
        if loss <= value + float(gradient @ move) + float(move @ move) / (2 * step) + 1e-14 * abs(value):
            break
        step = max(step / 2, _LEAST)
    after = loss + inner.cost(found)
    if after > state.value and np.any(state.ahead != state.theta):  # momentum leads astray: begin it anew
        return Step(_State(state.theta, state.theta, 1.0, step, state.value), state.value)
    momentum = 0.5 * (1 + np.sqrt(1 + 4 * state.momentum**2))
    ahead = found + (state.momentum - 1) / momentum * (found - state.theta)
    gain = float(move @ move) / (2 * step)
    done = max(gain, abs(state.value - after)) <= tol * max(abs(after), size)
    return Step(_State(found, ahead, momentum, step, min(after, state.value)), after, {"gain": gain}, done=done)
