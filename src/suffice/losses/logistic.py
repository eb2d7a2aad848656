"""The logistic loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from .base import sigmoid, softplus
from .signs import _MarginLoss


@dataclass(frozen=True)
class LogisticLoss(_MarginLoss):
    """The logistic loss of a sign, ℓ = log(1 + exp(−y η)): the likelihood of P(y = 1 | η) = 1 / (1 + exp(−η)).

    >>> import numpy as np
    >>> LogisticLoss().value(np.array([0.0]), np.array([1.0])).round(4)
    array([0.6931])
    """

    names: ClassVar = ("logistic", "log_loss")
    has_likelihood: ClassVar = True

    @property
    def kernel(self) -> str:
        return "logistic"

    def of_margin(self, margin: Array) -> Array:
        return softplus(-margin)

    def slope(self, margin: Array) -> Array:
        return -sigmoid(-margin)

    def bend(self, margin: Array) -> Array:
        e = namespace(margin).exp(-namespace(margin).abs(margin))
        return e / ((1.0 + e) * (1.0 + e))

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        xp = namespace(eta)
        margin = y * eta
        e = xp.exp(-xp.abs(margin))  # the one exponential that all three need
        negative = margin < 0
        share = xp.where(negative, 1.0, e) / (1.0 + e)  # P(the other sign)
        value = xp.log1p(e) - xp.where(negative, margin, 0.0 * margin)
        return value, -y * share, share * (1.0 - share)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        value, gradient, _ = self.parts(eta, y)
        return value, gradient

    def steepest(self) -> float:
        return 0.25

    def constant(self, mean: float) -> float:
        return float(np.log1p(mean) - np.log1p(-mean)) if abs(mean) < 1 else 0.0

    def mean(self, eta: Array) -> Array:
        return sigmoid(eta)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        return -self.value(eta, y)
