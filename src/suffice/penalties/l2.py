"""The L2 penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..holds import number, optional, tuples
from ..typing import Floats, NumberLike
from .base import Penalty, by_column, check_length, check_strength, checked_weights, everywhere, steps


@dataclass(frozen=True)
class L2(Penalty):
    """The L2 penalty, ½ λ Σⱼ cⱼ wⱼ²: a Gaussian prior on the slopes, of variance 1 / (λ cⱼ). `weights` are the c.

    >>> L2(2.0).value(np.array([3.0, 4.0]))
    25.0
    """

    strength: float = 1.0
    weights: tuple[float, ...] | None = None
    names: ClassVar = ("l2", "ridge")
    is_smooth: ClassVar = True
    holds: ClassVar = {"strength": number(at_least=0), "weights": optional(tuples(number(at_least=0)))}

    def __post_init__(self) -> None:
        check_strength(self)
        object.__setattr__(self, "weights", checked_weights(self, self.weights))

    def value(self, w: Floats) -> float:
        return 0.5 * self.strength * float(np.sum(by_column(self.weights, w) * w * w))

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        return np.asarray(v / (1.0 + steps(step, v) * self.strength * by_column(self.weights, v)))

    def gradient(self, w: Floats) -> Floats:
        return np.asarray(self.strength * by_column(self.weights, w) * w)

    def curvature(self, p: int) -> Floats:
        return self.strength * by_column(self.weights, np.zeros(p))

    def costs(self, w: Floats) -> Costs:
        return Costs(np.zeros_like(w), everywhere(self.strength * by_column(self.weights, w), w))

    def in_units(self, unit: Floats) -> Penalty:
        return replace(self, weights=tuple((by_column(self.weights, unit) / unit**2).tolist()))

    def check_columns(self, p: int, owner: str) -> None:
        if self.weights is not None:
            check_length(owner, self, len(self.weights), p)

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        return cls(0.7), cls(1.5, tuple(np.linspace(0, 2, p)))
