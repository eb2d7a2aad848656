"""The exponential loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from .base import sigmoid
from .signs import _MarginLoss


@dataclass(frozen=True)
class ExponentialLoss(_MarginLoss):
    """The exponential loss of a sign, ℓ = exp(−y η), which boosting minimises; its best η is half the log odds.

    >>> import numpy as np
    >>> ExponentialLoss().value(np.array([0.0]), np.array([1.0]))
    array([1.])
    """

    names: ClassVar = ("exponential",)

    def of_margin(self, margin: Array) -> Array:
        return namespace(margin).exp(-margin)

    def slope(self, margin: Array) -> Array:
        return -namespace(margin).exp(-margin)

    def bend(self, margin: Array) -> Array:
        return namespace(margin).exp(-margin)

    def mean(self, eta: Array) -> Array:
        return sigmoid(2.0 * eta)
