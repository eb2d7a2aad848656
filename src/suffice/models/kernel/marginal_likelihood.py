"""The marginal likelihood of a Gaussian process, log N(y; 0, K + noise), and its gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.blas import blas_threads_for
from ...errors import InvalidData
from ...typing import Floats, Whole
from .covariance import Covariance
from .hyperparameters import Evaluated

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class ObservedRows:
    """Different rows X (n, d), the mean y (n, q) of their targets, the weight (n,) and the noise alpha (n,) of each.

    `spread` (n, q) are the squares of targets about their mean: rows that are equal, or a row with a weight, are one
    observation of the mean with noise divided by its weight, and these squares. Nothing else of them counts.
    """

    X: Floats
    y: Floats
    weight: Floats
    alpha: Floats
    spread: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats, weight: Floats, alpha: Floats, merge: bool = True) -> ObservedRows:
        """Rows that have a weight, those with equal cells and noise taken together."""
        some = weight > 0
        X, y, weight, alpha = X[some], y[some], weight[some], alpha[some]
        places = _first_equal(np.column_stack([X, alpha])) if merge else np.arange(len(X))
        first = np.unique(places)
        if len(first) == len(X):
            return cls(X, y, weight, alpha, np.zeros_like(y))
        at = np.searchsorted(first, places)
        total = np.bincount(at, weight).astype(np.float64)
        columns = [np.bincount(at, weight * column) / total for column in y.T]
        mean = np.column_stack(columns)
        spread = np.column_stack([np.bincount(at, weight * off**2) for off in (y - mean[at]).T]).astype(np.float64)
        return cls(X[first], mean, total, alpha[first], spread)

    @property
    def plain(self) -> bool:
        """Whether every row is one observation."""
        return bool(np.all(self.weight == 1)) and not self.spread.any()

    def noise(self, covariance: Covariance) -> tuple[Floats, Floats, list[Floats], list[Floats]]:
        """What is added to the diagonal (n,), the noise of one observation (n,), and the slopes of both in theta."""
        if self.plain:
            none = [np.zeros(len(self.X)) for _ in covariance.theta]
            return self.alpha, self.alpha, none, none
        own, slopes = covariance.noise(self.X)  # which stands on the diagonal already
        noise = self.alpha + own
        return noise / self.weight - own, noise, [s / self.weight - s for s in slopes], slopes

    def correction(self, noise: Floats) -> float:
        """The log likelihood of the observations about their means, summed over targets."""
        some = noise > 0
        w, v, s = self.weight[some], noise[some], self.spread[some]
        count = self.y.shape[1]
        return -0.5 * float(count * np.sum((w - 1) * (_LOG_2PI + np.log(v)) + np.log(w)) + np.sum(s / v[:, None]))

    def correction_slopes(self, noise: Floats, slopes: list[Floats]) -> Floats:
        """Its derivatives in theta."""
        some = noise > 0
        w, v, s = self.weight[some], noise[some], self.spread[some].sum(axis=1)
        each = -0.5 * (self.y.shape[1] * (w - 1) / v - s / v**2)
        return np.array([float(each @ slope[some]) for slope in slopes])


def _first_equal(rows: Floats) -> Whole:
    """The place of the first row that is equal to each, (n,)."""
    order = np.lexsort(rows.T[::-1])
    is_new = np.append(True, np.any(rows[order][1:] != rows[order][:-1], axis=1))
    first = np.minimum.reduceat(order, np.flatnonzero(is_new))
    found = np.empty(len(rows), dtype=np.int64)
    found[order] = first[np.cumsum(is_new) - 1]
    return found


@dataclass(frozen=True)
class Posterior:
    """Cholesky's factor L (n, n) of K + noise, the lower one, and its solution for the targets, (n, q)."""

    factor: Floats
    solution: Floats
    log_likelihood: float


