"""The pinball loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..choices import check_number
from ..holds import number
from .base import Loss


@dataclass(frozen=True)
class QuantileLoss(Loss):
    """The pinball loss, ℓ = q (y − η) where y is above η, else (1 − q)(η − y): its best constant is the q-quantile.

    With q = ½ it is half the absolute loss. It is the likelihood of an asymmetric Laplace distribution.

    >>> import numpy as np
    >>> QuantileLoss(0.9).value(np.array([1.0, 1.0]), np.array([3.0, -1.0]))
    array([1.8, 0.2])
    """

    quantile: float = 0.5
    names: ClassVar = ("quantile", "pinball")
    is_smooth: ClassVar = False
    has_curvature: ClassVar = False
    dispersed: ClassVar = True
    has_likelihood: ClassVar = True
    holds: ClassVar = {"quantile": number(above=0, below=1)}

    def __post_init__(self) -> None:
        check_number(self, "quantile", 0.0, above=True, most=1.0, below=True)

    def value(self, eta: Array, y: Array) -> Array:
        rest = y - eta
        return namespace(eta).where(rest >= 0, self.quantile * rest, (self.quantile - 1) * rest)

    def gradient(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        side = xp.where(y > eta, -self.quantile, 1.0 - self.quantile)
        return xp.where(y == eta, 0.0 * eta, side)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        q = self.quantile
        return np.log(q * (1 - q) / dispersion) - self.value(eta, y) / dispersion

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(0.9)
