"""What the uncertainty of slopes follows from: A = (Sxx + αI)⁻¹, and A Sxx A, from the scatter matrix or its root."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Flags, Floats
from .estimable import Estimable

EPS = float(np.finfo(np.float64).eps)
_LEAST_SQUARES = float(np.finfo(np.float64).tiny) / EPS  # sums of products below have lost digits


@dataclass(frozen=True)
class Inverse:
    """A (p, p), A Sxx A (p, p), the degrees of freedom that slopes use, the rank and the condition of scaled columns.

    A Sxx A times the noise variance is the covariance of the slopes.
    """

    inverse: Floats
    spread: Floats
    used: float
    rank: int
    condition: float
    estimable: Estimable | None = None  # where columns depend on each other; None where every slope is determined

    @property
    def known(self) -> Flags:
        """Whether each slope is determined, so that it has an error."""
        return np.ones(len(self.spread), dtype=bool) if self.estimable is None else self.estimable.each

    @property
    def variances(self) -> Floats:
        """Of the slopes, in units of the noise; below 0 they are rounding, of columns that a penalty alone holds."""
        return np.where(self.known, np.maximum(np.diagonal(self.spread), 0.0), np.nan)

    @property
    def covariance(self) -> Floats:
        """Of the slopes, in units of the noise; NaN for those that the rows do not determine."""
        return self.spread if self.estimable is None else np.where(np.outer(*(self.known,) * 2), self.spread, np.nan)

    def variance_of(self, functions: Floats) -> Floats:
        """Of linear functions of the slopes (n, p), in units of the noise; NaN where the rows do not determine them."""
        found = np.einsum("np,np->n", functions @ self.spread, functions)
        return determined(found, functions, self.estimable)


def determined(variance: Floats, functions: Floats, estimable: Estimable | None) -> Floats:
    """The variances (n,) of functions (n, p), at least 0; NaN where the rows do not determine the function."""
    variance = np.maximum(variance, 0.0)
    return variance if estimable is None else np.where(estimable.contains(functions), variance, np.nan)


def with_intercept(found: Inverse, mean: Floats, weight: float) -> Inverse:
    """The same of slopes and, last, of the intercept, by that of the slopes about the curved mean."""
    estimable = found.estimable
    if estimable is not None:
        scale = estimable.into
        estimable = Estimable(estimable.directions, np.vstack([np.diag(scale), -mean * scale]))
    inverse, spread = (_bordered(part, mean, weight) for part in (found.inverse, found.spread))
    return Inverse(inverse, spread, found.used + 1, found.rank + 1, found.condition, estimable)


def _bordered(spread: Floats, mean: Floats, weight: float) -> Floats:
    beside = -spread @ mean
    corner = 1 / weight - float(mean @ beside)
    return np.block([[spread, beside[:, None]], [beside[None, :], np.array([[corner]])]])


def unit_of(scatter: Floats, mean: Floats, weight: float) -> Floats:
    """The length of each column by the diagonal of its products; 1 where it is only the rounding of a constant."""
    return _unless_constant(np.sqrt(np.maximum(np.diagonal(scatter), 0.0)), mean, weight)


def unit_of_root(root: Floats, mean: Floats, weight: float) -> Floats:
    """The same by a root of the products, whose squares may underflow."""
    largest = np.abs(root).max(axis=0, initial=0.0)
    scaled = root / np.where(largest > 0, largest, 1.0)
    return _unless_constant(largest * np.sqrt(np.einsum("rp,rp->p", scaled, scaled)), mean, weight)


def _unless_constant(length: Floats, mean: Floats, weight: float) -> Floats:
    return np.where(length > np.sqrt(weight) * 8 * EPS * np.abs(mean), length, 1.0)


def underflows(scatter: Floats, above: float = -np.inf) -> bool:
    """Whether some column is so small that its squares, larger than `above`, have lost digits; also a constant one."""
    squares = np.diagonal(scatter)
    return bool(np.any((squares < _LEAST_SQUARES) & (squares > above)))


def above_penalty(unit: Floats, alpha: float) -> Floats:
    """Units of columns by which a penalty can be divided twice."""
    found: Floats = np.maximum(unit, 1e-140 * np.sqrt(alpha))
    return found


def scaled_system(Sxx: Floats, alpha: float, unit: Floats) -> Floats:
    """Sxx + αI with the columns scaled to length 1."""
    scaled = Sxx / unit
    scaled /= unit[:, None]
    scaled.flat[:: len(unit) + 1] += alpha / unit**2
    return scaled


def inverted(Sxx: Floats, alpha: float, unit: Floats) -> Inverse:
    """By the eigenvalues of the scaled columns."""
    p, unit = len(Sxx), above_penalty(unit, alpha)
    values, vectors = np.linalg.eigh(scaled_system(Sxx, alpha, unit))
    kept = values > 10 * p * EPS * max(values[-1], 0.0)
    if not kept.all():
        return _pseudo_inverted(Sxx, alpha, Estimable(vectors[:, kept].T, 1 / unit))
    W = vectors / unit[:, None]
    inverse = (W / values) @ W.T
    condition = float(np.sqrt(values[-1] / values[0]))
    if alpha == 0:
        return Inverse(inverse, inverse, float(p), p, condition)
    return Inverse(inverse, inverse @ Sxx @ inverse, float(np.sum(inverse * Sxx)), p, condition)


def inverted_root(Rx: Floats, alpha: float, unit: Floats) -> tuple[Inverse, Floats]:
    """Of Sxx = Rxᵀ Rx by singular values, and the matrix (p, r) that turns a target's root column into its slopes."""
    p, r = len(unit), len(Rx)
    rows = np.vstack([Rx, np.sqrt(alpha) * np.eye(p)]) if alpha > 0 else Rx
    U, s, Vt = np.linalg.svd(rows / unit, full_matrices=False)
    kept = s > max(rows.shape) * EPS * s[0]
    estimable = None
    if kept.sum() < p:  # dependent columns: the smallest slopes are those in the units of the columns
        estimable = Estimable(Vt[kept], 1 / unit)
        U, s, Vt = np.linalg.svd(rows, full_matrices=False)
        kept = s > max(rows.shape) * EPS * s[0]
        unit = np.ones(p)
    V = Vt[kept].T / s[kept] / unit[:, None]
    part, rank = U[:r, kept], int(kept.sum())
    condition = float(s[0] / s[-1]) if rank == p else np.inf
    spread, used = V @ (part.T @ part) @ V.T, float(np.sum(part**2)) if alpha > 0 else float(rank)
    return Inverse(V @ V.T, spread, used, rank, condition, _of_rank(estimable, rank)), V @ part.T


def _of_rank(estimable: Estimable | None, rank: int) -> Estimable | None:
    """What scaled columns determine; nothing where the smallest slopes have another rank: small columns are lost."""
    if estimable is None or len(estimable.directions) == rank:
        return estimable
    return Estimable(estimable.directions[:0], estimable.into)


def _pseudo_inverted(Sxx: Floats, alpha: float, estimable: Estimable) -> Inverse:
    """Columns that depend on each other: of all solutions the one with the smallest slopes."""
    values, vectors = np.linalg.eigh(Sxx)
    values = values + alpha
    kept = values > 10 * len(Sxx) * EPS * max(values[-1], np.finfo(float).tiny)
    W = vectors[:, kept]
    inverse = (W / values[kept]) @ W.T
    rank = int(kept.sum())
    used = float(np.sum(inverse * Sxx)) if alpha > 0 else float(rank)
    return Inverse(inverse, inverse @ Sxx @ inverse, used, rank, np.inf, _of_rank(estimable, rank))
