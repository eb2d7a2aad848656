"""The epsilon-insensitive loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from ..holds import number
from .base import Loss, check_number


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

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(0.0), cls(1.3)


def excess(rest: Array, epsilon: float) -> Array:
    """By how much residuals are larger than ε."""
    xp = namespace(rest)
    over = xp.abs(rest) - epsilon
    return xp.where(over > 0, over, 0.0 * over)
