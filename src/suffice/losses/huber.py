"""Huber's loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from ..choices import check_number
from ..holds import number
from ..typing import Numbers
from .base import Loss

_FARTHEST = 1e14  # times δ: beside larger residuals steps of this length are rounding


@dataclass(frozen=True)
class HuberLoss(Loss):
    """Huber's loss: ½ r² where |r| ≤ δ, else δ (|r| − ½ δ), with r = y − η. Rows far away pull with a force of δ only.

    >>> import numpy as np
    >>> HuberLoss(1.0).value(np.array([0.0, 0.0]), np.array([0.5, 4.0]))
    array([0.125, 3.5  ])
    """

    delta: float = 1.35
    names: ClassVar = ("huber",)
    holds: ClassVar = {"delta": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "delta", 0.0, above=True)

    def value(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        size = xp.abs(y - eta)
        near = xp.where(size < self.delta, size, 0.0 * size + self.delta)
        return near * (size - 0.5 * near)

    def gradient(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        rest, limit = eta - y, 0.0 * eta + self.delta
        return xp.where(rest > limit, limit, xp.where(rest < -limit, -limit, rest))

    def curvature(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        return xp.where(xp.abs(y - eta) <= self.delta, 0.0 * eta + 1.0, 0.0 * eta)

    def steepest(self) -> float:
        return 1.0

    def refusal(self, y: Numbers) -> str:
        most, largest = _FARTHEST * self.delta, float(max(abs(y.min()), abs(y.max())))
        if largest > most:
            return f"needs targets up to {most:g}: rounding hides δ = {self.delta:g} beside larger; got {largest:g}"
        return super().refusal(y)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(0.4)
