"""The minimax concave penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..holds import number
from ..typing import Floats
from .base import Penalty
from .concave import _Concave


@dataclass(frozen=True)
class MCP(_Concave):
    """The minimax concave penalty (Zhang, 2010): λ|w| − w² / 2γ up to |w| = γλ, and ½ γ λ² beyond.

    >>> MCP(1.0, 3.0).value(np.array([1.0, 100.0])).__round__(4)
    2.3333
    """

    strength: float = 1.0
    gamma: float = 3.0
    names: ClassVar = ("mcp",)
    holds: ClassVar = {"strength": number(at_least=0), "gamma": number(above=1)}

    def of_size(self, size: Floats) -> Floats:
        reach = np.minimum(size, self.gamma * self.strength)
        return self.strength * reach - reach**2 / (2 * self.gamma)

    def slope_of_size(self, size: Floats) -> Floats:
        return np.maximum(self.strength - size / self.gamma, 0.0)

    def prox_of_size(self, size: Floats, step: Floats) -> Floats:
        end = self.gamma * self.strength
        bend = 1 - step / self.gamma
        inner = (size - step * self.strength) / np.where(bend > 0, bend, np.inf)
        return np.stack([np.zeros_like(size), np.clip(inner, 0.0, end), np.maximum(size, end)])

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        return cls(0.5), cls(0.4, 1.5)
