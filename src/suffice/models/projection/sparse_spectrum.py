"""Principal axes of sparse rows, whose zeros are never filled in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...backend.blas import blas_threads_for
from ...backend.leading import random_block
from ...statistics.sparse_rows import SparseRoot
from ...statistics.spectrum import EPS, Spectrum, eigenvectors, with_sign
from ...typing import Floats

_WHOLE = 200  # rows or columns, of which a matrix of all products is decomposed as a whole; more are left to ARPACK

_RESIDUAL = 1e-13  # |A v − λ v| as a share of λ


def sparse_spectrum(root: SparseRoot, weight: float, k: int | None) -> Spectrum:
    """The k directions of largest variance (all by default) of rootᵀ root / weight, by rows or columns."""
    n, d = root.shape
    found = _by_rows(root, k) if n <= d and (k is None or k < n) else None
    values, vectors = _by_columns(root, k) if found is None else found
    total = float(root.squares().sum()) / weight
    return Spectrum(np.maximum(values, 0.0) / weight, with_sign(vectors.T), total, rounding=max(n, d) * EPS)


def _by_rows(root: SparseRoot, k: int | None) -> tuple[Floats, Floats] | None:
    """None where directions without variance are wanted, which rows do not give."""
    n = root.shape[0]
    if k is None or not are_few(n, k):
        values, vectors = eigenvectors(root.products(), k)
    else:
        values, vectors = _by_arpack(lambda v: root @ root.back(v), n, k)
    kept = values > 10 * n * EPS * values[0]
    if not kept.any() or (k is not None and not kept.all()):
        return None
    values, axes = values[kept], root.back(vectors[:, kept])
    return values, axes / np.sqrt(values)


def _by_columns(root: SparseRoot, k: int | None) -> tuple[Floats, Floats]:
    d = root.shape[1]
    if k is None or not are_few(d, k):
        return eigenvectors(root.columns(), k)
    return _by_arpack(lambda v: root.back(root @ v), d, k)


def are_few(size: int, k: int) -> bool:
    """Whether so few directions of a large matrix are wanted that its products find them sooner."""
    return size > _WHOLE and 4 * k < size


def _by_arpack(apply: Callable[[Floats], Floats], size: int, k: int) -> tuple[Floats, Floats]:
    """The k largest eigenvalues, falling, and eigenvectors, nearly to the last digits."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    operator = LinearOperator((size, size), matvec=apply, dtype=np.float64)
    kept = min(size, max(3 * k, 20))  # vectors: more take longer to keep orthogonal, fewer more products
    with blas_threads_for(0):  # of sums that are short beside the sparse products
        values, vectors = eigsh(operator, k, v0=random_block(size, 1)[:, 0], ncv=kept, tol=_RESIDUAL)
    return values[::-1], vectors[:, ::-1]
