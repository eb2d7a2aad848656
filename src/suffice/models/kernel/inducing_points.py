"""Gaussian processes by inducing points: sums over rows that add up, and the bound of the likelihood that they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.blas import blas_threads_for
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...errors import InvalidData
from ...typing import Floats
from .covariance import OwnCovariance
from .hyperparameters import Evaluated
from .marginal_likelihood import factor_of, inverse_of, quadratic, solved_by

_BLOCK_CELLS = 1 << 21
_JITTER = 1e-8  # of the mean diagonal of the points' own matrix
_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Inducing:
    """m points Z (m, d) that stand for the rows of a source, with targets (y − middle) / unit and noise alpha."""

    Z: Floats
    source: Source
    alpha: float
    middle: Floats
    unit: Floats

    def sums(self, covariance: OwnCovariance, factor: Floats, slopes: bool) -> list[Sums]:
        """The sums over the rows, and, if asked, their derivatives in theta while the factor stays as it is."""
        m, q = len(self.Z), len(self.unit)
        count = 1 + (len(covariance.theta) if slopes else 0)
        total = self.source.reduce(lambda chunk: self._of_chunk(chunk, covariance, factor, count))
        return [Sums.unpacked(part, m, q) for part in total.reshape(count, -1)]

    def _of_chunk(self, chunk: Chunk, covariance: OwnCovariance, factor: Floats, count: int) -> Floats:
        height = max(1, _BLOCK_CELLS // len(self.Z))
        cut = (chunk.rows(at, at + height) for at in range(0, len(chunk), height))
        return np.asarray(sum(self._of_rows(part, covariance, factor, count) for part in cut))

    def _of_rows(self, chunk: Chunk, covariance: OwnCovariance, factor: Floats, count: int) -> Floats:
        X, weight = np.asarray(chunk.X, dtype=np.float64), given_or_ones(chunk.weight, len(chunk))
        y = (np.asarray(chunk.y, dtype=np.float64).reshape(len(chunk), -1) - self.middle) / self.unit
        own, own_slopes = covariance.noise(X)
        noise = self.alpha + own
        if not np.all(noise > 0):
            raise InvalidData(
                "GaussianProcessRegressor: inducing points need noise; give an alpha above 0, or a kernel with noise."
            )
        K, K_slopes = covariance.between_with_slopes(X, self.Z)
        diagonal, diagonal_slopes = covariance.diagonal_with_slopes(X)
        p = weight / noise  # (c,)
        with blas_threads_for(K.size * len(self.Z) * count):
            U = quadratic(factor, K.T)  # L⁻¹ k of each row, (m, c)
            left = diagonal - np.sum(U**2, axis=0)
            found = [Sums((U * p) @ U.T, (U * p) @ y, p @ y**2, float(p @ left), _log(weight, noise))]
            for j in range(count - 1):
                turn = -p * own_slopes[j] / noise  # of p
                V = quadratic(factor, K_slopes[j].T)
                half = (V * p) @ U.T
                found.append(Sums(
                    half + half.T + (U * turn) @ U.T,
                    (V * p + U * turn) @ y,
                    turn @ y**2,
                    float(p @ (diagonal_slopes[j] - 2 * np.sum(U * V, axis=0)) + turn @ left),
                    float(weight @ (own_slopes[j] / noise)),
                ))  # fmt: skip
        return np.concatenate([part.packed() for part in found])

    def factor(self, covariance: OwnCovariance) -> Floats | None:
        """The factor L of the kernel matrix of the points, with a little on its diagonal."""
        K = with_jitter(covariance.between(self.Z, self.Z.copy()))
        return factor_of(K, np.zeros(len(K))) if np.isfinite(K).all() else None

    def evaluated(self, covariance: OwnCovariance) -> Evaluated:
        """The negative bound of the log marginal likelihood, and its gradient."""
        failed = Evaluated(np.inf, lambda: np.zeros(len(covariance.theta)))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            L = self.factor(covariance)
            if L is None:
                return failed
            total, *slopes = self.sums(covariance, L, True)
        outer = factor_of(total.A.copy(), np.ones(len(L))) if np.isfinite(total.A).all() else None
        if outer is None:
            return failed
        S, beta, q = _symmetric(inverse_of(outer)), solved_by(outer, total.b), len(self.unit)
        fitted = float(np.sum(total.squares) - np.sum(total.b * beta))
        value = 0.5 * (q * (total.log + 2 * float(np.sum(np.log(np.diagonal(outer)))) + total.left) + fitted)

        def gradient() -> Floats:
            found = np.empty(len(slopes))
            own = covariance.between_with_slopes(self.Z, self.Z.copy())[1]
            for j, (slope, part) in enumerate(zip(own, slopes, strict=True)):
                D = quadratic(L, quadratic(L, with_jitter(slope)).T)  # L⁻¹ dK L⁻ᵀ
                both = D + part.A
                moved = float(np.sum(part.squares) - 2 * np.sum(part.b * beta) + np.sum(beta * (both @ beta)))
                determinants = float(np.vdot(S, both) - np.trace(D))
                found[j] = 0.5 * (q * (part.log + determinants + part.left + float(np.vdot(total.A, D))) + moved)
            return found

        return Evaluated(float(value), gradient)


@dataclass(frozen=True)
class Sums:
    """Σ p u uᵀ (m, m), Σ p u yᵀ (m, q), Σ p y² (q,), Σ p (k(x, x) − u·u) and Σ w log 2πν, with p = w / ν.

    u = L⁻¹ k, where L is the factor of the points' own matrix: in these coordinates nothing is ill-conditioned.
    """

    A: Floats
    b: Floats
    squares: Floats
    left: float
    log: float

    def packed(self) -> Floats:
        """All of them in a row: arrays add up."""
        return np.concatenate([self.A.ravel(), self.b.ravel(), self.squares, [self.left, self.log]])

    @classmethod
    def unpacked(cls, values: Floats, m: int, q: int) -> Sums:
        """The same from a row."""
        A, b, rest = np.split(values, [m * m, m * m + m * q])
        return cls(A.reshape(m, m), b.reshape(m, q), rest[:q], float(rest[-2]), float(rest[-1]))


def _log(weight: Floats, noise: Floats) -> float:
    return float(weight @ (np.log(noise) + _LOG_2PI))


def with_jitter(K: Floats) -> Floats:
    """A matrix with a share of its mean diagonal added to it; of a derivative the derivative of that."""
    K.flat[:: len(K) + 1] += _JITTER * float(np.mean(np.diagonal(K)))
    return K


def _symmetric(lower: Floats) -> Floats:
    found = lower + lower.T
    found.flat[:: len(found) + 1] /= 2
    return found