def posterior(covariance: Covariance, rows: ObservedRows, owner: str) -> Posterior:
    """What predictions need; an error where the matrix is not positive."""
    added, noise, _, _ = rows.noise(covariance)
    factor = factor_of(covariance.among(rows.X), added)
    if factor is None:
        raise InvalidData(
            f"{owner}: the kernel {covariance.kernel} with its noise gives no positive definite matrix for these rows. "
            f"Raise alpha (least here: {float(rows.alpha.min()):g}), or scale the columns."
        )
    solution = solved_by(factor, rows.y)
    return Posterior(factor, solution, _value(factor, solution, rows, noise))


def evaluated(covariance: Covariance, rows: ObservedRows) -> Evaluated:
    """The negative log marginal likelihood, infinite where the matrix is not positive; and its gradient."""
    added, noise, diagonal_slopes, noise_slopes = rows.noise(covariance)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        K, slopes = covariance.among_with_slopes(rows.X)
    factor = factor_of(K, added) if np.isfinite(K).all() else None
    if factor is None:
        return Evaluated(np.inf, lambda: np.zeros(len(covariance.theta)))
    solution = solved_by(factor, rows.y)

    def gradient() -> Floats:
        inverse = inverse_of(factor)  # its lower triangle
        own = np.diagonal(inverse)
        found = rows.correction_slopes(noise, noise_slopes)
        with blas_threads_for(factor.size * rows.y.shape[1]):
            for j, (slope, more) in enumerate(zip(slopes, diagonal_slopes, strict=True)):
                trace = 2 * float(np.vdot(inverse, slope)) - float(own @ np.diagonal(slope)) + float(own @ more)
                fitted = float(np.sum(solution * (slope @ solution))) + float(more @ np.sum(solution**2, axis=1))
                found[j] += 0.5 * (fitted - rows.y.shape[1] * trace)
        return -found

    return Evaluated(-_value(factor, solution, rows, noise), gradient)


def _value(factor: Floats, solution: Floats, rows: ObservedRows, noise: Floats) -> float:
    n, q = rows.y.shape
    fitted = -0.5 * float(np.sum(rows.y * solution)) - q * float(np.sum(np.log(np.diagonal(factor))))
    found = fitted - 0.5 * n * q * _LOG_2PI
    return float(found if rows.plain else found + rows.correction(noise))


def factor_of(K: Floats, added: Floats) -> Floats | None:
    """The lower factor, in the place of K; None where K is not positive definite."""
    from scipy.linalg.lapack import dpotrf

    K.flat[:: len(K) + 1] += added
    with blas_threads_for(len(K) ** 3 / 3):
        factor, failed = dpotrf(K.T, lower=False, clean=True, overwrite_a=True)  # the upper one of the transpose
    return None if failed else np.ascontiguousarray(factor.T)


def solved_by(factor: Floats, y: Floats) -> Floats:
    from scipy.linalg.lapack import dpotrs

    with blas_threads_for(factor.size * y.shape[1]):
        found: Floats = dpotrs(factor.T, y, lower=False)[0]
    return np.ascontiguousarray(found)


def inverse_of(factor: Floats) -> Floats:
    """The lower triangle of the inverse, zeros above it."""
    from scipy.linalg.lapack import dpotri

    with blas_threads_for(2 * len(factor) ** 3 / 3):
        found: Floats = dpotri(factor.T, lower=False)[0].T
    return found


def quadratic(factor: Floats, right: Floats) -> Floats:
    """L⁻¹ right, (n, m)."""
    from scipy.linalg.lapack import dtrtrs

    with blas_threads_for(factor.size * right.shape[1]):
        found: Floats = dtrtrs(factor.T, right, lower=False, trans=1)[0]
    return found


def transposed(factor: Floats, right: Floats) -> Floats:
    """L⁻ᵀ right, (n, m)."""
    from scipy.linalg.lapack import dtrtrs

    found: Floats = dtrtrs(factor.T, right, lower=False)[0]
    return np.ascontiguousarray(found)
