"""The hinge loss of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..typing import Floats
from .base import Loss
from .softmax import is_own, taken


@dataclass(frozen=True)
class CrammerSingerLoss(Loss):
    """The hinge loss of several classes at once (Crammer and Singer, 2001): ℓ = max_c (η_c + [c ≠ y]) − η_y.

    >>> import numpy as np
    >>> CrammerSingerLoss().value(np.array([[2.0, 1.5, 0.0]]), np.array([0]))
    array([0.5])
    """

    names: ClassVar = ("crammer_singer", "multiclass_hinge")
    target: ClassVar = "classes"
    is_smooth: ClassVar = False
    has_curvature: ClassVar = False
    least_target: ClassVar = 0.0

    def value(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        return xp.max(eta + (1.0 - is_own(eta, y)), axis=1) - taken(eta, y)

    def gradient(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        own = is_own(eta, y)
        return is_own(eta, xp.argmax(eta + (1.0 - own), axis=1)) - own

    def constant(self, mean: float) -> float:
        return 0.0

    def mean(self, eta: Array) -> Array:
        xp = namespace(eta)
        return is_own(eta, xp.argmax(eta, axis=1))

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.integers(0, 4, n)  # type: ignore[return-value]
