"""The kernels for the rows of CSR matrices; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import CSR, Floats, Numbers, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles, small_factorials


def group_sums(
    X: Numbers, group: Whole, groups: int, weight: Floats | None = None, rows: Whole | None = None
) -> Floats:
    """The weighted sum of the rows of each group."""
    sums = np.zeros((groups, X.shape[1]))
    order = np.argsort(group.astype(np.int16) if groups < 2**15 else group, kind="stable")  # short codes: radix sort
    ends = np.cumsum(np.bincount(group, minlength=groups))
    own = np.arange(X.shape[0]) if rows is None else rows.astype(np.int64, copy=False)
    kernels().sparse_group_sums(*parts(X), own, order, ends, doubles(weight), X.shape[1], thread_count(), sums)
    return sums


def column_moments(X: CSR, weight: Floats | None = None) -> tuple[Floats, Floats, Floats]:
    """Weight, mean and centred squares of the cells of each column that are not NaN."""
    n, d = X.shape
    total, mean, scatter = np.empty(d), np.empty(d), np.empty(d)
    all_rows = float(n if weight is None else weight.sum())
    kernels().sparse_column_moments(*parts(X), doubles(weight), all_rows, thread_count(), total, mean, scatter)
    return total, mean, scatter


def column_products(X: CSR) -> Floats:
    """The products of all columns."""
    out = np.zeros((X.shape[1], X.shape[1]))
    kernels().sparse_column_products(*parts(X), X.shape[1], thread_count(), out)
    return out


def affine(X: Numbers, matrix: Floats, offset: Floats) -> Floats:
    """X matrix + offset."""
    out = np.empty((X.shape[0], len(offset)))
    wide = np.ascontiguousarray(matrix) if matrix.shape[1] == 1 else padded(matrix)  # one column has a loop of its own
    kernels().sparse_affine(*parts(X), X.shape[1], wide, doubles(offset), thread_count(), out)
    return out


def curved(X: Numbers, gradient: Floats, curvature: Floats) -> Floats:
    """Σ gradient x, Σ curvature x and Σ curvature x² of every row."""
    out = np.empty((X.shape[0], 3))
    kernels().sparse_curved(*parts(X), X.shape[1], np.column_stack([gradient, curvature]), thread_count(), out)
    return out


def count_logs(X: CSR) -> tuple[Floats, Floats]:
    """Of each row of counts the logarithm of the factorial of the sum, and the sum of those of the counts."""
    of_sums, logs = np.empty(X.shape[0]), np.empty(X.shape[0])
    kernels().sparse_count_logs(*parts(X), small_factorials(), thread_count(), of_sums, logs)
    return of_sums, logs


def padded(matrix: Floats) -> Floats:
    """The matrix with columns of zeros up to a multiple of 8, so that each row is whole vectors."""
    d, k = matrix.shape
    if k % 8 == 0:
        return np.ascontiguousarray(matrix)
    wide = np.zeros((d, k + 8 - k % 8))
    wide[:, :k] = matrix
    return wide


def row_form(X: Numbers) -> tuple[str, tuple[object, ...]]:
    """What stands behind the name of a kernel for such rows, dense or CSR, and the rows as it takes them."""
    return ("_csr", (*parts(X), X.shape[1])) if hasattr(X, "indptr") else ("", (np.ascontiguousarray(X),))


def parts(X: CSR) -> tuple[object, object, object]:
    """Values, columns and row starts, the last two of one type."""
    kind = np.promote_types(X.indices.dtype, X.indptr.dtype)
    columns, starts = X.indices.astype(kind, copy=False), X.indptr.astype(kind, copy=False)
    return np.ascontiguousarray(X.data), np.ascontiguousarray(columns), np.ascontiguousarray(starts)
