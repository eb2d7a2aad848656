"""The L1 penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..holds import flag, number, optional, tuples
from ..typing import Floats, NumberLike
from .base import Penalty, by_column, check_length, check_strength, checked_weights, everywhere, steps


@dataclass(frozen=True)
class L1(Penalty):
    """The L1 penalty, λ Σⱼ cⱼ |wⱼ|: a Laplace prior, whose mode has slopes of exactly 0. `weights` are the c.

    `positive` allows no slope below 0.

    >>> L1(2.0).value(np.array([3.0, -4.0])), L1(2.0).prox(np.array([3.0, -1.0]), 1.0)
    (14.0, array([ 1., -0.]))
    """

    strength: float = 1.0
    weights: tuple[float, ...] | None = None
    positive: bool = False
    names: ClassVar = ("l1", "lasso")
    holds: ClassVar = {
        "strength": number(at_least=0),
        "weights": optional(tuples(number(at_least=0))),
        "positive": flag(),
    }

    def __post_init__(self) -> None:
        check_strength(self)
        object.__setattr__(self, "weights", checked_weights(self, self.weights))

    def value(self, w: Floats) -> float:
        if self.positive and np.any(w < 0):
            return np.inf
        return self.strength * float(np.sum(by_column(self.weights, w) * np.abs(w)))

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        return shrunk(v, steps(step, v) * self.strength * by_column(self.weights, v), self.positive)

    def costs(self, w: Floats) -> Costs:
        return Costs(everywhere(self.strength * by_column(self.weights, w), w), np.zeros_like(w), self.positive)

    def in_units(self, unit: Floats) -> Penalty:
        return replace(self, weights=tuple((by_column(self.weights, unit) / unit).tolist()))

    def largest(self, gradient: Floats) -> float:
        return largest_ratio(gradient, by_column(self.weights, gradient), self.positive)

    def check_columns(self, p: int, owner: str) -> None:
        if self.weights is not None:
            check_length(owner, self, len(self.weights), p)

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        return cls(0.7), cls(0.5, tuple(np.linspace(0, 2, p))), cls(0.3, positive=True)


def shrunk(v: Floats, by: Floats, positive: bool = False) -> Floats:
    """Soft thresholding: v drawn to 0 by so much, and held there."""
    if positive:
        return np.asarray(np.maximum(v - by, 0.0))
    return np.asarray(np.sign(v) * np.maximum(np.abs(v) - by, 0.0))


def largest_ratio(gradient: Floats, weight: Floats, positive: bool) -> float:
    """The largest pull on a slope in units of its weight; slopes of weight 0 are never held."""
    pull = np.maximum(-gradient, 0.0) if positive else np.abs(gradient)
    some = np.broadcast_to(weight, pull.shape) > 0
    return float(np.max(pull[some] / np.broadcast_to(weight, pull.shape)[some], initial=0.0))
