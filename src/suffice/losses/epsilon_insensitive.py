"""The epsilon-insensitive loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..backend.dual import Box
from ..choices import check_number
from ..holds import number
from ..typing import Floats
from .base import Loss
from .hinge import kink_slack, rounded_kink


@dataclass(frozen=True)
class EpsilonInsensitiveLoss(Loss):
    """The loss of support vector regression, ℓ = max(0, |y − η| − ε): rows within ε count nothing.

    >>> import numpy as np
    >>> EpsilonInsensitiveLoss(0.5).value(np.array([0.0, 0.0]), np.array([0.25, -2.0]))
    array([0. , 1.5])
    """

    epsilon: float = 0.1
    names: ClassVar = ("epsilon_insensitive",)
    is_smooth: ClassVar = False
    has_curvature: ClassVar = False
    holds: ClassVar = {"epsilon": number(at_least=0)}

    def __post_init__(self) -> None:
        check_number(self, "epsilon", 0.0)

    def value(self, eta: Array, y: Array) -> Array:
        return excess(eta - y, self.epsilon)

    def gradient(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        return xp.where(xp.abs(eta - y) > self.epsilon, xp.sign(eta - y), 0.0 * eta)

    def box(self, y: Floats) -> Box:
        ones = np.ones(len(y))
        return Box(y, -ones, ones, 0.0 * ones, self.epsilon)

    def rounded(self, width: float) -> Loss:
        return _RoundedInsensitive(self.epsilon, width)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(0.0), cls(1.3)


@dataclass(frozen=True)
class _RoundedInsensitive(Loss):
    """The epsilon-insensitive loss with parabolas where the residual is within `width` of ±ε."""

    epsilon: float = 0.1
    width: float = 0.5

    @property
    def kernel(self) -> str:
        return "rounded_insensitive"

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return self.epsilon, self.width

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        above = rounded_kink(eta - y - self.epsilon, self.width)
        below = rounded_kink(y - eta - self.epsilon, self.width)
        return above[0] + below[0], above[1] - below[1], above[2] + below[2]

    def value(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[0]

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[1]

    def curvature(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[2]

    def slack(self, eta: Array, y: Array) -> Array:
        above, below = eta - y - self.epsilon, y - eta - self.epsilon
        return kink_slack(above, self.width) + kink_slack(below, self.width)

    def steepest(self) -> float:
        return 1.0 / self.width


def excess(rest: Array, epsilon: float) -> Array:
    """By how much residuals are larger than ε."""
    xp = namespace(rest)
    over = xp.abs(rest) - epsilon
    return xp.where(over > 0, over, 0.0 * xp.abs(over))
