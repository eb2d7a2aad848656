"""Hyperparameters found by the gradient of a likelihood, within bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...engine import Kept, Outcome, Step, closed_form, iterate
from ...errors import InvalidParameter, NotConverged, warn
from ...holds import floats, number
from ...typing import Floats

_FALL, _TRIALS = 1e-4, 25  # Armijo's constant, and lengths tried along a direction
_ROUNDING = 1e-13  # of the objective


class Evaluated:
    """The value to minimise at some theta; its gradient is computed when it is first asked for."""

    def __init__(self, value: float, gradient: Callable[[], Floats]) -> None:
        self.value, self._gradient = value, gradient

    def gradient(self) -> Floats:
        """The derivatives in theta, (p,)."""
        return self._gradient()


Evaluate = Callable[[Floats], Evaluated]


class Optimizer(Protocol):
    """A user's function that minimises, by scikit-learn's protocol: it gives theta and the value there."""

    def __call__(
        self, objective: Callable[..., object], theta: Floats, /, *, bounds: Floats
    ) -> tuple[Floats, float]: ...


@dataclass(frozen=True)
class _State:
    """Where it stands: theta (p,), value and gradient there, and the inverse Hessian that the steps suggest, (p, p)."""

    theta: Floats
    value: float
    gradient: Floats
    inverse: Floats
    steps: float = 0.0

    @classmethod
    def kept(cls, p: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        kinds = {"theta": floats(p), "value": number(finite=False), "gradient": floats(p), "inverse": floats(p, p)}
        return Kept.fields(cls, **kinds, steps=number())


def maximised(
    evaluate: Evaluate,
    theta: Floats,
    bounds: Floats,
    *,
    restarts: int,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
    names: Sequence[str],
    owner: str,
) -> Outcome[Floats]:
    """The theta with the largest likelihood, of which `evaluate` gives the negative: the best of several starts.

    The method of Broyden, Fletcher, Goldfarb and Shanno; steps end at the bounds, and what stands there and would go
    further stays. The first start is `theta`, the others are drawn evenly between the bounds.
    """
    if restarts and not np.isfinite(bounds).all():
        raise InvalidParameter(f"{owner}: n_restarts_optimizer={restarts} needs finite bounds of every hyperparameter.")

    def start(run: int) -> _State:
        at = np.clip(theta, bounds[:, 0], bounds[:, 1]) if run == 0 else rng.uniform(bounds[:, 0], bounds[:, 1])
        found = evaluate(at)
        gradient = found.gradient() if np.isfinite(found.value) else np.zeros(len(at))
        return _State(at, found.value, gradient, np.eye(len(at)))

    outcome = iterate(
        start,
        lambda state: _stepped(state, evaluate, bounds, tol),
        max_iter=max_iter,
        restarts=1 + restarts,
        minimise=False,
        kept=_State.kept(len(theta)),
        rng=rng,
    )
    if outcome.history.status == "max_iter":
        warn(f"{owner}: the likelihood still rises after max_iter={max_iter} iterations; raise it.", NotConverged)
    _warn_of_bounds(outcome.state.theta, bounds, names, owner)
    return outcome.then(lambda state: state.theta)


def _warn_of_bounds(theta: Floats, bounds: Floats, names: Sequence[str], owner: str) -> None:
    """Say which hyperparameters would go on beyond their bounds."""
    for side, word in ((0, "lower"), (1, "upper")):
        ends = [
            f"{name} = {np.exp(bounds[j, side]):.3g}" for j, name in enumerate(names) if theta[j] == bounds[j, side]
        ]
        if ends:
            warn(
                f"{owner}: the likelihood is largest at the {word} bound of {', '.join(ends)}. The rows do not "
                "determine it: fix it with optimizer=None, leave that part of the kernel out, or start elsewhere.",
                NotConverged,
            )


def as_given(evaluate: Evaluate, theta: Floats) -> Outcome[Floats]:
    """The theta that it is, with its likelihood."""
    return closed_form(lambda: Step(theta, -evaluate(theta).value))


def by_function(optimizer: Optimizer, evaluate: Evaluate, theta: Floats, bounds: Floats, owner: str) -> Outcome[Floats]:
    """The theta that a function of the user's finds, by scikit-learn's protocol."""

    def objective(at: Floats, eval_gradient: bool = True) -> object:
        found = evaluate(np.asarray(at, dtype=np.float64))
        return (found.value, found.gradient()) if eval_gradient else found.value

    def solve() -> Step[Floats]:
        found = optimizer(objective, theta, bounds=bounds)
        try:
            best = np.asarray(found[0], dtype=np.float64).reshape(len(theta))
        except (TypeError, ValueError, IndexError):
            raise InvalidParameter(
                f"{owner}: optimizer must give theta with {len(theta)} numbers, and the value there; got {found!r:.80}."
            ) from None
        return Step(best, -evaluate(best).value)

    return closed_form(solve)


def _stepped(state: _State, evaluate: Evaluate, bounds: Floats, tol: float) -> Step[_State]:
    low, high = bounds.T
    held = ((state.theta <= low) & (state.gradient > 0)) | ((state.theta >= high) & (state.gradient < 0))
    slope = np.where(held, 0.0, state.gradient)
    inverse = np.where(held[:, None] | held, 0.0, state.inverse)
    direction = -inverse @ slope
    gain = -0.5 * float(direction @ slope)
    if not (np.isfinite(state.value) and gain > _ROUNDING * max(1.0, abs(state.value))):
        return Step(state, -state.value, {"gain": max(gain, 0.0)}, done=True)
    length = 1.0 if state.steps else min(1.0, 1 / float(np.linalg.norm(direction)))
    for _ in range(_TRIALS):
        theta = np.clip(state.theta + length * direction, low, high)
        found, fall = evaluate(theta), float(slope @ (theta - state.theta))
        if found.value <= state.value + _FALL * fall:
            return _moved(state, theta, found, gain, tol)
        bend = found.value - state.value - fall  # of the parabola through both values with the slope here
        best = -0.5 * length * fall / bend if np.isfinite(bend) and bend > 0 else 0.0
        length = min(max(best, 0.1 * length), 0.5 * length)
    return Step(state, -state.value, {"gain": gain}, done=True)  # nothing along it is better than rounding


def _moved(state: _State, theta: Floats, found: Evaluated, gain: float, tol: float) -> Step[_State]:
    gradient = found.gradient()
    move, turn = theta - state.theta, gradient - state.gradient
    inner, inverse = float(move @ turn), state.inverse
    if inner > 1e-10 * float(np.linalg.norm(move) * np.linalg.norm(turn)):
        if not state.steps:
            inverse = np.eye(len(theta)) * (inner / float(turn @ turn))
        left = np.eye(len(theta)) - np.outer(move, turn) / inner
        inverse = left @ inverse @ left.T + np.outer(move, move) / inner
    size = max(1.0, abs(found.value))
    fall = state.value - found.value
    done = max(gain, fall) <= tol * size or fall <= _ROUNDING * size  # of which nothing more can be told
    after = _State(theta, found.value, gradient, inverse, state.steps + 1)
    return Step(after, -found.value, {"gain": gain}, done=done)
