"""The modified Huber loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from .signs import _MarginLoss


@dataclass(frozen=True)
class ModifiedHuberLoss(_MarginLoss):
    """The squared hinge loss, straight beyond a margin of −1: ℓ = max(0, 1 − m)² or −4 m. Outliers pull by 4 only.

    It is least at P(y = 1 | η) = ½ (1 + η), cut at 0 and 1 (Zhang, 2004).

    >>> import numpy as np
    >>> ModifiedHuberLoss().value(np.array([0.5, -3.0]), np.array([1.0, 1.0]))
    array([ 0.25, 12.  ])
    """

    names: ClassVar = ("modified_huber",)

    def of_margin(self, margin: Array) -> Array:
        xp = namespace(margin)
        short = xp.where(margin < 1, 1.0 - margin, 0.0 * margin)
        return xp.where(margin >= -1, short * short, -4.0 * margin)

    def slope(self, margin: Array) -> Array:
        xp = namespace(margin)
        bent = xp.where(margin < 1, 2.0 * (margin - 1.0), 0.0 * margin)
        return xp.where(margin >= -1, bent, 0.0 * margin - 4.0)

    def bend(self, margin: Array) -> Array:
        return namespace(margin).where((margin < 1) & (margin >= -1), 0.0 * margin + 2.0, 0.0 * margin)

    def steepest(self) -> float:
        return 2.0

    def mean(self, eta: Array) -> Array:
        xp = namespace(eta)
        within = xp.where(eta > 1, 0.0 * eta + 1.0, xp.where(eta < -1, 0.0 * eta - 1.0, eta))
        return 0.5 * (1.0 + within)
