"""What the penalties that level off share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..choices import check_number
from ..typing import Floats, NumberLike
from .base import Penalty, check_strength, steps


class _Concave(Penalty):
    """Base of penalties that begin as L1 and level off: large slopes are not drawn to 0, so that they are not biased.

    A subclass gives the penalty of a size, and the prox of sizes for a step below `longest`.
    """

    is_convex: ClassVar = False
    gamma: float
    least_gamma: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        check_strength(self)
        check_number(self, "gamma", self.least_gamma, above=True)

    def of_size(self, size: Floats) -> Floats:
        """The penalty of one |w|."""
        raise TypeError(f"{type(self).__name__} does not define of_size")

    def prox_of_size(self, size: Floats, step: Floats) -> Floats:
        """The |w| that minimises ½ (|w| − size)² / step + penalty."""
        raise TypeError(f"{type(self).__name__} does not define prox_of_size")

    def slope_of_size(self, size: Floats) -> Floats:
        """Its derivative at one |w|."""
        raise TypeError(f"{type(self).__name__} does not define slope_of_size")

    def value(self, w: Floats) -> float:
        return float(np.sum(self.of_size(np.abs(w))))

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        size, each = np.abs(v), np.broadcast_to(steps(step, v), v.shape)
        candidates = self.prox_of_size(size, each)  # (candidates, …): one of them is the minimum
        cost = 0.5 * (candidates - size) ** 2 + each * self.of_size(candidates)
        best = np.take_along_axis(candidates, np.argmin(cost, axis=0)[None], axis=0)[0]
        return np.asarray(np.sign(v) * best)

    def costs(self, w: Floats) -> Costs:
        return Costs(self.slope_of_size(np.abs(w)), np.zeros_like(w))

    def largest(self, gradient: Floats) -> float:
        return float(np.abs(gradient).max(initial=0.0))
