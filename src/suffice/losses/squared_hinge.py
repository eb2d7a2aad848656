"""The squared hinge loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..backend.dual import Box
from ..typing import Floats
from .signs import _MarginLoss


@dataclass(frozen=True)
class SquaredHingeLoss(_MarginLoss):
    """The squared hinge loss of a sign, ℓ = max(0, 1 − y η)²: a support vector machine with a continuous gradient.

    >>> import numpy as np
    >>> SquaredHingeLoss().value(np.array([0.5, 3.0]), np.array([1.0, 1.0]))
    array([0.25, 0.  ])
    """

    names: ClassVar = ("squared_hinge",)

    @property
    def kernel(self) -> str:
        return "squared_hinge"

    def of_margin(self, margin: Array) -> Array:
        short = namespace(margin).where(margin < 1, 1.0 - margin, 0.0 * margin)
        return short * short

    def slope(self, margin: Array) -> Array:
        return namespace(margin).where(margin < 1, 2.0 * (margin - 1.0), 0.0 * margin)

    def bend(self, margin: Array) -> Array:
        return namespace(margin).where(margin < 1, 0.0 * margin + 2.0, 0.0 * margin)

    def box(self, y: Floats) -> Box:
        far = np.where(y > 0, np.inf, 0.0)
        return Box(y, np.where(y > 0, 0.0, -np.inf), far, np.full(len(y), 0.5))

    def steepest(self) -> float:
        return 2.0
