"""How likely Gaussians of few factors are with the best loadings for each noise: what factor analysis climbs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..statistics import Moments, RootMoments
from ..statistics.spectrum import eigenvectors
from ..typing import Floats

_MANY, _FEW = 128, 16  # of so many columns, so many for each factor, the leading eigenvectors are sought by products
_RESIDUAL = 1e-11  # of those eigenvectors
_ITERATIONS = 20  # of L-BFGS in one descent
_SMALL = np.log(0.05)  # a share of the variance that may be on its way to no noise
_FLAT = 1e-9  # a slope that rounding may have left
_CONSTANT = 1e-12  # the noise of a column without variance, as a share of the largest variance


@dataclass(frozen=True)
class Noise:
    """θ (d,), the deviance there, its slope (d,), and the best factors: λ (q,) and V (d, q) in units of the noise."""

    theta: Floats
    deviance: float
    slope: Floats
    values: Floats
    vectors: Floats


@dataclass(frozen=True)
class NoiseProfile:
    """The deviance, −2 · mean log likelihood, of the best W for each noise ψ = unit² · exp(θ) (Jöreskog, 1967).

    With the eigenvalues λ and eigenvectors V of the covariance in units of the noise, √ψ V (Λ − 1)^½ of the q largest
    λ above 1 is the best W. The deviance is log det(2π ψ) + Σ S/ψ − Σ (λ − 1 − log λ), and its slope in θⱼ is
    (C − S)ⱼⱼ / ψⱼ. `table` is the correlation matrix (d, d), or a root of it (r, d).
    """

    mean: Floats
    unit: Floats
    variance: Floats
    table: Floats
    is_root: bool
    rank: int
    lowest: Floats
    constant: float

    @classmethod
    def of(cls, statistic: Moments | RootMoments, rank: int, least: float) -> NoiseProfile:
        """Of rows whose noise is at least the share `least` of a column's variance."""
        squares = np.diagonal(statistic.scatter) if isinstance(statistic, Moments) else statistic.by_column().scatter
        variance = squares / statistic.weight
        varies = variance > 0
        unit = np.sqrt(np.where(varies, variance, variance.max() or 1.0))
        over = np.sqrt(statistic.weight) * unit
        table = statistic.scatter / over / over[:, None] if isinstance(statistic, Moments) else statistic.root / over
        is_root = isinstance(statistic, RootMoments)
        lowest = np.log(np.where(varies, max(least, _CONSTANT), _CONSTANT))
        constant = len(unit) * np.log(2 * np.pi) + 2 * float(np.sum(np.log(unit)))
        return cls(statistic.mean, unit, varies * np.ones(len(unit)), table, is_root, rank, lowest, constant)

    def within(self, theta: Floats) -> Floats:
        """θ within its bounds: no noise is larger than the variance of its column."""
        return np.clip(theta, self.lowest, np.where(self.variance > 0, 0.0, self.lowest))

    def smallest_share(self) -> float:
        """The smallest eigenvalue of the correlations; 0 where there are fewer rows than columns."""
        return 0.0 if self.is_root else float(np.linalg.eigvalsh(self.table)[0])

    def at(self, theta: Floats, guess: Floats | None = None) -> Noise:
        """The best factors for a noise; `guess` (d,) is about a sum of their directions."""
        scale = np.exp(-0.5 * theta)
        values, vectors = self._leading(scale, guess)
        values = np.maximum(values, 1.0)
        shares = self.variance * scale**2  # S / ψ
        above = values - 1
        deviance = self.constant + (theta + shares).sum() - (above - np.log(values)).sum()
        return Noise(theta, float(deviance), 1 - shares + vectors**2 @ above, values, vectors)

    def descended(self, start: Noise, tol: float) -> tuple[Noise, bool]:
        """The noise after some iterations of L-BFGS, and whether the mean log likelihood has about `tol` to gain."""
        if np.abs(start.slope).max() <= _FLAT:
            return self._at_bound(start), True
        from scipy.optimize import minimize

        seen = [start]

        def measured(theta: Floats) -> tuple[float, Floats]:
            if len(seen) > 1 or not np.array_equal(theta, start.theta):
                seen.append(self.at(theta, seen[-1].vectors.sum(axis=1)))
            return seen[-1].deviance - start.deviance, seen[-1].slope

        bounds = list(zip(self.lowest, self.within(np.zeros(len(self.lowest))), strict=True))
        options = {"maxiter": _ITERATIONS, "ftol": 0.1 * tol, "gtol": _FLAT}
        found = minimize(measured, start.theta, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        lowest = min(seen, key=lambda each: each.deviance)
        best = self._at_bound(lowest)
        gained = start.deviance - best.deviance  # beyond 1, L-BFGS has measured changes by it
        return best, gained <= 2 * tol or (found.status == 0 and gained < 1 and best is lowest)

    def _at_bound(self, noise: Noise) -> Noise:
        """The noise with a small share at its bound if that is better: slopes in θ vanish on the way to no noise."""
        falling = (noise.slope > 0) & (noise.theta > self.lowest) & (noise.theta < _SMALL)
        if not falling.any():
            return noise
        theta = noise.theta.copy()
        least = np.argmin(np.where(falling, theta, np.inf))
        theta[least] = self.lowest[least]
        there = self.at(theta, noise.vectors.sum(axis=1))
        return there if there.deviance < noise.deviance else noise

    # -- eigenvectors -------------------------------------------------------------------------------------------------
    def _leading(self, scale: Floats, guess: Floats | None) -> tuple[Floats, Floats]:
        """The largest eigenvalues (q,) of the correlation times scale on both sides, and the eigenvectors (d, q)."""
        d = len(scale)
        if d >= max(_MANY, _FEW * self.rank):
            found = self._by_products(scale, guess)
            if found is not None:
                return found
        side = self.table * scale
        side = side @ side.T if self.is_root else side * scale[:, None]
        kept = min(self.rank, len(side))
        values, vectors = eigenvectors(side, kept)
        if self.is_root:
            vectors = (self.table * scale).T @ vectors / np.sqrt(np.maximum(values, 1.0))
        if kept == self.rank:
            return values, vectors
        missing = self.rank - kept
        return np.pad(values, (0, missing)), np.pad(vectors, ((0, 0), (0, missing)))

    def _by_products(self, scale: Floats, guess: Floats | None) -> tuple[Floats, Floats] | None:
        """By ARPACK, which needs the matrix only to multiply by it; None where it gives up."""
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

        d = len(scale)
        begin = np.random.default_rng(0).normal(size=d) / np.sqrt(d)
        if guess is not None and guess.any():
            begin = guess / np.linalg.norm(guess) + 0.01 * begin
        matrix = LinearOperator((d, d), matvec=partial(self._times, scale), dtype=np.float64)
        try:
            values, vectors = eigsh(matrix, self.rank, v0=begin, tol=_RESIDUAL)
        except ArpackError:
            return None
        return values[::-1], vectors[:, ::-1]

    def _times(self, scale: Floats, column: Floats) -> Floats:
        product: Floats = self.table @ (scale * column.ravel())
        return scale * (self.table.T @ product if self.is_root else product)
