"""What the losses of a sign share: they are functions of the margin m = y η, with y = −1 or 1."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from ..typing import Floats
from .base import Loss


class _MarginLoss(Loss):
    """Base: a subclass gives ℓ(m) as `of_margin`, ℓ'(m) as `slope` and ℓ''(m) as `bend`."""

    target: ClassVar = "signs"
    least_target: ClassVar = -1.0
    most_target: ClassVar = 1.0

    def of_margin(self, margin: Array) -> Array:
        """ℓ at a margin."""
        raise TypeError(f"{type(self).__name__} does not define of_margin")

    def slope(self, margin: Array) -> Array:
        """dℓ/dm."""
        raise TypeError(f"{type(self).__name__} does not define slope")

    def bend(self, margin: Array) -> Array:
        """d²ℓ/dm²."""
        raise TypeError(f"{type(self).__name__} does not define bend")

    def value(self, eta: Array, y: Array) -> Array:
        return self.of_margin(y * eta)

    def gradient(self, eta: Array, y: Array) -> Array:
        return y * self.slope(y * eta)

    def curvature(self, eta: Array, y: Array) -> Array:
        return self.bend(y * eta)

    def constant(self, mean: float) -> float:
        return 0.0

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.choice([-1.0, 1.0], n)
