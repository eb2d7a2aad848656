"""Slopes of columns that depend on each other: the same predictor with fewer of them, at no greater cost."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrs, dpstrf

from ..backend.blas import blas_threads_for
from ..typing import Flags, Floats

_RANK = 1e-11  # of the square of a column: less left by those before it is taken for rounding


def thinned(system: Floats, right: Floats, own: Floats, held: Flags) -> Floats | None:
    """Slopes (m,) of which none depends on the others any more, where the equations of all are singular; else None.

    Along directions that the system does not see, the objective is a straight line of slope −right·v: each is followed
    the way it falls, until the first of the `held` slopes is 0. It is taken out of the directions that are left.
    """
    free = _unseen(system)
    if free is None:
        return None
    found = own.copy()
    while free.shape[1]:
        v = free[:, 0] if right @ free[:, 0] >= 0 else -free[:, 0]
        falling = held & (found * v < 0)
        if not falling.any():
            return None
        reach = np.where(falling, -found / np.where(falling, v, 1.0), np.inf)
        first = int(np.argmin(reach))
        found += reach[first] * v
        found[first] = 0.0
        free = free[:, 1:] - np.outer(v, free[first, 1:] / v[first])
        free[first] = 0.0
    return found


def _unseen(system: Floats) -> Floats | None:
    """Directions (m, m − rank) with system · v = 0: of each column that depends on others, by Cholesky with pivots."""
    m, diagonal = len(system), np.diagonal(system)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = system / unit / unit[:, None]
    with blas_threads_for(m**3 / 3):
        factor, order, rank, _ = dpstrf(scaled, tol=_RANK)
        if not 0 < rank < m:
            return None
        basis, others = order[:rank] - 1, order[rank:] - 1
        by = dpotrs(np.asfortranarray(factor[:rank, :rank]), scaled[np.ix_(basis, others)], lower=False)[0]
    free = np.zeros((m, m - rank))
    free[basis] = -by
    free[others, np.arange(m - rank)] = 1.0
    return free / unit[:, None]
