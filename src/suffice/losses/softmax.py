"""The softmax loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import nets
from ..backend.arrays import Array, namespace
from ..typing import Floats, Reals
from .base import Loss

_FEW = 16  # classes


@dataclass(frozen=True)
class SoftmaxLoss(Loss):
    """The softmax loss of a class, ℓ = log Σ_c exp η_c − η_y: the likelihood of P(c | η) = exp η_c / Σ exp η.

    A constant added to all of η changes nothing; a penalty on the slopes, or a reference class, makes them unique.

    >>> import numpy as np
    >>> SoftmaxLoss().value(np.zeros((1, 4)), np.array([2])).round(4)
    array([1.3863])
    """

    names: ClassVar = ("softmax", "multinomial")
    target: ClassVar = "classes"
    has_likelihood: ClassVar = True
    least_target: ClassVar = 0.0

    @property
    def kernel(self) -> str:
        return "softmax"

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return 0.0, 1.0

    def value(self, eta: Array, y: Array) -> Array:
        return self.value_and_gradient(eta, y)[0]

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.value_and_gradient(eta, y)[1]

    def curvature(self, eta: Array, y: Array) -> Array:
        return self.mean(eta)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        return nets.softmax(eta, y)

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        value, gradient = self.value_and_gradient(eta, y)
        return value, gradient, gradient + is_own(eta, y)

    def steepest(self) -> float:
        return 0.5

    def constant(self, mean: float) -> float:
        return 0.0

    def mean(self, eta: Array) -> Array:
        xp = namespace(eta)
        if isinstance(eta, np.ndarray) and eta.shape[1] <= _FEW:
            return _of_few(eta)
        e = xp.exp(eta - xp.max(eta, axis=1, keepdims=True))
        return e / xp.sum(e, axis=1, keepdims=True)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        return -self.value(eta, y)

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.integers(0, 4, n)  # type: ignore[return-value]


def _of_few(eta: Reals) -> Reals:
    """exp η over its sum by row, (n, k), class by class: NumPy adds up short rows slowly, and long columns fast."""
    e = np.ascontiguousarray(eta.T)  # (k, n)
    e = np.exp(e - e.max(axis=0))
    e /= e.sum(axis=0)
    return np.ascontiguousarray(e.T)


def taken(eta: Array, y: Array) -> Array:
    """η of each row's own class, (n,)."""
    xp = namespace(eta)
    return xp.take_along_axis(eta, y[:, None], axis=1)[:, 0]


def is_own(eta: Array, y: Array) -> Array:
    """1 for each row's own class, else 0, (n, k)."""
    xp = namespace(eta)
    return xp.astype(y[:, None] == xp.arange(eta.shape[1]), eta.dtype)
