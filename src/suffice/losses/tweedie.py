"""The Tweedie loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..choices import check_number
from ..errors import InvalidParameter
from ..holds import instance, number
from ..typing import Floats
from .base import Loss
from .families import _FamilyLoss
from .gamma import GammaLoss
from .links import IdentityLink, Link, LogLink


@dataclass(frozen=True)
class TweedieLoss(_FamilyLoss):
    """Half the deviance of a Tweedie family, V(μ) = μᵖ: sums of claims (1 < p < 2), and their relatives.

    ℓ = y²⁻ᵖ / ((1−p)(2−p)) − y μ¹⁻ᵖ / (1−p) + μ²⁻ᵖ / (2−p). Power 0 is the Gaussian, 1 Poisson, 2 the gamma
    and 3 the inverse Gaussian family, each with the limit of this formula.

    >>> import numpy as np
    >>> TweedieLoss(1.5).value(np.array([0.0]), np.array([0.0]))
    array([2.])
    """

    power: float = 1.5
    link: Link | str = "log"
    names: ClassVar = ("tweedie",)
    dispersed: ClassVar = True
    holds: ClassVar = {"power": number(), "link": instance(Link)}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "power", -np.inf)
        if 0 < self.power < 1:
            raise InvalidParameter(
                f"TweedieLoss: power must be at most 0 or at least 1, as no family lies between; got {self.power!r}."
            )

    @property
    def has_likelihood(self) -> bool:  # type: ignore[override]
        """Whether the density has a formula: of power 0, 2 and 3. Of others it is a series."""
        return self.power in (0, 2, 3)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        if self.power == 2:
            return GammaLoss(self.link).log_density(eta, y, dispersion)
        if self.power not in (0, 3):
            return super().log_density(eta, y, dispersion)
        own = namespace(eta).log(y) if self.power == 3 else 0.0
        return -0.5 * (np.log(2 * np.pi * dispersion) + self.power * own) - self.value(eta, y) / dispersion

    @property
    def least_target(self) -> float:  # type: ignore[override]
        """0 for every family but those of power 0 and below."""
        return 0.0 if self.power > 0 else -np.inf

    @property
    def above_least(self) -> bool:  # type: ignore[override]
        """Whether 0 itself is not allowed, as for power 2 and above."""
        return self.power >= 2

    @property
    def least_mean(self) -> float:  # type: ignore[override]
        """0, but for the Gaussian family."""
        return 0.0 if self.power != 0 else -np.inf

    @property
    def is_convex(self) -> bool:  # type: ignore[override]
        """Whether the link is the log and the power from 1 to 2, or the family Gaussian with no link."""
        if self.power == 0:
            return isinstance(self.link, IdentityLink)
        return isinstance(self.link, LogLink) and 1 <= self.power <= 2

    @property
    def kernel(self) -> str:
        if not isinstance(self.link, LogLink) or self.power == 0:
            return ""
        return {1.0: "poisson", 2.0: "gamma"}.get(self.power, "tweedie")

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return (self.power, 0.0) if self.kernel == "tweedie" else (0.0, 0.0)

    def half_deviance(self, mean: Array, y: Array) -> Array:
        xp, p = namespace(mean), self.power
        if p == 0:
            return 0.5 * (y - mean) ** 2
        some = xp.where(y > 0, y, 0.0 * y + 1.0)  # whose logarithm there is
        if p == 1:
            return y * xp.log(some / mean) - y + mean
        if p == 2:
            return xp.log(mean / y) + y / mean - 1.0
        own = xp.where(y > 0, some ** (2 - p), 0.0 * y) / ((1 - p) * (2 - p))
        return own - y * mean ** (1 - p) / (1 - p) + mean ** (2 - p) / (2 - p)

    def variance(self, mean: Array) -> Array:
        return mean**self.power

    def curvature(self, eta: Array, y: Array) -> Array:
        if isinstance(self.link, LogLink):
            return namespace(eta).exp((2 - self.power) * eta)
        return super().curvature(eta, y)

    def gradient(self, eta: Array, y: Array) -> Array:
        if isinstance(self.link, LogLink):
            xp = namespace(eta)
            return xp.exp((2 - self.power) * eta) - y * xp.exp((1 - self.power) * eta)
        return super().gradient(eta, y)

    def observed(self) -> Loss:
        if not isinstance(self.link, LogLink) or not 1 <= self.power <= 2:
            return self
        return GammaLoss().observed() if self.power == 2 else _ObservedTweedie(self.power)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(1.0), cls(2.0), cls(3.0), cls(0.0, IdentityLink())

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.gamma(2.0, 1.0, n) * (rng.random(n) < 0.7 if self.power < 2 else 1.0) + 0.01 * (self.power >= 2)


@dataclass(frozen=True)
class _ObservedTweedie(TweedieLoss):
    """With a log link, a power from 1 to 2 and the curvature (2−p) μ²⁻ᵖ + (p−1) y μ¹⁻ᵖ of each row."""

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return self.power, 1.0

    def curvature(self, eta: Array, y: Array) -> Array:
        xp, p = namespace(eta), self.power
        return (2 - p) * xp.exp((2 - p) * eta) + (p - 1) * y * xp.exp((1 - p) * eta)

    def observed(self) -> Loss:
        return self

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return (cls(),)
