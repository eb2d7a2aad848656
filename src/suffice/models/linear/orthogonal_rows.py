"""The smallest slopes of least squares where there are no more rows than columns, by a QR decomposition of the rows."""

from __future__ import annotations

import numpy as np

from ...typing import Floats
from .inverse import EPS

_CONDITION = 1e8  # of the rows: below it half of the digits are left, and nothing else could be meant by the rank


def by_orthogonal_rows(Rx: Floats, Ry: Floats) -> tuple[Floats, int] | None:
    """The slopes (p, q) and the rank of rows Rx (r, p), r ≤ p; None where they take a closer look.

    With Rxᵀ = Q R, the slopes are b = Q c with Rᵀ c = y. Centred rows sum to 0, so that the last one follows from the
    others: then c has a number less than there are equations, and least squares decide.
    """
    from scipy.linalg.lapack import dgeqrf, dormqr

    (r, p), q = Rx.shape, Ry.shape[1]
    packed, tau, *_ = dgeqrf(np.array(Rx.T, order="F"), overwrite_a=True)
    size = np.abs(np.diagonal(packed))
    rank = r - 1 if size[-1] <= 10 * p * EPS * size.max() else r
    if not rank or not _condition(packed[:rank, :rank]) < _CONDITION:
        return None
    c = np.zeros((p, q), order="F")
    c[:rank] = _coordinates(packed[:rank, :r], Ry, rank)
    slope: Floats = dormqr("L", "N", packed, tau, c, 64 * max(q, 1))[0]
    return slope, rank


def _condition(R: Floats) -> float:
    """Of an upper triangular matrix, in the 1-norm."""
    from scipy.linalg.lapack import dtrcon

    reciprocal = float(dtrcon(np.asfortranarray(R))[0])
    return 1 / reciprocal if reciprocal > 0 else np.inf


def _coordinates(R: Floats, y: Floats, rank: int) -> Floats:
    """c (rank, q) with Rᵀ c = y (r, q), or as near as may be where R (rank, r) has a column more than rows."""
    from scipy.linalg import solve_triangular

    own, first = R[:, :rank], y[:rank]
    if rank < len(
        y
    ):  # the last equation is gᵀ z = y₂ with z = Lᵀ c near the others y₁: z = y₁ + g (y₂ − gᵀy₁) / (1 + gᵀg)
        g = solve_triangular(own, R[:, rank], check_finite=False)
        first = first + np.outer(g, (y[rank] - g @ first) / (1 + g @ g))
    found: Floats = solve_triangular(own, first, trans="T", check_finite=False)
    return found
