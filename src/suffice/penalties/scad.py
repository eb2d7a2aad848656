"""The smoothly clipped absolute deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..holds import number
from ..typing import Floats
from .base import Penalty
from .concave import _Concave


@dataclass(frozen=True)
class SCAD(_Concave):
    """The smoothly clipped absolute deviation (Fan and Li, 2001): L1 up to λ, then a parabola, level beyond γλ.

    λ|w|, then (2γλ|w| − w² − λ²) / 2(γ − 1), then ½ λ² (γ + 1).

    >>> SCAD(1.0, 3.7).value(np.array([1.0, 100.0])).__round__(4)
    3.35
    """

    strength: float = 1.0
    gamma: float = 3.7
    names: ClassVar = ("scad",)
    least_gamma: ClassVar = 2.0
    holds: ClassVar = {"strength": number(at_least=0), "gamma": number(above=2)}

    def of_size(self, size: Floats) -> Floats:
        lam, g = self.strength, self.gamma
        reach = np.minimum(size, g * lam)
        bent = (2 * g * lam * reach - reach**2 - lam**2) / (2 * (g - 1))
        return np.where(size <= lam, lam * size, bent)

    def slope_of_size(self, size: Floats) -> Floats:
        bent = np.maximum(self.gamma * self.strength - size, 0.0) / (self.gamma - 1)
        return np.where(size <= self.strength, self.strength, bent)

    def prox_of_size(self, size: Floats, step: Floats) -> Floats:
        lam, g = self.strength, self.gamma
        bend = 1 - step / (g - 1)
        inner = (size - step * g * lam / (g - 1)) / np.where(bend > 0, bend, np.inf)
        near = np.clip(size - step * lam, 0.0, lam)
        return np.stack([near, np.clip(inner, lam, g * lam), np.maximum(size, g * lam)])

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        return cls(0.5), cls(0.4, 2.5)
