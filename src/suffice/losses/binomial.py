"""The binomial loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..holds import instance
from ..typing import Floats
from .base import Loss, softplus
from .families import _FamilyLoss
from .links import ComplementaryLogLogLink, Link, LogitLink, ProbitLink


@dataclass(frozen=True)
class BinomialLoss(_FamilyLoss):
    """Half the deviance of a share of successes y from 0 to 1, with the numbers of trials as weights.

    ℓ = y log(y / μ) + (1 − y) log((1 − y) / (1 − μ)), at μ = 1 / (1 + exp(−η)). Other links: probit, cloglog.

    >>> import numpy as np
    >>> BinomialLoss().value(np.array([0.0]), np.array([1.0])).round(4)
    array([0.6931])
    """

    link: Link | str = "logit"
    names: ClassVar = ("binomial",)
    least_target: ClassVar = 0.0
    most_target: ClassVar = 1.0
    most_mean: ClassVar = 1.0
    has_likelihood: ClassVar = True
    holds: ClassVar = {"link": instance(Link)}

    def half_deviance(self, mean: Array, y: Array) -> Array:
        return _share(y, mean) + _share(1.0 - y, 1.0 - mean)

    def variance(self, mean: Array) -> Array:
        return mean * (1.0 - mean)

    def value(self, eta: Array, y: Array) -> Array:
        if not isinstance(self.link, LogitLink):
            return super().value(eta, y)
        own = _share(y, 0.0 * y + 1.0) + _share(1.0 - y, 0.0 * y + 1.0)
        return softplus(eta) - y * eta + own

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.mean(eta) - y if isinstance(self.link, LogitLink) else super().gradient(eta, y)

    def curvature(self, eta: Array, y: Array) -> Array:
        return self.link.slope(eta) if isinstance(self.link, LogitLink) else super().curvature(eta, y)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        """Of one trial; the numbers of trials are weights."""
        own = _share(y, 0.0 * y + 1.0) + _share(1.0 - y, 0.0 * y + 1.0)
        return own - self.value(eta, y)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(ProbitLink()), cls(ComplementaryLogLogLink())

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.integers(0, 4, n) / 3


def _share(y: Array, mean: Array) -> Array:
    """y log(y / μ), 0 where y is 0."""
    xp = namespace(y)
    some = y > 0
    return y * xp.log(xp.where(some, y, 0.0 * y + 1.0) / xp.where(some, mean, 0.0 * y + 1.0))
