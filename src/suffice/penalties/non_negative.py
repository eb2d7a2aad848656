"""Slopes of at least 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..typing import Floats, NumberLike
from .base import Penalty


@dataclass(frozen=True)
class NonNegative(Penalty):
    """Slopes of at least 0: no cost for those, and no others are allowed.

    >>> NonNegative().prox(np.array([3.0, -4.0]), 1.0)
    array([3., 0.])
    """

    strength: float = 1.0
    names: ClassVar = ("non_negative",)

    def value(self, w: Floats) -> float:
        return np.inf if np.any(w < 0) else 0.0

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        return np.maximum(v, 0.0)

    def costs(self, w: Floats) -> Costs:
        return Costs(np.zeros_like(w), np.zeros_like(w), positive=True)

    def in_units(self, unit: Floats) -> Penalty:
        return self
