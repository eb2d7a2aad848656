"""The gamma loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..holds import instance
from ..typing import Floats
from .base import Loss
from .families import _FamilyLoss
from .links import IdentityLink, InverseLink, Link, LogLink


@dataclass(frozen=True)
class GammaLoss(_FamilyLoss):
    """Half the gamma deviance of a positive target, ℓ = log(μ / y) + y / μ − 1, at the mean μ = exp η by default.

    Its standard deviation is proportional to the mean.

    >>> import numpy as np
    >>> GammaLoss().value(np.array([0.0]), np.array([1.0]))
    array([0.])
    """

    link: Link | str = "log"
    names: ClassVar = ("gamma",)
    least_target: ClassVar = 0.0
    above_least: ClassVar = True
    dispersed: ClassVar = True
    holds: ClassVar = {"link": instance(Link)}

    @property
    def is_convex(self) -> bool:  # type: ignore[override]
        """Whether the link is the log, or the inverse, which is its own."""
        return isinstance(self.link, LogLink | InverseLink)

    @property
    def kernel(self) -> str:
        return "gamma" if isinstance(self.link, LogLink) else ""

    def half_deviance(self, mean: Array, y: Array) -> Array:
        return namespace(mean).log(mean / y) + y / mean - 1.0

    def variance(self, mean: Array) -> Array:
        return mean * mean

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        if not isinstance(self.link, LogLink):
            return super().parts(eta, y)
        xp = namespace(eta)
        share = y * xp.exp(-eta)
        return eta - xp.log(y) + share - 1.0, 1.0 - share, 0.0 * eta + 1.0

    def value(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[0] if isinstance(self.link, LogLink) else super().value(eta, y)

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[1] if isinstance(self.link, LogLink) else super().gradient(eta, y)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        value, gradient, _ = self.parts(eta, y)
        return value, gradient

    def observed(self) -> Loss:
        return _ObservedGamma(self.link) if isinstance(self.link, LogLink) else self

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        from scipy.special import gammaln

        xp, shape = namespace(eta), 1 / dispersion
        rate = shape / self.mean(eta)
        return shape * xp.log(rate) + (shape - 1) * xp.log(y) - rate * y - gammaln(shape)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(InverseLink()), cls(IdentityLink())

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.gamma(2.0, 1.0, n) + 0.01


@dataclass(frozen=True)
class _ObservedGamma(GammaLoss):
    """With a log link and the curvature y / μ of each row, expected to be 1: Newton's method needs fewer steps."""

    @property
    def kernel_numbers(self) -> tuple[float, float]:
        return 1.0, 0.0

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        value, gradient, _ = super().parts(eta, y)
        return value, gradient, 1.0 - gradient

    def curvature(self, eta: Array, y: Array) -> Array:
        return 1.0 - self.gradient(eta, y)

    def observed(self) -> Loss:
        return self

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return (cls(),)
