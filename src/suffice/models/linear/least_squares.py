"""Least squares from a summary of [X | Y]: the slopes of ordinary and ridge regression.

With the blocks of the scatter matrix, (Sxx + αI) b = Sxy. Where there are no more rows than columns, the rows of the
root R take the place of the columns: b = Rᵀ (R Rᵀ + αI)⁻¹ y. The columns are scaled to length 1 before anything is
inverted, so that units do not count as ill-conditioning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...solvers.systems import factored, substituted
from ...statistics import Moments, RootMoments, SparseRows
from ...statistics.sparse_rows import SparseRoot
from ...typing import Floats, Whole
from .inverse import EPS, above_penalty, inverted, inverted_root, scaled_system, underflows, unit_of, unit_of_root
from .iterations import by_iterations
from .orthogonal_rows import by_orthogonal_rows

Root = Floats | SparseRoot
WHOLE = 3000  # rows or columns of sparse tables, of which a matrix of all products is made; more are left to iterations

# Above this condition number of the scaled columns the normal equations would cost more than six of the sixteen
# digits, and `auto` makes a second pass for the QR summary.
CONDITION_LIMIT = 1e3
_MANY_ROWS = 0.2  # as a share of the columns: for more, the decomposition of rows takes less time than their products
_SMALL_ROWS = 1e-100
_ROWS_LIMIT = 1e11  # of the rows' products with a penalty: refinement still gains digits; above it singular values


@dataclass(frozen=True)
class LeastSquares:
    """Slopes (p, q), intercepts (q,), residual squares (q,), and the numerical rank of the columns.

    `well_conditioned` says whether the condition number of the scaled columns is below `CONDITION_LIMIT`.
    """

    slope: Floats
    intercept: Floats
    residual: Floats
    rank: int
    well_conditioned: bool


@dataclass(frozen=True)
class _Slopes:
    """The slopes of targets with the same penalty, (p, targets)."""

    slope: Floats
    rank: int
    well_conditioned: bool


def solve(summary: Moments | RootMoments | SparseRows, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Regress the columns after the first p on those, with penalty alpha (q,); `centred` fits an intercept."""
    if isinstance(summary, SparseRows):
        return _from_sparse(summary, p, alpha, centred)
    if isinstance(summary, Moments):
        return _from_moments(summary, p, alpha, scatter_of(summary, centred), centred)
    return _from_root(summary, p, alpha, centred)


def scatter_of(summary: Moments, centred: bool) -> Floats:
    """The sums of products about the mean, or about the origin."""
    mean = summary.mean
    return summary.scatter if centred else summary.scatter + summary.weight * np.outer(mean, mean)


def root_of(summary: RootMoments, centred: bool) -> Floats:
    """A root of these sums."""
    if centred:
        return summary.root
    return np.vstack([summary.root, np.sqrt(summary.weight) * summary.mean])


def _from_moments(summary: Moments | SparseRows, p: int, alpha: Floats, S: Floats, centred: bool) -> LeastSquares:
    """Solve by the normal equations; loses twice the digits that the columns' condition costs."""
    mean = summary.mean
    Sxx, Sxy, Syy = S[:p, :p], S[:p, p:], np.diagonal(S)[p:]
    unit = unit_of(Sxx, mean[:p], summary.weight)
    parts = [(own, _by_columns(Sxx, Sxy[:, own], a, unit)) for a, own in _alike(alpha)]
    slope = _together(parts, p, len(alpha))
    fitted = 2 * np.einsum("pq,pq->q", slope, Sxy) - np.einsum("pq,pq->q", slope, Sxx @ slope)
    return _finish(slope, np.maximum(Syy - fitted, 0.0), parts, mean, centred)


