"""The squared loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from .base import Loss

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class SquaredLoss(Loss):
    """Half the squared error, ℓ = ½ (y − η)²: the likelihood of a Gaussian of constant variance.

    >>> import numpy as np
    >>> SquaredLoss().value(np.array([1.0]), np.array([3.0]))
    array([2.])
    """

    names: ClassVar = ("squared", "squared_error")
    dispersed: ClassVar = True
    has_likelihood: ClassVar = True

    @property
    def kernel(self) -> str:
        return "squared"

    def value(self, eta: Array, y: Array) -> Array:
        rest = y - eta
        return 0.5 * rest * rest

    def gradient(self, eta: Array, y: Array) -> Array:
        return eta - y

    def curvature(self, eta: Array, y: Array) -> Array:
        return 0.0 * eta + 1.0

    def steepest(self) -> float:
        return 1.0

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        return -0.5 * (_LOG_2PI + np.log(dispersion)) - self.value(eta, y) / dispersion
