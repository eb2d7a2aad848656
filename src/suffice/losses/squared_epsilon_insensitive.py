"""The squared epsilon-insensitive loss."""

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
from .epsilon_insensitive import excess


@dataclass(frozen=True)
class SquaredEpsilonInsensitiveLoss(Loss):
    """The squared loss of support vector regression, ℓ = max(0, |y − η| − ε)²: rows within ε count nothing.

    >>> import numpy as np
    >>> SquaredEpsilonInsensitiveLoss(0.5).value(np.array([0.0, 0.0]), np.array([0.25, -2.0]))
    array([0.  , 2.25])
    """

    epsilon: float = 0.1
    names: ClassVar = ("squared_epsilon_insensitive",)
    holds: ClassVar = {"epsilon": number(at_least=0)}

    def __post_init__(self) -> None:
        check_number(self, "epsilon", 0.0)

    @property
    def kernel(self) -> str:
        return "squared_insensitive"

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return self.epsilon, 0.0

    def value(self, eta: Array, y: Array) -> Array:
        over = excess(eta - y, self.epsilon)
        return over * over

    def gradient(self, eta: Array, y: Array) -> Array:
        return 2.0 * namespace(eta).sign(eta - y) * excess(eta - y, self.epsilon)

    def curvature(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        return xp.where(xp.abs(eta - y) > self.epsilon, 0.0 * eta + 2.0, 0.0 * eta)

    def box(self, y: Floats) -> Box:
        far = np.full(len(y), np.inf)
        return Box(y, -far, far, np.full(len(y), 0.5), self.epsilon)

    def steepest(self) -> float:
        return 2.0

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(1.3)
