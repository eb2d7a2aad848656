"""The hinge loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..backend.dual import Box
from ..typing import Floats
from .base import Loss
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
        rest = 1.0 - margin
        return namespace(rest).maximum(rest, 0.0 * rest) + 0.0  # not −0

    def slope(self, margin: Array) -> Array:
        return namespace(margin).where(margin < 1, 0.0 * margin - 1.0, 0.0 * margin)

    def box(self, y: Floats) -> Box:
        return Box(y, np.minimum(y, 0.0), np.maximum(y, 0.0), np.zeros(len(y)))

    def rounded(self, width: float) -> Loss:
        return _RoundedHinge(width)


@dataclass(frozen=True)
class _RoundedHinge(_MarginLoss):
    """The hinge loss with a parabola where the margin is within `width` of 1."""

    width: float = 0.5

    @property
    def kernel(self) -> str:
        return "rounded_hinge"

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return self.width, 0.0

    def of_margin(self, margin: Array) -> Array:
        return rounded_kink(1.0 - margin, self.width)[0]

    def slope(self, margin: Array) -> Array:
        return -rounded_kink(1.0 - margin, self.width)[1]

    def bend(self, margin: Array) -> Array:
        return rounded_kink(1.0 - margin, self.width)[2]

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        value, slope, bend = rounded_kink(1.0 - y * eta, self.width)
        return value, -y * slope, bend

    def slack(self, eta: Array, y: Array) -> Array:
        return kink_slack(1.0 - y * eta, self.width)

    def steepest(self) -> float:
        return 0.5 / self.width


def rounded_kink(x: Array, width: float) -> tuple[Array, Array, Array]:
    """max(0, x) with a parabola from −width to width, its slope and its curvature."""
    xp, within = namespace(x), _risen(x, width)
    straight = xp.where(x > width, x - width, 0.0 * x)
    bend = xp.where(xp.abs(x) < width, 0.0 * x + 0.5 / width, 0.0 * x)
    return within * within / (4.0 * width) + straight, within / (2.0 * width), bend


def kink_slack(x: Array, width: float) -> Array:
    """By how much max(0, x) is above the line through 0 with the slope of its rounded form."""
    xp = namespace(x)
    size = xp.abs(x)
    return size * xp.maximum(width - size, 0.0 * size) * (0.5 / width)  # 0 where it is not rounded


def _risen(x: Array, width: float) -> Array:
    """How far x is above −width, at most 2 width."""
    xp = namespace(x)
    return xp.where(x < -width, 0.0 * x, xp.where(x > width, 0.0 * x + 2.0 * width, x + width))
