"""Gaussians of few factors plus the noise of each column: the density behind factor analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..holds import floats
from ..statistics import Moments
from .low_rank import LowRankGaussian
from .parameters import parameter

Floats = NDArray[np.float64]
_ROUNDS, _TOL = 1000, 1e-11  # of `mle`: at the most, and the rise of the mean log likelihood that ends them
_LEAST = 1e-6  # share of a column's variance that is noise at the least; without, it may go to zero (Heywood)


@dataclass(frozen=True)
class FactorGaussian(LowRankGaussian):
    """Gaussian rows of q latent factors, each column with noise of its own: x = W z + m + ε, C = W Wᵀ + diag(ψ).

    `mle` climbs from the current member in iterations that never lower the likelihood (Zhao, Yu & Jiang, 2008): each ψⱼ
    in turn at its best given all else, then W at its best given ψ, which is that of `LowRankGaussian` in units of the
    noise. The noise of a column is at least 1e-6 of its variance.

    Examples
    --------
    >>> from suffice.distributions import FactorGaussian
    >>> truth = FactorGaussian(np.zeros(3), loadings=np.ones((3, 1)), noise=[0.5, 1.0, 2.0])
    >>> FactorGaussian(rank=1).fit(truth.sample(100_000, 0)).noise.round(1)
    array([0.5, 1. , 2. ])
    """

    names = ("factor_gaussian",)

    noise: Any = parameter("ψ, (d,).", ("d",), holds=floats("d", at_least=0))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3) * 3, loadings=rng.uniform(1, 2, (3, 1)), noise=rng.uniform(0.5, 1.5, 3))

    def mle(self, statistic: Moments) -> Self:
        if statistic.weight == 0:
            return self
        member, before = self, -np.inf
        for _ in range(_ROUNDS):
            member = member.climbed(statistic)
            now = member.total_log_prob(statistic) / statistic.weight if np.all(member.noise > 0) else np.inf
            if not now - before > _TOL:
                break
            before = now
        return replace(member, noise=member.noise + self.floor, floor=self.floor)

    def climbed(self, statistic: Moments) -> Self:
        """The member after one iteration, without a floor: every ψⱼ, then W."""
        S = statistic.covariance()
        variance = np.diagonal(S)
        least = np.maximum(_LEAST * variance, 1e-12 * variance.max())
        if not self.has_parameters:
            start = self.around(statistic.mean, np.maximum(variance, least))
        else:
            start = replace(self, mean=statistic.mean, noise=np.maximum(self.noise - self.floor, least))
        noise = start.noise if not least.all() else _best_noise(S, start.covariance, start.noise, least)
        return replace(start, loadings=_best_loadings(S, noise, self.rank), noise=noise, floor=0.0)

    @staticmethod
    def _pooled(variance: Floats) -> Floats:
        return variance


def _best_noise(S: Floats, covariance: Floats, noise: Floats, least: Floats) -> Floats:
    """Each ψⱼ in turn: with P = C⁻¹ the likelihood is highest where ψⱼ grows by ((P S P)ⱼⱼ / Pⱼⱼ − 1) / Pⱼⱼ."""
    precision, noise = np.linalg.inv(covariance), noise.copy()
    for j in range(len(noise)):
        column = precision[:, j].copy()
        inside = column[j]
        wanted = noise[j] + (column @ S @ column / inside - 1) / inside
        step = max(wanted, least[j]) - noise[j]
        noise[j] += step
        precision -= np.outer(column, column * (step / (1 + step * inside)))
    return noise


def _best_loadings(S: Floats, noise: Floats, rank: int) -> Floats:
    """W (d, q) given ψ, from the eigenvectors of the covariance in units of the noise."""
    d = len(noise)
    loadings, kept = np.zeros((d, rank)), min(rank, d)
    if not np.all(noise > 0):
        return loadings
    unit = np.sqrt(noise)
    values, vectors = np.linalg.eigh(S / np.outer(unit, unit))
    strength = np.sqrt(np.maximum(values[::-1][:kept] - 1, 0.0))
    loadings[:, :kept] = unit[:, None] * vectors[:, ::-1][:, :kept] * strength
    return loadings
