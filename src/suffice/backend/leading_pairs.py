"""A few leading eigenvectors of a symmetric matrix whose products are slow: Lanczos' method with two vectors at a time.

A wide block, as in `leading`, needs more products in all; a pair needs about as many as one vector, in half the reads
of the matrix, and finds eigenvalues that come twice.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..typing import Floats

_DIMENSIONS, _A_VECTOR = 100, 20  # of the space at most, and more for each vector asked for
_LOOK, _PART = 1.25, 0.6  # times the dimensions at which it looked last, at most; of those that it is expected to take


def leading_by_pairs(
    times: Callable[[Floats], Floats], start: Floats, k: int, residual: float
) -> tuple[Floats, Floats] | None:
    """The k largest eigenvalues, falling, and their vectors; `times` multiplies two columns, such as `start` (n, 2).

    Every |A v − λ v| is at most `residual` λ; None where the space grows too large before.
    """
    n = len(start)
    most = min(n - 2, _DIMENSIONS + _A_VECTOR * k) // 2 * 2
    V, T = np.empty((n, most + 2), order="F"), np.zeros((most, most))
    V[:, :2], look, before = np.linalg.qr(start)[0], 3.0 * k, (0, 0.0)
    for m in range(2, most + 1, 2):
        new = times(V[:, m - 2 : m])
        V[:, m : m + 2], T[:m, m - 2 : m], beyond = orthonormal(new, V[:, :m])
        T[m - 2 : m, :m] = T[:m, m - 2 : m].T
        if m < look and m < most:
            continue
        values, within = np.linalg.eigh(T[:m, :m])
        values, within = values[: -k - 1 : -1], within[:, : -k - 1 : -1]
        left = np.linalg.norm(beyond @ within[-2:], axis=0)  # the residuals, by the last rows of the space
        if np.all(left <= residual * values):
            return values, V[:, :m] @ within
        if not np.abs(np.diagonal(beyond)).min() > residual * np.abs(values).max():  # the space is exhausted
            return None
        digits = float(np.log(np.max(left / (residual * np.abs(values))))) if np.all(values != 0) else np.inf
        look, before = max(m + 2, _next_look(m, digits, *before)), (m, digits)
    return None


def _next_look(m: int, digits: float, m_before: int, digits_before: float) -> float:
    """The dimensions at which so many digits of the residuals may be gained, as fast as they were between two looks."""
    speed = (digits_before - digits) / (m - m_before)
    return min(_LOOK * m, m + _PART * digits / speed) if m_before and speed > 0 else _LOOK * m


def orthonormal(block: Floats, V: Floats) -> tuple[Floats, Floats, Floats]:
    """Q, C and R of a block that is V C + Q R: twice, for what rounding leaves the first time."""
    inner = V.T @ block
    rest = block - V @ inner
    more = V.T @ rest
    Q, R = np.linalg.qr(rest - V @ more)
    return Q, inner + more, R
