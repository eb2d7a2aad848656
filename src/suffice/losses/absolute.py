"""The absolute loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from .base import Loss


@dataclass(frozen=True)
class AbsoluteLoss(Loss):
    """The absolute error, ℓ = |y − η|: the likelihood of a Laplace distribution. Its best constant is the median.

    >>> import numpy as np
    >>> AbsoluteLoss().value(np.array([1.0]), np.array([3.0]))
    array([2.])
    """

    names: ClassVar = ("absolute", "absolute_error")
    is_smooth: ClassVar = False
    has_curvature: ClassVar = False
    dispersed: ClassVar = True
    has_likelihood: ClassVar = True

    def value(self, eta: Array, y: Array) -> Array:
        return namespace(eta).abs(y - eta)

    def gradient(self, eta: Array, y: Array) -> Array:
        return namespace(eta).sign(eta - y)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        return -np.log(2 * dispersion) - self.value(eta, y) / dispersion
