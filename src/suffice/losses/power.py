"""The loss of a power of the error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..choices import check_number
from ..holds import number
from .base import Loss

# Of the targets: residuals below have the curvature of this one, as a power below 2 has none at 0. Rounding with a
# convex loss; powers below 1 would hold each row that they come so close to.
_SMALL, _SMALL_CONCAVE = 1e-14, 1e-8


@dataclass(frozen=True)
class PowerLoss(Loss):
    """A power of the absolute error, ℓ = |y − η|ᵖ / p. With p = 2 it is the squared loss, with 1 the absolute one.

    Powers below 2 are majorised: |r|ᵖ / p lies below a parabola of curvature |r₀|ᵖ⁻² that touches it at r₀. With p < 1
    it is not convex, and what is found depends on the start.

    >>> import numpy as np
    >>> PowerLoss(4.0).value(np.array([0.0]), np.array([2.0]))
    array([4.])
    """

    power: float = 1.5
    names: ClassVar[tuple[str, ...]] = ("power", "lp")
    holds: ClassVar = {"power": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "power", 0.0, above=True)

    @property
    def is_convex(self) -> bool:  # type: ignore[override]
        """Whether the power is at least 1."""
        return self.power >= 1

    @property
    def is_smooth(self) -> bool:  # type: ignore[override]
        """Whether the power is above 1."""
        return self.power > 1

    @property
    def majorises(self) -> bool:  # type: ignore[override]
        """Whether the power is below 2."""
        return self.power < 2

    def value(self, eta: Array, y: Array) -> Array:
        return namespace(eta).abs(y - eta) ** self.power / self.power

    def gradient(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        rest = eta - y
        if self.power < 2:
            return rest * self.curvature(eta, y)  # that of the parabola, also where residuals are next to 0
        return xp.sign(rest) * xp.abs(rest) ** (self.power - 1)

    def curvature(self, eta: Array, y: Array) -> Array:
        xp = namespace(eta)
        size = xp.abs(y - eta)
        if self.power >= 2:
            return (self.power - 1) * size ** (self.power - 2)
        least = self._least_residual
        return xp.where(size > least, size, 0.0 * size + least) ** (self.power - 2)

    @property
    def _least_residual(self) -> float:
        return _SMALL if self.is_convex else _SMALL_CONCAVE

    def in_scale(self, size: float) -> Loss:
        return _PowerInScale(self.power, size) if size > 0 else self

    def steepest(self) -> float:
        return 1.0 if self.power == 2 else np.inf

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(3.0), cls(2.0), cls(0.5)


@dataclass(frozen=True)
class _PowerInScale(PowerLoss):
    """The same for targets of this size."""

    size: float = 1.0
    names: ClassVar = ()
    holds: ClassVar = {"power": number(above=0), "size": number(above=0)}

    @property
    def _least_residual(self) -> float:
        return super()._least_residual * self.size
