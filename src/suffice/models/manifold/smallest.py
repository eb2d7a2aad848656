"""The smallest eigenvectors of a sparse form beside one that is known, by inverting it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from ...backend.blas import blas_threads_for
from ...errors import MemoryNeeded
from ...typing import CSR, Floats

_FEW = 10  # times as many rows as vectors: fewer are decomposed as a whole
_NARROW = 4  # times as many rows as a band is wide: with fewer a sparse root would fill up
_WIDE = 12  # vectors at least among which few are looked for: with fewer the search begins anew more often
_SHIFT = 1e-12  # of the largest diagonal cell: makes the form invertible


def smallest_beside(
    A: CSR,
    known: Floats,
    k: int,
    memory: int = 1 << 31,
    owner: str = "smallest_beside",
    band: int | None = None,
) -> tuple[Floats, Floats]:
    """The k smallest eigenvalues, rising, and vectors of a form (n, n) that is 0 along `known`, a unit vector.

    `band` is its `band_width`, where that is known.
    """
    n = A.shape[0]
    if n <= _FEW * (k + 1) + 20:
        return _of_whole(A, known, k)
    solve = _inverse(A, band_width(A) if band is None else band, memory, owner)
    apart = _apart_from(known)
    inverse = LinearOperator((n, n), matvec=lambda v: apart(solve(apart(v.ravel()))), dtype=np.float64)
    start = apart(np.random.default_rng(0).normal(size=n))
    with blas_threads_for(n):
        _, vectors = eigsh(inverse, k, v0=start, which="LM", ncv=min(n, max(2 * k + 2, _WIDE)), tol=1e-9)
    return _sorted(A, vectors)


def _apart_from(known: Floats) -> Callable[[Floats], Floats]:
    return lambda v: np.asarray(v - known * (known @ v))


def band_width(A: CSR) -> int:
    """How wide the band of a symmetric matrix is, its rows in a good order."""
    place = np.argsort(reverse_cuthill_mckee(A, symmetric_mode=True))
    cells = sparse.coo_array(A)
    return int(np.max(np.abs(place[cells.row] - place[cells.col]), initial=0))


def _inverse(A: CSR, band: int, memory: int, owner: str) -> Callable[[Floats], Floats]:
    """What solves equations of the form: by a sparse root where it has a narrow band, or by one of all cells."""
    n, shift = A.shape[0], _SHIFT * float(A.diagonal().max(initial=0.0)) or 1.0
    if n > _NARROW * band:
        parts = splu(
            sparse.csc_array(A + shift * sparse.eye_array(n)),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        return lambda v: np.asarray(parts.solve(v))
    if 8 * n**2 > memory:
        raise MemoryNeeded(
            f"{owner}: the neighbours of {n:,} different rows lie in so many directions that {8 * n**2:,} bytes are "
            f"needed, more than memory={memory:,}. Raise memory, or fit a sample of the rows, and transform the others."
        )
    whole = A.toarray()
    whole[np.diag_indices(n)] += shift
    with blas_threads_for(float(n) ** 3):
        root = cho_factor(whole, lower=True, overwrite_a=True, check_finite=False)
    return lambda v: np.asarray(cho_solve(root, v, check_finite=False))


def _of_whole(A: CSR, known: Floats, k: int) -> tuple[Floats, Floats]:
    """All eigenvectors of a small form, the known one last; coordinates that are not there are 0."""
    n, whole = A.shape[0], A.toarray()
    whole += (np.trace(whole) + 1.0) * np.outer(known, known)
    values, vectors = np.linalg.eigh((whole + whole.T) / 2)
    some = min(k, n - 1)
    out_values, out = np.zeros(k), np.zeros((n, k))
    out_values[:some], out[:, :some] = np.maximum(values[:some], 0.0), vectors[:, :some]
    return out_values, out


def _sorted(A: CSR, vectors: Floats) -> tuple[Floats, Floats]:
    """Vectors with their values, exact in the space of all of them."""
    vectors = np.linalg.qr(vectors)[0]
    inner = vectors.T @ (A @ vectors)
    values, within = np.linalg.eigh((inner + inner.T) / 2)
    return np.maximum(values, 0.0), vectors @ within
