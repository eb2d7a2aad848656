"""The Poisson loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from ..holds import instance
from .base import Loss
from .families import _FamilyLoss, log_factorial, times_log
from .links import IdentityLink, Link, LogLink, SquareRootLink


@dataclass(frozen=True)
class PoissonLoss(_FamilyLoss):
    """Half the Poisson deviance of a count, ℓ = y log(y / μ) − y + μ, at the mean μ = exp η by default.

    >>> import numpy as np
    >>> PoissonLoss().value(np.array([0.0]), np.array([0.0]))
    array([1.])
    """

    link: Link | str = "log"
    names: ClassVar = ("poisson",)
    least_target: ClassVar = 0.0
    holds: ClassVar = {"link": instance(Link)}

    @property
    def kernel(self) -> str:
        return "poisson" if isinstance(self.link, LogLink) else ""

    def half_deviance(self, mean: Array, y: Array) -> Array:
        return times_log(y, y / mean) - y + mean

    def variance(self, mean: Array) -> Array:
        return mean

    def parts(self, eta: Array, y: Array) -> tuple[Array, Array, Array]:
        if not isinstance(self.link, LogLink):
            return super().parts(eta, y)
        mean = namespace(eta).exp(eta)
        return mean - y * eta - y + times_log(y, y), mean - y, mean

    def value(self, eta: Array, y: Array) -> Array:
        return self.parts(eta, y)[0] if isinstance(self.link, LogLink) else super().value(eta, y)

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.mean(eta) - y if isinstance(self.link, LogLink) else super().gradient(eta, y)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        value, gradient, _ = self.parts(eta, y)
        return value, gradient

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        mean = self.mean(eta)
        own = y * eta if isinstance(self.link, LogLink) else times_log(y, mean)
        return own - mean - log_factorial(y)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(SquareRootLink()), cls(IdentityLink())
