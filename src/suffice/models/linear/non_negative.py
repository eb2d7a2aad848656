"""Least squares with slopes of at least 0, from a summary of [X | Y]."""

from __future__ import annotations

import numpy as np

from ...statistics import Moments, RootMoments, SparseRows
from ...typing import Floats
from .inverse import EPS, underflows, unit_of_root
from .least_squares import CONDITION_LIMIT, LeastSquares, root_of, scatter_of


def non_negative(summary: Moments | RootMoments | SparseRows, p: int, alpha: Floats, centred: bool) -> LeastSquares:
    """Regress the columns after the first p on those, by the active sets of Lawson and Hanson (1974)."""
    from scipy.optimize import nnls

    mean, root = summary.mean, _root(summary, centred)
    Rx, Ry = root[:, :p], root[:, p:]
    unit = unit_of_root(Rx, mean[:p], summary.weight)
    sound = not (isinstance(summary, Moments) and underflows(summary.scatter[:p]))
    slope, below = np.empty((p, len(alpha))), np.zeros(p)
    for k, strength in enumerate(alpha):
        A = Rx / unit if strength == 0 else np.vstack([Rx / unit, np.diag(np.sqrt(strength) / unit)])
        slope[:, k] = nnls(A, Ry[:, k] if strength == 0 else np.append(Ry[:, k], below), maxiter=30 * p + 100)[0] / unit
    lengths = np.linalg.svd(Rx / unit, compute_uv=False)
    return LeastSquares(
        slope=slope,
        intercept=mean[p:] - mean[:p] @ slope if centred else np.zeros(len(alpha)),
        residual=np.sum((Ry - Rx @ slope) ** 2, axis=0),
        rank=p,
        well_conditioned=sound and bool(len(lengths) and lengths[-1] * CONDITION_LIMIT >= lengths[0]),
    )


def _root(summary: Moments | RootMoments | SparseRows, centred: bool) -> Floats:
    """R with RᵀR the sums of products of all columns, (r, p + q)."""
    if isinstance(summary, RootMoments):
        return root_of(summary, centred)
    S = scatter_of(summary if isinstance(summary, Moments) else summary.squared(), centred)
    unit = np.sqrt(np.where(np.diagonal(S) > 0, np.diagonal(S), 1.0))
    values, vectors = np.linalg.eigh(S / np.outer(unit, unit))
    kept = values > len(values) * EPS * values[-1]
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T * unit)
