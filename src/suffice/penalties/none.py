"""No penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..typing import Floats, NumberLike
from .base import Penalty


@dataclass(frozen=True)
class NoPenalty(Penalty):
    """No penalty: every slope is as good as any other before the data are seen.

    >>> NoPenalty().value(np.array([3.0]))
    0.0
    """

    strength: float = 0.0
    names: ClassVar = ("none",)
    is_smooth: ClassVar = True

    def value(self, w: Floats) -> float:
        return 0.0

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        return v

    def gradient(self, w: Floats) -> Floats:
        return np.zeros_like(w)

    def curvature(self, p: int) -> Floats:
        return np.zeros(p)

    def costs(self, w: Floats) -> Costs:
        return Costs(np.zeros_like(w), np.zeros_like(w))

    def in_units(self, unit: Floats) -> Penalty:
        return self
