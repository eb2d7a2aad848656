"""Gaussians of few factors plus the noise of each column: the density behind factor analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..holds import floats, number, sometimes
from ..statistics import Moments, RootMoments
from ..statistics.spectrum import with_sign
from ..typing import Floats
from .low_rank import LowRankGaussian
from .noise_profile import Noise, NoiseProfile
from .parameters import ArrayParameter, parameter

_ITERATIONS, _TOL = 1000, 1e-11  # of `mle`: at the most, and what the mean log likelihood has to gain at the end
_LEFT = 0.01  # of a column's variance is noise to begin with, at the least


@dataclass(frozen=True)
class FactorGaussian(LowRankGaussian):
    """Gaussian rows of q latent factors, each column with noise of its own: x = W z + m + ε, C = W Wᵀ + diag(ψ).

    The best W for a noise is that of `LowRankGaussian` in units of the noise, so that only ψ is sought (Jöreskog,
    1967): `mle` climbs from the current member by L-BFGS, which never lowers the likelihood. The noise of a column is
    at least the share `least` of its variance; without a bound it may go to zero, a Heywood case.

    Examples
    --------
    >>> from suffice.distributions import FactorGaussian
    >>> truth = FactorGaussian(np.zeros(3), loadings=np.ones((3, 1)), noise=[0.5, 1.0, 2.0])
    >>> FactorGaussian(rank=1).fit(truth.sample(100_000, 0)).noise.round(1)
    array([0.5, 1. , 2. ])
    """

    names = ("factor_gaussian",)

    mean: ArrayParameter = parameter("m, (d,).", ("d",))
    loadings: ArrayParameter = parameter("W, (d, q).", ("d", "q"), holds=floats("d", "q", lists=True))
    noise: ArrayParameter = parameter("ψ, (d,).", ("d",), holds=floats("d", above=0))
    least: float = 1e-6

    has_formula: ClassVar[bool] = False
    holds: ClassVar = {"least": sometimes(number(at_least=0))}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3) * 3, loadings=rng.uniform(1, 2, (3, 1)), noise=rng.uniform(0.5, 1.5, 3))

    def mle(self, statistic: Moments | RootMoments) -> Self:
        return self if statistic.weight == 0 else self._after(statistic, _ITERATIONS)

    def improved(self, statistic: Moments | RootMoments) -> Self:
        """A member that is likelier than this one: within EM, which goes on anyway, the best is not worth its time."""
        return self if statistic.weight == 0 else self._after(statistic, 1)

    def climbed(self, statistic: Moments | RootMoments) -> Self:
        """The member after one iteration, without a floor."""
        return replace(self._after(statistic, 1), floor=0.0)

    def _after(self, statistic: Moments | RootMoments, iterations: int) -> Self:
        profile = self.profile(statistic)
        if not profile.variance.any():
            return replace(self.around(statistic.mean, profile.variance), noise=profile.variance + self.floor)
        noise = profile.at(self._theta(profile))
        for _ in range(iterations):
            noise, done = profile.descended(noise, _TOL)
            if done:
                break
        member = self.with_noise(profile, noise)
        return replace(member, noise=member.noise + self.floor)

    # -- the way up, from noise to noise ------------------------------------------------------------------------------
    def profile(self, statistic: Moments | RootMoments) -> NoiseProfile:
        """How likely the best members are for each noise."""
        return NoiseProfile.of(statistic, self.rank, self.least)

    def started(self, profile: NoiseProfile) -> Self:
        """The member to begin with: ψ is what the principal axes of the correlations leave."""
        saturated = self.saturated(profile)
        if saturated is not None:
            return saturated[0]
        noise = profile.at(profile.within(np.zeros(len(profile.unit))))
        left = 1 - noise.vectors**2 @ (noise.values - 1)
        return self._of_shares(profile, np.maximum(left, _LEFT))

    def saturated(self, profile: NoiseProfile) -> tuple[Self, float] | None:
        """The likeliest member of all and its mean log likelihood, where it is known: with all axes but one.

        These leave the smallest eigenvalue as the share of every column, and the covariance is that of the rows.
        """
        least = profile.smallest_share() if self.rank >= len(profile.unit) - 1 else 0.0
        if not least > np.exp(profile.lowest).max():
            return None
        noise = profile.at(profile.within(np.full(len(profile.unit), np.log(least))))
        return self.with_noise(profile, noise), -0.5 * noise.deviance

    def anywhere(self, profile: NoiseProfile, rng: np.random.Generator) -> Self:
        """A member to begin with whose noise is a share of each column's variance that is drawn at random."""
        return self._of_shares(profile, rng.uniform(0.05, 1.0, len(profile.unit)))

    def ascended(self, profile: NoiseProfile, tol: float) -> tuple[Self, float, bool]:
        """The member after an iteration, its mean log likelihood, and whether that has no more than `tol` to gain."""
        guess = np.sum(self.loadings / np.sqrt(self.noise)[:, None], axis=1)
        noise, done = profile.descended(profile.at(self._theta(profile), guess), tol)
        return self.with_noise(profile, noise), -0.5 * noise.deviance, done

    def with_noise(self, profile: NoiseProfile, noise: Noise) -> Self:
        """The best member that has this noise."""
        root = profile.unit * np.exp(0.5 * noise.theta)
        loadings = root[:, None] * noise.vectors * np.sqrt(noise.values - 1)
        return self.with_arrays(mean=profile.mean, noise=root**2, loadings=with_sign(loadings.T).T)

    def bounded(self, profile: NoiseProfile) -> NDArray[np.intp]:
        """The columns whose noise is at its bound: Heywood cases."""
        return np.flatnonzero(self._theta(profile) <= profile.lowest + 1e-6)

    def _of_shares(self, profile: NoiseProfile, shares: Floats) -> Self:
        return self.with_noise(profile, profile.at(profile.within(np.log(shares))))

    def _theta(self, profile: NoiseProfile) -> Floats:
        """This member's noise without its floor, or that of no factors, in the units of a profile."""
        if not self.has_parameters:
            return profile.within(np.zeros(len(profile.unit)))
        noise = np.maximum(self.noise - self.floor, 0) / profile.unit**2
        return profile.within(np.log(np.maximum(noise, np.exp(profile.lowest))))

    @staticmethod
    def _pooled(variance: Floats) -> Floats:
        return variance
