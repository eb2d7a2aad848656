"""Least squares from a summary of [X | Y]: what ordinary and ridge regression share.

With the blocks of the scatter matrix, Sxx b = Sxy (+ α b for ridge). The columns are scaled to length 1 before
anything is inverted, so that units do not count as ill-conditioning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...statistics import Moments, RootMoments
from ...typing import Floats

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LeastSquares:
    """Slopes (p, q), intercepts (q,), residual squares (q,), and A = (Sxx + αI)⁻¹ and A Sxx A of each target.

    `spread` (q, p, p) times the noise variance is the covariance of the slopes; `used` (q,) counts the degrees of
    freedom that the slopes use; `condition` is that of the scaled columns, `rank` their numerical rank.
    """

    slope: Floats
    intercept: Floats
    residual: Floats
    spread: Floats
    used: Floats
    rank: int
    condition: float


def solve(summary: Moments | RootMoments, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Regress the columns after the first p on those, with penalty alpha (q,); `centred` fits an intercept."""
    if isinstance(summary, Moments):
        return _from_moments(summary, p, alpha, centred)
    return _from_root(summary, p, alpha, centred)


def _from_moments(summary: Moments, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Solve by the normal equations; loses twice the digits that the columns' condition costs."""
    mean = summary.mean
    S = summary.scatter if centred else summary.scatter + summary.weight * np.outer(mean, mean)
    Sxx, Sxy, Syy = S[:p, :p], S[:p, p:], np.diagonal(S)[p:]
    unit = _unit(np.diagonal(Sxx), mean[:p], summary.weight)
    parts = [_invert(Sxx, a, unit) for a in alpha]
    slope = np.column_stack([part.inverse @ Sxy[:, j] for j, part in enumerate(parts)])
    fitted = 2 * np.einsum("pq,pq->q", slope, Sxy) - np.einsum("pq,pr,rq->q", slope, Sxx, slope)
    return _finish(slope, np.maximum(Syy - fitted, 0.0), parts, mean, centred)


def _from_root(summary: RootMoments, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Solve by the singular values of the QR summary; loses only the digits that the condition costs."""
    mean, root = summary.mean, summary.root
    if not centred:
        root = np.vstack([root, np.sqrt(summary.weight) * mean])
    Rx, Ry = root[:, :p], root[:, p:]
    unit = _unit(np.einsum("rp,rp->p", Rx, Rx), mean[:p], summary.weight)
    parts, slopes = [], []
    for a, target in zip(alpha, Ry.T, strict=True):
        part, slope_of = _invert_root(Rx, a, unit)
        parts.append(part)
        slopes.append(slope_of @ target)
    slope = np.column_stack(slopes)
    residual = np.sum((Ry - Rx @ slope) ** 2, axis=0)
    return _finish(slope, residual, parts, mean, centred)


@dataclass(frozen=True)
class _Inverse:
    inverse: Floats
    spread: Floats
    used: float
    rank: int
    condition: float


def _unit(squares: Floats, mean: Floats, weight: float) -> Floats:
    """The length of each column; 1 where it is only the rounding of a constant."""
    noise = weight * (8 * _EPS * mean) ** 2
    return np.sqrt(np.where(squares > noise, squares, 1.0))


def _invert(Sxx: Floats, alpha: float, unit: Floats) -> _Inverse:
    p = len(Sxx)
    scaled = Sxx / np.outer(unit, unit)
    scaled[np.diag_indices(p)] += alpha / unit**2
    values, vectors = np.linalg.eigh(scaled)
    kept = values > 10 * p * _EPS * max(values[-1], 0.0)
    if not kept.all():
        return _pseudo_inverse(Sxx, alpha)
    W = vectors / unit[:, None]
    inverse = (W / values) @ W.T
    condition = float(np.sqrt(values[-1] / values[0]))
    if alpha == 0:
        return _Inverse(inverse, inverse, float(p), p, condition)
    spread = inverse @ Sxx @ inverse
    return _Inverse(inverse, spread, float(np.sum(inverse * Sxx)), p, condition)


def _invert_root(Rx: Floats, alpha: float, unit: Floats) -> tuple[_Inverse, Floats]:
    """The inverse of Rxᵀ Rx + αI, and the matrix (p, r) that turns a target's root column into its slopes."""
    p, r = len(unit), len(Rx)
    rows = np.vstack([Rx, np.sqrt(alpha) * np.eye(p)]) if alpha > 0 else Rx
    U, s, Vt = np.linalg.svd(rows / unit, full_matrices=False)
    kept = s > max(rows.shape) * _EPS * s[0]
    if kept.sum() < p:  # dependent columns: the smallest slopes are those in the units of the columns
        U, s, Vt = np.linalg.svd(rows, full_matrices=False)
        kept = s > max(rows.shape) * _EPS * s[0]
        unit = np.ones(p)
    V = Vt[kept].T / s[kept] / unit[:, None]
    part = U[:r, kept]
    condition = float(s[0] / s[-1]) if kept.sum() == p else np.inf
    spread = V @ (part.T @ part) @ V.T
    return _Inverse(V @ V.T, spread, float(np.sum(part**2)), int(kept.sum()), condition), V @ part.T


def _pseudo_inverse(Sxx: Floats, alpha: float) -> _Inverse:
    """Columns that depend on each other: of all solutions the one with the smallest slopes."""
    values, vectors = np.linalg.eigh(Sxx)
    values = values + alpha
    kept = values > 10 * len(Sxx) * _EPS * max(values[-1], np.finfo(float).tiny)
    W = vectors[:, kept]
    inverse = (W / values[kept]) @ W.T
    return _Inverse(inverse, inverse @ Sxx @ inverse, float(np.sum(inverse * Sxx)), int(kept.sum()), np.inf)


def _finish(slope: Floats, residual: Floats, parts: list[_Inverse], mean: Floats, centred: bool) -> LeastSquares:
    p = len(slope)
    intercept = mean[p:] - mean[:p] @ slope if centred else np.zeros(slope.shape[1])
    return LeastSquares(
        slope=slope,
        intercept=intercept,
        residual=residual,
        spread=np.stack([part.spread for part in parts]),
        used=np.array([part.used for part in parts]),
        rank=min(part.rank for part in parts),
        condition=max(part.condition for part in parts),
    )