def _from_root(summary: RootMoments, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Solve by the root, without squaring it where that would cost digits."""
    mean, root = summary.mean, root_of(summary, centred)
    Rx, Ry = root[:, :p], root[:, p:]
    if len(Rx) <= p:
        parts = [(own, _by_rows(Rx, Ry[:, own], a)) for a, own in _alike(alpha)]
    else:
        unit = unit_of_root(Rx, mean[:p], summary.weight)
        parts = [(own, _by_singular_values(Rx, Ry[:, own], a, unit)) for a, own in _alike(alpha)]
    slope = _together(parts, p, len(alpha))
    residual = np.sum((Ry - Rx @ slope) ** 2, axis=0)
    return _finish(slope, residual, parts, mean, centred)


def _from_sparse(summary: SparseRows, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Solve by iterations; where these take long, by the products of the columns or of the rows if they are few."""
    root = SparseRoot.of(summary, centred)
    patient, parts = min(root.shape) > WHOLE, []
    for a, own in _alike(alpha):
        slope = by_iterations(root, root.beside[:, own], a, patient)
        if slope is not None:
            parts.append((own, _Slopes(slope, p if a > 0 else min(p, root.shape[0]), True)))
        elif root.shape[0] <= p:
            parts.append((own, _by_rows(root, root.beside[:, own], a)))
        else:
            return _from_moments(summary, p, alpha, root.scatter(), centred)
    slope = _together(parts, p, len(alpha))
    return _finish(slope, np.sum((root.beside - root @ slope) ** 2, axis=0), parts, summary.mean, centred)


def _alike(alpha: Floats) -> Iterator[tuple[float, Whole]]:
    """Each penalty, with the targets that have it."""
    for value in np.unique(alpha):
        yield float(value), np.flatnonzero(alpha == value)


def _by_columns(Sxx: Floats, Sxy: Floats, alpha: float, unit: Floats) -> _Slopes:
    """By Cholesky's decomposition; where the columns are close to dependent, by eigenvalues."""
    p, sound = len(Sxx), alpha > 0 or not underflows(Sxx)
    unit = above_penalty(unit, alpha)
    factor, condition = factored(scaled_system(Sxx, alpha, unit))
    if condition <= CONDITION_LIMIT**2:
        return _Slopes(substituted(factor, Sxy / unit[:, None]) / unit[:, None], p, sound)
    part = inverted(Sxx, alpha, unit)
    return _Slopes(part.inverse @ Sxy, part.rank, sound and part.condition <= CONDITION_LIMIT)


def _by_singular_values(Rx: Floats, Ry: Floats, alpha: float, unit: Floats) -> _Slopes:
    part, slope_of = inverted_root(Rx, alpha, unit)
    return _Slopes(slope_of @ Ry, part.rank, part.condition <= CONDITION_LIMIT)


def _by_rows(Rx: Root, Ry: Floats, alpha: float) -> _Slopes:
    """With no more rows than columns: of all solutions the one with the smallest slopes."""
    r, p = Rx.shape
    if alpha == 0 and not isinstance(Rx, SparseRoot):
        largest = float(np.abs(Rx).max(initial=0.0))
        if 0 < largest < _SMALL_ROWS:  # whose products would underflow
            found = _by_rows(Rx / largest, Ry, alpha)
            return replace(found, slope=found.slope / largest)
    if alpha == 0 and not isinstance(Rx, SparseRoot) and r > _MANY_ROWS * p:
        by_qr = by_orthogonal_rows(Rx, Ry)
        if by_qr is not None:
            return _Slopes(*by_qr, True)
    gram = Rx.products() if isinstance(Rx, SparseRoot) else Rx @ Rx.T
    if alpha > 0:
        gram.flat[:: r + 1] += alpha
        factor, condition = factored(gram)
        if condition <= _ROWS_LIMIT:
            times = 0 if condition <= CONDITION_LIMIT**2 else 2
            return _Slopes(_refined(factor, Rx, Ry, alpha, times), p, True)
    else:
        values, vectors = np.linalg.eigh(gram)
        kept = values > values[-1] / CONDITION_LIMIT**2
        if np.all(np.abs(values[~kept]) <= 10 * p * EPS * values[-1]):  # the others are only rounding
            own = vectors[:, kept]
            slope = _back(Rx, own @ ((own.T @ Ry) / values[kept][:, None]))
            return _Slopes(slope, int(kept.sum()), True)
    return _by_thin_singular_values(Rx.toarray() if isinstance(Rx, SparseRoot) else Rx, Ry, alpha)


def _back(Rx: Root, U: Floats) -> Floats:
    """Rxᵀ U."""
    return Rx.back(U) if isinstance(Rx, SparseRoot) else Rx.T @ U


def _by_thin_singular_values(Rx: Floats, Ry: Floats, alpha: float) -> _Slopes:
    U, s, Vt = np.linalg.svd(Rx, full_matrices=False)
    noise = sum(Rx.shape) * EPS * s[0]
    kept = s > noise
    U, s, Vt = U[:, kept], s[kept], Vt[kept]
    slope = Vt.T @ ((s / (s**2 + alpha))[:, None] * (U.T @ Ry))
    return _Slopes(slope, Rx.shape[1] if np.sqrt(alpha) > noise else len(s), True)


def _refined(factor: Floats, Rx: Root, Ry: Floats, alpha: float, times: int) -> Floats:
    """Rxᵀ a with (Rx Rxᵀ + αI) a = Ry: residuals by way of the slopes have the digits that the products have lost."""
    a = substituted(factor, Ry)
    for _ in range(times):
        a += substituted(factor, Ry - Rx @ _back(Rx, a) - alpha * a)
    return _back(Rx, a)


def _together(parts: list[tuple[Whole, _Slopes]], p: int, q: int) -> Floats:
    slope = np.empty((p, q))
    for own, part in parts:
        slope[:, own] = part.slope
    return slope


def _finish(
    slope: Floats, residual: Floats, parts: list[tuple[Whole, _Slopes]], mean: Floats, centred: bool
) -> LeastSquares:
    p = len(slope)
    return LeastSquares(
        slope=slope,
        intercept=mean[p:] - mean[:p] @ slope if centred else np.zeros(slope.shape[1]),
        residual=residual,
        rank=min(part.rank for _, part in parts),
        well_conditioned=all(part.well_conditioned for _, part in parts),
    )
