"""The elastic net's penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..choices import check_number
from ..holds import flag, number, optional, tuples
from ..typing import Floats, NumberLike
from .base import Penalty, by_column, check_length, check_strength, checked_weights, everywhere, steps
from .l1 import largest_ratio, shrunk


@dataclass(frozen=True)
class ElasticNetPenalty(Penalty):
    """The elastic net, λ Σⱼ (ρ cⱼ |wⱼ| + ½ (1 − ρ) eⱼ wⱼ²): slopes of 0, and slopes shared by columns that go together.

    `l1_ratio` is ρ, `weights` are the c of the L1 part and `squared_weights` the e of the other; `positive` allows no
    slope below 0.

    >>> ElasticNetPenalty(2.0, 0.5).value(np.array([3.0, -4.0]))
    19.5
    """

    strength: float = 1.0
    l1_ratio: float = 0.5
    weights: tuple[float, ...] | None = None
    squared_weights: tuple[float, ...] | None = None
    positive: bool = False
    names: ClassVar = ("elastic_net", "elasticnet")
    holds: ClassVar = {
        "strength": number(at_least=0),
        "l1_ratio": number(at_least=0, at_most=1),
        "weights": optional(tuples(number(at_least=0))),
        "squared_weights": optional(tuples(number(at_least=0))),
        "positive": flag(),
    }

    def __post_init__(self) -> None:
        check_strength(self)
        check_number(self, "l1_ratio", 0.0, most=1.0)
        for name in ("weights", "squared_weights"):
            object.__setattr__(self, name, checked_weights(self, getattr(self, name)))

    def _parts(self, w: Floats) -> tuple[Floats, Floats]:
        """What |w| and ½ w² cost."""
        absolute = self.strength * self.l1_ratio * by_column(self.weights, w)
        return absolute, self.strength * (1 - self.l1_ratio) * by_column(self.squared_weights, w)

    def value(self, w: Floats) -> float:
        if self.positive and np.any(w < 0):
            return np.inf
        absolute, squared = self._parts(w)
        return float((absolute * np.abs(w) + 0.5 * squared * w * w).sum())

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        absolute, squared = self._parts(v)
        each = steps(step, v)
        return np.asarray(shrunk(v, each * absolute, self.positive) / (1.0 + each * squared))

    def costs(self, w: Floats) -> Costs:
        absolute, squared = self._parts(w)
        return Costs(everywhere(absolute, w), everywhere(squared, w), self.positive)

    def in_units(self, unit: Floats) -> Penalty:
        weights = tuple((by_column(self.weights, unit) / unit).tolist())
        return replace(
            self, weights=weights, squared_weights=tuple((by_column(self.squared_weights, unit) / unit**2).tolist())
        )

    def largest(self, gradient: Floats) -> float:
        if self.l1_ratio == 0:
            return np.inf
        return largest_ratio(gradient, by_column(self.weights, gradient), self.positive) / self.l1_ratio

    def check_columns(self, p: int, owner: str) -> None:
        for weights in (self.weights, self.squared_weights):
            if weights is not None:
                check_length(owner, self, len(weights), p)

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        each = tuple(np.linspace(0, 2, p))
        return cls(0.7), cls(0.5, 0.9, each, each), cls(0.3, 0.2, positive=True)
