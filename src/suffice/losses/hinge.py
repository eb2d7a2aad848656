"""The hinge loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from .signs import _MarginLoss


@dataclass(frozen=True)
class HingeLoss(_MarginLoss):
    """The hinge loss of a sign, ℓ = max(0, 1 − y η): rows beyond the margin count nothing (support vector machines).

    >>> import numpy as np
    >>> HingeLoss().value(np.array([0.5, 3.0]), np.array([1.0, 1.0]))
    array([0.5, 0. ])
    """

    names: ClassVar = ("hinge",)
    is_smooth: ClassVar = False
    has_curvature: ClassVar = False

    def of_margin(self, margin: Array) -> Array:
        return namespace(margin).where(margin < 1, 1.0 - margin, 0.0 * margin)

    def slope(self, margin: Array) -> Array:
        return namespace(margin).where(margin < 1, 0.0 * margin - 1.0, 0.0 * margin)
