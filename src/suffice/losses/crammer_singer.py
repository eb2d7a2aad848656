"""The hinge loss of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..typing import Floats
from .base import Loss
from .softmax import SoftmaxLoss, is_own, taken


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

    def rounded(self, width: float) -> Loss:
        return _SoftCrammerSinger(width)

    def constant(self, mean: float) -> float:
        return 0.0

    def mean(self, eta: Array) -> Array:
        xp = namespace(eta)
        return is_own(eta, xp.argmax(eta, axis=1))

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.integers(0, 4, n)  # type: ignore[return-value]


@dataclass(frozen=True)
class _SoftCrammerSinger(Loss):
    """The same with t log Σ exp(· / t) for the maximum, above it by t log k at most, where 4 t is the `width`."""

    width: float = 0.5
    target: ClassVar = "classes"

    @property
    def kernel(self) -> str:
        return "softmax"

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return 1.0, 0.25 * self.width

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        heat, own = 0.25 * self.width, is_own(eta, y)
        value, _, share = SoftmaxLoss().parts((eta + (1.0 - own)) / heat, y)
        return heat * value, share - own, share

    def value(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[0]

    def slack(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        above = eta + (1.0 - is_own(eta, y))
        return xp.max(above, axis=1) - xp.sum(self.parts(eta, y)[2] * above, axis=1)

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[1]

    def steepest(self) -> float:
        return 2.0 / self.width
