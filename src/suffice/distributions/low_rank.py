"""Gaussians of few directions plus noise: the density behind probabilistic PCA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..backend.blas import blas_threads_for
from ..errors import InvalidData
from ..holds import floats, require, whole
from ..statistics import Moments, RootMoments
from ..statistics.spectrum import divisor, spectrum
from ..typing import Floats, Numbers
from .base import Distribution
from .few_factors import FewFactors
from .gaussian import Gaussian
from .parameters import ArrayParameter, parameter

_EPS = float(np.finfo(np.float64).eps)
_CACHED = ("_few", "encoder", "decoder")
_FEW = 4  # so many columns or rows for each axis: the others are not computed
_LEFT = 1e-6  # of the variance, below which what axes leave is summed up and not a difference


@dataclass(frozen=True)
class LowRankGaussian(Gaussian):
    """Gaussian rows of q latent factors and equal noise: x = W z + m + σ ε, so that C = W Wᵀ + σ² I.

    The best member has a closed form (Tipping & Bishop, 1999): with the eigenvalues λ and eigenvectors U of the
    covariance of the rows, σ² is the mean of the d − q smallest λ, and W = U (Λ − σ² I)^½ of the others. A rank of
    d − 1 is a full covariance already; more adds nothing.

    Examples
    --------
    >>> from suffice.distributions import LowRankGaussian
    >>> X = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> member = LowRankGaussian(rank=1).fit(X)
    >>> member.noise, np.abs(member.loadings.ravel()), member.covariance
    (array([0.5]), array([2., 0.]), array([[4.5, 0. ],
           [0. , 0.5]]))
    """

    names = ("low_rank_gaussian",)
    fixable = ()

    # A parameter of `Gaussian`, which here follows from the others; as a class variable it is no field.
    covariance: ClassVar[Any] = property(lambda self: self._covariance())  # type: ignore[misc]
    mean: ArrayParameter = parameter("m, (d,).", ("d",))
    loadings: ArrayParameter = parameter("W, (d, q).", ("d", "q"), holds=floats("d", "q", lists=True))
    noise: ArrayParameter = parameter("σ², (1,).", (1,), holds=floats(1, at_least=0))
    rank: int = 1

    holds: ClassVar = {"rank": whole("q", at_least=1)}

    def check_loaded(self) -> None:
        super().check_loaded()
        if self.has_parameters:
            with np.errstate(over="ignore"):
                require(np.isfinite(np.sum(np.asarray(self.loadings) ** 2)), "loadings must not overflow")

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3) * 3, loadings=2 * rng.normal(size=(3, 1)), noise=rng.uniform(0.5, 1.5, 1))

    def _covariance(self) -> Floats | None:
        if self.loadings is None or self.noise is None:
            return None
        columns = np.array(self.loadings, order="F")  # of one array NumPy makes half, and copies that
        found = columns @ np.ascontiguousarray(self.loadings.T)
        found.flat[:: len(found) + 1] += self.noise
        return found

    @property
    def precision(self) -> Floats:
        """The inverse of the covariance, (d, d)."""
        return self._few.precision if self._has_few_factors else np.asarray(np.linalg.inv(self.covariance))

    @property
    def noises(self) -> Floats:
        """The variance of the noise of each column, (d,)."""
        return np.asarray(np.broadcast_to(self.noise, self.mean.shape))

    @property
    def is_definite(self) -> bool:
        """Whether the covariance has a root, so that there is a density; without noise it has none in all columns."""
        if self.noise.min() > _EPS * ((self.loadings**2).sum(axis=1) + self.noise).max():
            return True
        if self._has_few_factors:
            return False
        covariance = self.covariance
        std = np.sqrt(np.diagonal(covariance))
        if not np.all(std > 0):
            return False
        smallest = np.linalg.eigvalsh(covariance / np.outer(std, std))[0]  # rounding gives singular ones a root, too
        return bool(smallest > 10 * len(std) * _EPS)

    @property
    def n_parameters(self) -> int:
        """W counts up to a rotation of the factors; never more than a full covariance."""
        d, q = self.loadings.shape
        return int(min(d + d * q - q * (q - 1) // 2 + len(self.noise), super().n_parameters))

    # -- densities in the few directions ------------------------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Sequence[LowRankGaussian], X: Numbers) -> Floats:
        """By the factors alone where these are few and the rows complete."""
        if not _have_few_factors(parts) or np.isnan(np.sum(X)):
            return Gaussian.log_probs(parts, X)
        found = [part._few.log_density(np.asarray(X), part.mean) for part in parts]
        return found[0][:, None] if len(found) == 1 else np.column_stack(found)

    @staticmethod
    def log_joints(parts: Sequence[LowRankGaussian], log_weight: Floats, X: Numbers) -> Floats:
        family = Distribution if _have_few_factors(parts) else Gaussian
        return family.log_joints(parts, log_weight, X)

    def total_log_prob(self, statistic: Moments | RootMoments) -> float:
        if not isinstance(statistic, RootMoments):
            return super().total_log_prob(statistic)
        few, weight = self._few, statistic.weight
        squares = few.squares(statistic.root).sum() + weight * few.squares((statistic.mean - self.mean)[None])[0]
        return float(-0.5 * (weight * few.log_determinant + squares))

    @property
    def _has_few_factors(self) -> bool:
        d, q = self.loadings.shape
        return (2 * q < d or d == 1) and bool(np.min(self.noise) > 0)

    @cached_property
    def _few(self) -> FewFactors:
        with blas_threads_for(self.loadings.size * self.loadings.shape[1]):
            return FewFactors.of(self.loadings, self.noises)

    # -- the latent factors -------------------------------------------------------------------------------------------
    @cached_property
    def encoder(self) -> Floats:
        """A (q, d) of E[z | x] = A (x − m), which is Wᵀ C⁻¹."""
        alone = self._encoder_of_orthogonal()
        if alone is not None:
            return alone
        if self._has_few_factors:
            return self._few.unwhitened(self._few.whitened(np.ascontiguousarray(self.loadings.T)))
        try:
            return np.asarray(np.linalg.solve(self.covariance, self.loadings).T)
        except np.linalg.LinAlgError:
            raise InvalidData(
                f"{type(self).__name__}: the covariance is singular, so that the factors of a row are not determined; "
                "leave out columns that others determine, or raise the floor."
            ) from None

    def _encoder_of_orthogonal(self) -> Floats | None:
        """As `encoder`, by one number a factor where the noise is the same everywhere and loadings are orthogonal."""
        if len(self.noise) > 1 or not self.noise[0] > 0:
            return None
        products = self.loadings.T @ self.loadings  # (q, q)
        squares = np.diagonal(products)
        cosines = products - np.diag(squares)
        if (cosines**2 > (8 * _EPS) ** 2 * np.outer(squares, squares)).any():
            return None
        return np.asarray(self.loadings.T / (squares + self.noise[0])[:, None])

    @cached_property
    def decoder(self) -> Floats:
        """B (d, q) with A B = I: m + B E[z | x] is the point of the factor plane that is nearest to x, by the noise."""
        with blas_threads_for(self.loadings.shape[0] ** 3):
            return np.asarray(self.loadings @ np.linalg.pinv(self.encoder @ self.loadings, hermitian=True))

    def latents(self, X: Numbers) -> Floats:
        """E[z | x] of every row, (n, q), given what was seen of it."""
        filled = self.given(X).filled if np.isnan(np.sum(X)) else X
        return np.asarray((filled - self.mean) @ self.encoder.T)

    # -- learning ---------------------------------------------------------------------------------------------------
    def mle(self, statistic: Moments | RootMoments) -> Self:
        if statistic.weight == 0:
            return self
        d = len(statistic.mean)
        kept = min(self.rank, d - 1)
        variance, axes, left = _principal(statistic, kept)
        noise = left / (d - kept)
        loadings = np.zeros((d, self.rank))
        loadings[:, : len(axes)] = axes.T * np.sqrt(np.maximum(variance - noise, 0.0))
        return self.with_arrays(mean=statistic.mean, loadings=loadings, noise=np.array([noise + self.floor]))

    def with_arrays(self, **parameters: object) -> Self:
        member = super().with_arrays(**parameters)
        for name in _CACHED:  # follow from the parameters
            member.__dict__.pop(name, None)
        return member

    def em_round(self, statistic: Moments) -> Self:
        """The member after one iteration of EM over the latent factors, which `mle` needs none of."""
        S, A = statistic.covariance(), self.encoder
        SA = S @ A.T  # Σ w (x − m) E[z]ᵀ / Σw
        second = np.eye(self.rank) - A @ self.loadings + A @ SA  # Σ w E[z zᵀ] / Σw
        loadings = np.linalg.solve(second, SA.T).T
        left = np.diagonal(S) - np.einsum("ij,ij->i", loadings, SA)
        return replace(self, mean=statistic.mean, loadings=loadings, noise=self._pooled(left) + self.floor)

    @staticmethod
    def _pooled(variance: Floats) -> Floats:
        """The noise that follows from what the factors leave of each column's variance."""
        return np.array([np.mean(variance)])

    def around(self, mean: Floats, variance: Floats) -> Self:
        noise = self._pooled(np.asarray(variance))
        return replace(self, mean=mean, loadings=np.zeros((len(mean), self.rank)), noise=noise)

    def with_spread(self, covariance: Floats) -> Self:
        """The member whose covariance is the best of its form for this one."""
        return self.mle(Moments(1.0, self.mean, np.asarray(covariance)))

    def floored(self, floor: float) -> Self:
        return replace(self, noise=self.noise + floor, floor=floor)


def _have_few_factors(parts: Sequence[LowRankGaussian]) -> bool:
    return all(part._has_few_factors for part in parts)


def _principal(statistic: Moments | RootMoments, k: int) -> tuple[Floats, Floats, float]:
    """Variances (k,) along the first axes (k, d), fewer where rows are, divided by Σw, and what the axes leave."""
    size = len(statistic.mean) if isinstance(statistic, Moments) else len(statistic.root)
    k, share = min(k, size), divisor(statistic.weight) / statistic.weight
    if 0 < _FEW * k <= size:
        found = spectrum(statistic, None, k)
        left = found.total - float(found.variance.sum())
        if left > _LEFT * found.total:
            return found.variance * share, found.axes, left * share
    found = spectrum(statistic, None)  # what is left of little is no difference
    return found.variance[:k] * share, found.axes[:k], float(found.variance[k:].sum()) * share
