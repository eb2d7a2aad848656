"""The perceptron's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from .signs import _MarginLoss


@dataclass(frozen=True)
class PerceptronLoss(_MarginLoss):
    """The perceptron's loss of a sign, ℓ = max(0, −y η): only rows on the wrong side count, or on the plane itself.

    >>> import numpy as np
    >>> PerceptronLoss().value(np.array([-0.5, 3.0]), np.array([1.0, 1.0]))
    array([0.5, 0. ])
    """

    names: ClassVar = ("perceptron",)
    is_smooth: ClassVar = False
    has_curvature: ClassVar = False

    def of_margin(self, margin: Array) -> Array:
        return namespace(margin).where(margin < 0, -margin, 0.0 * margin)

    def slope(self, margin: Array) -> Array:
        return namespace(margin).where(margin <= 0, 0.0 * margin - 1.0, 0.0 * margin)
