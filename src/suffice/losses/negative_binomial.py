"""The negative binomial loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array, namespace
from ..choices import check_number
from ..holds import instance, number
from .base import Loss
from .families import _FamilyLoss, times_log
from .links import Link, LogLink, SquareRootLink


@dataclass(frozen=True)
class NegativeBinomialLoss(_FamilyLoss):
    """Half the deviance of a count that varies more than Poisson's: V(μ) = μ + μ² / size.

    ℓ = y log(y / μ) − (y + size) log((y + size) / (μ + size)). With a large size it is the Poisson loss.

    >>> import numpy as np
    >>> NegativeBinomialLoss(2.0).value(np.array([0.0]), np.array([1.0]))
    array([0.])
    """

    size: float = 1.0
    link: Link | str = "log"
    names: ClassVar = ("negative_binomial",)
    least_target: ClassVar = 0.0
    holds: ClassVar = {"size": number(above=0), "link": instance(Link)}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "size", 0.0, above=True)

    @property
    def is_convex(self) -> bool:  # type: ignore[override]
        """Whether the link is the log."""
        return isinstance(self.link, LogLink)

    def half_deviance(self, mean: Array, y: Array) -> Array:
        xp = namespace(mean)
        return times_log(y, y / mean) - (y + self.size) * xp.log((y + self.size) / (mean + self.size))

    def variance(self, mean: Array) -> Array:
        return mean + mean * mean / self.size

    def gradient(self, eta: Array, y: Array) -> Array:
        if isinstance(self.link, LogLink):
            mean = self.mean(eta)
            return (mean - y) / (1.0 + mean / self.size)
        return super().gradient(eta, y)

    def curvature(self, eta: Array, y: Array) -> Array:
        if isinstance(self.link, LogLink):
            mean = self.mean(eta)
            return mean / (1.0 + mean / self.size)
        return super().curvature(eta, y)

    def observed(self) -> Loss:
        return _ObservedNegativeBinomial(self.size) if isinstance(self.link, LogLink) else self

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        from scipy.special import gammaln

        xp, mean, r = namespace(eta), self.mean(eta), self.size
        choose = gammaln(y + r) - gammaln(r) - gammaln(y + 1)
        return choose + r * xp.log(r / (r + mean)) + times_log(y, mean / (r + mean))

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(3.0), cls(2.0, SquareRootLink())


@dataclass(frozen=True)
class _ObservedNegativeBinomial(NegativeBinomialLoss):
    """With a log link and the curvature (1 + y / size) μ / (1 + μ / size)² of each row."""

    def curvature(self, eta: Array, y: Array) -> Array:
        mean = self.mean(eta)
        return (1.0 + y / self.size) * mean / (1.0 + mean / self.size) ** 2

    def observed(self) -> Loss:
        return self

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(3.0)
