"""What the losses of generalized linear models share: half the deviance of a family at the mean that a link gives."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..typing import Floats
from .base import Loss
from .links import LINKS, Link, LogLink


class _FamilyLoss(Loss):
    """Base: a subclass gives half its deviance as `half_deviance`, and its variance as a function of the mean.

    ℓ = ½ d(y, μ), with dℓ/dη = −(y − μ) / V(μ) · dμ/dη. The curvature is the expected one, (dμ/dη)² / V(μ), the weights
    of Fisher scoring.
    """

    link: Link | str
    has_likelihood: ClassVar = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", LINKS.member(self.link, type(self).__name__, "link"))

    def half_deviance(self, mean: Array, y: Array) -> Array:
        """½ d(y, μ), (n,)."""
        raise TypeError(f"{type(self).__name__} does not define half_deviance")

    def variance(self, mean: Array) -> Array:
        """V(μ), the variance of a target in units of the dispersion."""
        raise TypeError(f"{type(self).__name__} does not define variance")

    def constant(self, mean: float) -> float:
        room = 1e-9 * max(abs(mean), 1.0)
        within = min(max(mean, self.least_mean + room), self.most_mean - room)
        return float(self._link.of(np.float64(within)))

    def value(self, eta: Array, y: Array) -> Array:
        return self._within(self.half_deviance(self.mean(eta), y), eta)

    def gradient(self, eta: Array, y: Array) -> Array:
        mean = self.mean(eta)
        return (mean - y) / self.variance(mean) * self._link.slope(eta)

    def curvature(self, eta: Array, y: Array) -> Array:
        slope = self._link.slope(eta)
        return slope * slope / self.variance(self.mean(eta))

    def mean(self, eta: Array) -> Array:
        return self._link.mean(eta)

    def _within(self, value: Array, eta: Array) -> Array:
        """Infinite where η stands for no mean that the family allows."""
        if isinstance(self._link, LogLink):
            return value
        xp = namespace(eta)
        mean = self.mean(eta)
        inside = (mean > self.least_mean) & (mean < self.most_mean)
        return xp.where(inside, value, 0.0 * eta + np.inf)

    least_mean: ClassVar[float] = 0.0
    most_mean: ClassVar[float] = np.inf

    @property
    def _link(self) -> Link:
        assert isinstance(self.link, Link)
        return self.link

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.poisson(2.0, n).astype(np.float64)


def times_log(y: Array, ratio: Array) -> Array:
    """y log(ratio), 0 where y is 0."""
    xp = namespace(y)
    return y * xp.log(xp.where(y > 0, ratio, 0.0 * y + 1.0))


def log_factorial(y: Array) -> Array:
    """log Γ(y + 1); of many small counts each is looked up."""
    from scipy.special import gammaln

    most = np.max(y, initial=0.0)
    if not 0 <= most < min(1000, np.size(y)):
        return gammaln(y + 1.0)
    whole = np.asarray(y, dtype=np.intp)
    return gammaln(np.arange(most + 1) + 1.0)[whole] if np.array_equal(whole, y) else gammaln(y + 1.0)
