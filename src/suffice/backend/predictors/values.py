"""What the operations on linear predictors take and give."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...typing import Floats

# Losses that kernels know, in their order.
KINDS = (
    "logistic", "poisson", "squared_hinge", "squared", "gamma", "tweedie", "squared_insensitive", "rounded_hinge",
    "rounded_insensitive", "pinball",
)  # fmt: skip
MORE, DONE, NO_STEP, SINGULAR = range(4)  # how some of Newton's steps ended
Parts = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]  # of η and y: value, gradient and curvature


class RowLoss(NamedTuple):
    """A loss, known to kernels by its kind and two numbers, to all others by its parts."""

    kind: str
    parts: Parts
    numbers: tuple[float, float] = (0.0, 0.0)


class LossTotals(NamedTuple):
    """Σw, Σ w ℓ, Σ w g, Σ w g x (d,), and the curvature h of each row (n,), None where nobody asked for it."""

    weight: float
    value: float
    offset: float
    slope: Floats
    curvature: Floats | None


class NewtonLimits(NamedTuple):
    """A step that promises less than tol · max(|F|, size) is the last, and there are at most `most`.

    A size below 0 stands for |F| at the start. Where `flat` is above 0, a step ends where the slope along it is this
    part of that at its beginning; else it is halved until the objective falls.
    """

    tol: float
    size: float
    flat: float
    most: int


class NewtonSteps(NamedTuple):
    """Where some steps led, how they ended, the objective after each with what it promised before, and the first one.

    MORE may follow; DONE; NO_STEP lowers the objective; or the system is SINGULAR, to rounding or nearly so.
    """

    slope: Floats
    intercept: Floats
    status: int
    history: Floats
    first: float


class SoftmaxTotals(NamedTuple):
    """Σw, Σ w ℓ, Σ w g (k,), Σ w g x (d, k), and the probabilities of each row (n, k), None where nobody asked."""

    weight: float
    value: float
    offset: Floats
    slope: Floats
    share: Floats | None
