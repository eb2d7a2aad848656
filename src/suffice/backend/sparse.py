"""Kernels for the rows of CSR matrices. Each has its portable form beside it, which is the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import native
from .dispatch import is_native
from .threads import thread_count
from .weights import doubles, given_or_ones

Floats = NDArray[np.float64]


def group_sums(X: Any, group: NDArray[np.int64], groups: int, weight: Any = None) -> Floats:
    """The weighted sum of the rows of each group, (groups, d); `group` numbers them from 0."""
    sums = np.zeros((groups, X.shape[1]))
    if not is_native(X.data):
        each = given_or_ones(weight, X.shape[0])
        for g in range(groups):
            sums[g] = X.T @ np.where(group == g, each, 0.0)
        return sums
    order = np.argsort(group.astype(np.int16) if groups < 2**15 else group, kind="stable")  # short codes: radix sort
    ends = np.cumsum(np.bincount(group, minlength=groups))
    native.kernels().sparse_group_sums(*_parts(X), order, ends, doubles(weight), X.shape[1], thread_count(), sums)
    return sums


def affine(X: Any, matrix: Floats, offset: Floats) -> Floats:
    """X matrix + offset, (n, k); a matrix that is `padded` already need not be copied."""
    k = len(offset)
    if not is_native(X.data):
        return np.asarray(X @ matrix[:, :k] + offset)
    out = np.empty((X.shape[0], k))
    native.kernels().sparse_affine(*_parts(X), padded(matrix), doubles(offset), thread_count(), out)
    return out


def padded(matrix: Floats) -> Floats:
    """The matrix with columns of zeros up to a multiple of 8, so that each row is whole vectors."""
    d, k = matrix.shape
    if k % 8 == 0:
        return np.ascontiguousarray(matrix)
    wide = np.zeros((d, k + 8 - k % 8))
    wide[:, :k] = matrix
    return wide


def _parts(X: Any) -> tuple[Any, Any, Any]:
    """Values, columns and row starts, the last two of one type."""
    kind = np.promote_types(X.indices.dtype, X.indptr.dtype)
    columns, starts = X.indices.astype(kind, copy=False), X.indptr.astype(kind, copy=False)
    return np.ascontiguousarray(X.data), np.ascontiguousarray(columns), np.ascontiguousarray(starts)
