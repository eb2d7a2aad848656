"""Distances of sparse rows from their inner products."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..backend.arrays import Array
from ..errors import squares_overflow
from ..typing import Floats

_CLOSE = 1e-4  # below this part of the norms, ‖x‖² + ‖y‖² − 2 x·y has lost too many digits


def as_rows(X: Array) -> Array:
    """The rows as a CSR matrix in double precision."""
    return sparse.csr_array(X, dtype=np.float64)


def inner(A: Array, B: Array) -> Floats:
    """The inner products of sparse rows, (n, m)."""
    return np.asarray((A @ B.T).toarray())


def squared_norms(A: Array, owner: str = "Euclidean") -> Floats:
    """Σⱼ xⱼ² of sparse rows, (n,); infinite ones are refused."""
    with np.errstate(over="ignore"):
        norms = np.asarray(A.multiply(A).sum(axis=1)).ravel()
    if np.isinf(norms).any():
        raise squares_overflow(owner)
    return norms


def squared_by_dots(X: Array, Y: Array | None) -> Array:
    """‖x − y‖² (n, m) of sparse rows, in the type of X; pairs that are close are computed by their differences."""
    A = as_rows(X)
    B = A if Y is None else as_rows(Y)
    size = squared_norms(A)[:, None] + squared_norms(B)
    values = size - 2 * inner(A, B)
    at = np.nonzero(values <= _CLOSE * size)
    if at[0].size:
        values[at] = squared_norms(A[at[0]] - B[at[1]])
    return values.astype(X.dtype, copy=False)
