"""Gaussians of few factors plus the noise of each column: the density behind factor analysis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..engine import LOOKS_BACK, still_to_gain
from ..holds import floats, number, sometimes
from ..statistics import Moments, RootMoments
from ..typing import Floats
from .low_rank import LowRankGaussian
from .parameters import ArrayParameter, parameter

_ITERATIONS, _TOL = 1000, 1e-11  # of `mle`: at the most, and what the mean log likelihood has to gain at the end


@dataclass(frozen=True)
class FactorGaussian(LowRankGaussian):
    """Gaussian rows of q latent factors, each column with noise of its own: x = W z + m + ε, C = W Wᵀ + diag(ψ).

    `mle` climbs from the current member in iterations that never lower the likelihood (Zhao, Yu & Jiang, 2008): each ψⱼ
    in turn at its best given all else, then W at its best given ψ, which is that of `LowRankGaussian` in units of the
    noise. The noise of a column is at least the share `least` of its variance; without a bound it may go to zero, a
    Heywood case.

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

    holds: ClassVar = {"least": sometimes(number(at_least=0))}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3) * 3, loadings=rng.uniform(1, 2, (3, 1)), noise=rng.uniform(0.5, 1.5, 3))

    def mle(self, statistic: Moments | RootMoments) -> Self:
        if statistic.weight == 0:
            return self
        if isinstance(statistic, RootMoments):
            statistic = statistic.squared()
        return self._after(statistic, _ITERATIONS)

    def improved(self, statistic: Moments | RootMoments) -> Self:
        """A member that is likelier than this one: within EM, which goes on anyway, the best is not worth its time."""
        if statistic.weight == 0:
            return self
        return self._after(statistic.squared() if isinstance(statistic, RootMoments) else statistic, 1)

    def _after(self, statistic: Moments, iterations: int) -> Self:
        member = self
        for _ in range(iterations):
            member, to_gain = member.accelerated(statistic)
            if to_gain <= _TOL:
                break
        return replace(member, noise=member.noise + self.floor, floor=self.floor)

    def accelerated(self, statistic: Moments) -> tuple[Self, float]:
        """The member after four iterations, or a fifth from where they lead to if that is better; what is to gain.

        They lead to ψ by squared extrapolation of log ψ (Varadhan & Roland, 2008): near a maximum that is flat, or at a
        bound, plain iterations are slow. What the mean log likelihood has still to gain is what the four say, and at
        least what all of this gained.
        """
        plain = [self._begun(statistic)]
        for _ in range(LOOKS_BACK - 1):
            plain.append(plain[-1].climbed(statistic))
        last = plain[-1]
        if not np.all(plain[0].noise > 0):
            return last, 0.0
        objectives = [member.total_log_prob(statistic) / statistic.weight for member in plain]
        leapt = last._leapt(statistic, [np.log(member.noise) for member in plain[-3:]]).climbed(statistic)
        end = leapt.total_log_prob(statistic) / statistic.weight
        gained = max(end, objectives[-1]) - objectives[0]
        return leapt if end > objectives[-1] else last, max(still_to_gain(objectives), gained)

    def _leapt(self, statistic: Moments, path: list[Floats]) -> Self:
        """The member where three log ψ in a row lead to."""
        step, bend = path[1] - path[0], path[2] - 2 * path[1] + path[0]
        size = float(np.clip(np.linalg.norm(step) / (np.linalg.norm(bend) + 1e-300), 1.0, 1e6))
        with np.errstate(over="ignore"):
            return self._with_noise(statistic, np.exp(path[0] + 2 * size * step + size**2 * bend))

    def climbed(self, statistic: Moments) -> Self:
        """The member after one iteration, without a floor: every ψⱼ, then W."""
        S = statistic.covariance()
        start, least = self._begun(statistic), self._least_noise(np.diagonal(S))
        covariance: Floats = start.covariance  # type: ignore[assignment]
        noise = start.noise if not least.all() else _best_noise(S, covariance, start.noise, least)
        return replace(start, loadings=_best_loadings(S, noise, self.rank), noise=noise)

    def started(self, statistic: Moments) -> Self:
        """The member to begin with: ψ as if the others' regression explained half of what it can (Jöreskog, 1967)."""
        S = statistic.covariance()
        unit = _units(S)
        precision = np.diagonal(np.linalg.pinv(S / np.outer(unit, unit), hermitian=True)) / unit**2
        share = 1 - 0.5 * min(self.rank / len(S), 1.0)
        return self._with_noise(statistic, share / np.where(precision > 0, precision, np.inf))

    def anywhere(self, statistic: Moments, rng: np.random.Generator) -> Self:
        """A member to begin with whose noise is a share of each column's variance that is drawn at random."""
        variance = np.diagonal(statistic.covariance())
        return self._with_noise(statistic, rng.uniform(0.05, 1.0, len(variance)) * variance)

    def _with_noise(self, statistic: Moments, noise: Floats) -> Self:
        """The best member that has this noise, within its bounds."""
        S = statistic.covariance()
        noise = np.clip(noise, self._least_noise(np.diagonal(S)), np.maximum(np.diagonal(S), 0))
        loadings = _best_loadings(S, noise, self.rank)
        return replace(self, mean=statistic.mean, noise=noise, loadings=loadings)

    def bounded(self, statistic: Moments) -> NDArray[np.intp]:
        """The columns whose noise is at its bound: Heywood cases."""
        least = self._least_noise(np.diagonal(statistic.covariance()))
        return np.flatnonzero(self.noise - self.floor <= least * (1 + 1e-6))

    def _begun(self, statistic: Moments) -> Self:
        """This member at the mean of the rows, or one without factors, without a floor."""
        variance = np.diagonal(statistic.covariance())
        least = self._least_noise(variance)
        if not self.has_parameters:
            return replace(self, floor=0.0).around(statistic.mean, np.maximum(variance, least))
        return replace(self, mean=statistic.mean, noise=np.maximum(self.noise - self.floor, least), floor=0.0)

    def _least_noise(self, variance: Floats) -> Floats:
        return np.where(variance > 0, self.least * variance, 1e-12 * variance.max())

    @staticmethod
    def _pooled(variance: Floats) -> Floats:
        return variance


def _best_noise(S: Floats, covariance: Floats, noise: Floats, least: Floats) -> Floats:
    """Each ψⱼ in turn: with P = C⁻¹ the likelihood is highest where ψⱼ grows by ((P S P)ⱼⱼ / Pⱼⱼ − 1) / Pⱼⱼ."""
    unit = _units(S)  # of the columns: what is inverted has no other
    S, covariance = (matrix / np.outer(unit, unit) for matrix in (S, covariance))
    noise, least, precision = noise / unit**2, least / unit**2, np.linalg.inv(covariance)
    for j in range(len(noise)):
        column = precision[:, j].copy()
        inside = column[j]
        wanted = noise[j] + (column @ S @ column / inside - 1) / inside
        step = max(wanted, least[j]) - noise[j]
        noise[j] += step
        precision -= np.outer(column, column * (step / (1 + step * inside)))
    return noise * unit**2


def _units(S: Floats) -> Floats:
    """The standard deviation of each column, 1 where there is none."""
    variance = np.diagonal(S)
    return np.sqrt(np.where(variance > 0, variance, 1.0))


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
