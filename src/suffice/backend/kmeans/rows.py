"""Rows of k-means that are dense or CSR: distances from points, sums by cluster, and some of them as they stand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...typing import CSR, Floats, Whole
from .. import sparse
from ..arrays import Array
from ..weights import given_or_ones

_BLOCK_CELLS = 1 << 22  # distances of CSR rows that are held at once
_ROUNDING = 1e-13  # of ‖x‖² + ‖c‖² in a squared distance that was found from a product


def is_csr(X: Array) -> bool:
    """Whether rows are those of a CSR matrix."""
    return getattr(X, "format", None) == "csr"


def dense(rows: Array) -> Floats:
    """Rows, such as a few of a CSR matrix, as doubles."""
    return np.asarray(rows.toarray() if is_csr(rows) else rows, dtype=np.float64)


def chosen_rows(X: Array, rows: NDArray[np.integer] | list[int]) -> Floats:
    """A few rows as doubles, (m, d)."""
    if not is_csr(X):
        return np.asarray(X[rows], dtype=np.float64)
    found = np.zeros((len(rows), X.shape[1]))
    for own, row in zip(found, rows, strict=True):  # a matrix of them takes longer to make than to fill
        cells = slice(X.indptr[row], X.indptr[row + 1])
        np.add.at(own, X.indices[cells], X.data[cells])
    return found


def pair_squares(A: Floats, B: Floats) -> Floats:
    """Squared distances between the rows of two small matrices, (a, b), without cancellation."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(A, B, "sqeuclidean"))


def row_squares(X: Array, points: Floats, lengths: Floats | None = None) -> Floats:
    """Squared distances (n, m) of rows from points; those of CSR rows that are 0 but for rounding are 0.

    `lengths` are the `squared_lengths` of CSR rows, where they are known.
    """
    if not is_csr(X):
        return pair_squares(np.asarray(X, np.float64), points)
    own, other = squared_lengths(X) if lengths is None else lengths, np.sum(points**2, axis=1)
    squared = sparse.affine(X, -2.0 * points.T, other)
    squared += own[:, None]
    rows, columns = np.nonzero(squared < _ROUNDING * (own + np.max(other, initial=0.0))[:, None])
    near = squared[rows, columns] < _ROUNDING * (own[rows] + other[columns])
    squared[rows[near], columns[near]] = 0.0
    return squared


def squared_lengths(X: CSR) -> Floats:
    """‖x‖² (n,) of the rows of a CSR matrix."""
    squares = np.append(np.square(X.data, dtype=np.float64), 0.0)  # one more: where the last rows are empty
    found = np.add.reduceat(squares, X.indptr[:-1]) if X.shape[0] else np.zeros(0)
    return np.where(np.diff(X.indptr) > 0, found, 0.0)


def blocks(X: CSR, width: int) -> Iterator[tuple[int, CSR]]:
    """The rows of a CSR matrix with the number of the first, so many at a time that `width` numbers each are few."""
    height = max(1, _BLOCK_CELLS // max(1, width))
    for start in range(0, X.shape[0], height):
        yield start, X if height >= X.shape[0] else X[start : start + height]


def cluster_sums(
    X: Array, labels: NDArray[np.integer], k: int, weight: Floats | None, shift: Floats, rows: Whole | None = None
) -> Floats:
    """Σ w (x − shift) (k, d) of the rows of each label, of all rows or of some, whose labels and weights are given."""
    if is_csr(X):
        sums = sparse.group_sums(X, labels.astype(np.int64), k, weight, rows)
        if shift.any():
            sums -= np.outer(np.bincount(labels, weight, minlength=k), shift)
        return sums
    total, X = np.zeros((k, X.shape[1])), X if rows is None else X[rows]
    w = given_or_ones(weight, len(labels))
    np.add.at(total, labels, w[:, None] * (np.asarray(X, dtype=np.float64) - shift))
    return total
