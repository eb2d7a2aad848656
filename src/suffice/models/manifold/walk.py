"""Random walks over rows that are alike: the slowest vectors of how a walk forgets where it began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from ...backend.blas import blas_threads_for
from ...typing import CSR, Floats
from .smallest import band_width, smallest_beside
from .turned import signs

Matrix: TypeAlias = "CSR | Floats"
_FEW = 10  # times as many objects as vectors: fewer are decomposed as a whole
_NARROW = 2e9  # operations at most of the root of a band, which small gaps between eigenvalues do not slow down
_ZERO = 1e-13  # of the largest degree
_FINE, _ROUGH = 1e-11, 1e-7  # of an eigenvalue


@dataclass(frozen=True)
class Walk:
    """Eigenvalues of steps, falling from 1, and right eigenvectors z with Σ mᵢ dᵢ zᵢ² = 1, the constant first."""

    values: Floats  # (k,)
    vectors: Floats  # (m, k)
    degree: Floats  # (m,), 1 where a row is like no other
    n_pieces: int


def walked(W: Matrix, mass: Floats, k: int, rough: bool = False) -> Walk:
    """The k slowest vectors of steps from i to j with probability mⱼ wᵢⱼ / dᵢ, where dᵢ = Σⱼ mⱼ wᵢⱼ.

    W (m, m) is symmetric, none below 0; it may be sparse. Vectors of eigenvalue 1, one for each piece, are written
    down; the others are found beside them, to rounding or, where they are a start alone, roughly and soon.
    """
    degree = np.asarray(W @ mass).ravel()
    degree = np.where(degree > _ZERO * degree.max(initial=0.0), degree, 1.0)
    root = np.sqrt(mass * degree)
    S = scaled(W, np.sqrt(mass / degree))
    known, pieces = _known(S, root)
    U, some = known[:, :k], min(k, known.shape[1])
    values, vectors = np.ones(k), np.zeros((len(mass), k))
    vectors[:, :some] = U
    if k > some:
        values[some:], vectors[:, some:] = _others(S, known, k - some, rough)
    vectors /= root[:, None]
    return Walk(values, vectors * signs(vectors), degree, pieces)


def scaled(W: Matrix, factor: Floats) -> Matrix:
    """W with its rows and columns multiplied."""
    if isinstance(W, np.ndarray):
        return np.asarray(W * factor[:, None] * factor)
    rows = np.repeat(factor, np.diff(W.indptr))
    return sparse.csr_array((W.data * rows * factor[W.indices], W.indices, W.indptr), shape=W.shape)


def _known(S: Matrix, root: Floats) -> tuple[Floats, int]:
    """Orthonormal vectors of eigenvalue 1, the constant one first, and the number of pieces."""
    if isinstance(S, np.ndarray) and np.count_nonzero(S) - np.count_nonzero(np.diagonal(S)) == S.size - len(S):
        count, label = 1, np.zeros(len(root), dtype=np.int64)
    else:
        found = connected_components(sparse.csr_array(S) if isinstance(S, np.ndarray) else S, directed=False)
        count, label = int(found[0]), found[1].astype(np.int64)
    order = np.argsort(-np.bincount(label, root**2, count), kind="stable")
    size = np.sqrt(np.bincount(label, root**2, count))[order]  # of each piece, the largest first
    inner = np.linalg.qr(np.column_stack([size / np.linalg.norm(size), np.eye(count)[:, : count - 1]]))[0]
    inner *= np.sign(inner[0, 0]) or 1.0
    place = np.argsort(order)[label]
    return (root / size[place])[:, None] * inner[place], count


def _others(S: Matrix, known: Floats, k: int, rough: bool) -> tuple[Floats, Floats]:
    """The k largest eigenvalues, falling, and vectors beside those that are known, all of eigenvalue 1."""
    n, c = known.shape
    if n <= _FEW * (k + c + 2):
        return _of_whole(S, known, k)
    if rough:
        return _by_lanczos(S, known, k, _ROUGH)
    band = None if c > 1 or isinstance(S, np.ndarray) else band_width(S)
    if band is not None and n * float(band) ** 2 < _NARROW:
        form = sparse.csr_array(sparse.eye_array(n) - S)
        values, vectors = smallest_beside(form, known[:, 0], k, band=band)
        return 1 - values, vectors
    return _by_lanczos(S, known, k)


def _by_lanczos(S: Matrix, known: Floats, k: int, tol: float = _FINE) -> tuple[Floats, Floats]:
    n = len(known)
    apart = LinearOperator((n, n), matvec=lambda v: S @ v - 3 * (known @ (known.T @ v)), dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    wide = min(n - 1, max(4 * k, 40))
    with blas_threads_for(n * n if isinstance(S, np.ndarray) else n):
        try:
            values, vectors = eigsh(apart, k, which="LA", v0=start, ncv=wide, tol=tol, maxiter=200)
        except ArpackNoConvergence as early:
            if tol == _FINE:
                return _of_whole(S, known, k)
            some = len(early.eigenvalues)
            values, vectors = np.zeros(k), np.zeros((n, k))
            values[:some], vectors[:, :some] = early.eigenvalues, early.eigenvectors
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _of_whole(S: Matrix, known: Floats, k: int) -> tuple[Floats, Floats]:
    """All eigenvectors of a small matrix; coordinates that are not there are 0."""
    n = len(known)
    whole = np.array(S if isinstance(S, np.ndarray) else S.toarray())
    whole -= 3 * (known @ known.T)
    with blas_threads_for(9.0 * n**3):
        values, vectors = np.linalg.eigh((whole + whole.T) / 2)
    some = min(k, n - known.shape[1])
    out_values, out = np.zeros(k), np.zeros((n, k))
    out_values[:some], out[:, :some] = values[::-1][:some], vectors[:, ::-1][:, :some]
    return out_values, out


def steps(W: Matrix, mass: Floats) -> tuple[Matrix, Floats]:
    """The probabilities of steps from new rows by how alike they are to the objects, (q, m), and their sums before."""
    cells = W * mass if isinstance(W, np.ndarray) else _columns(W, mass)
    sums = np.asarray(cells.sum(axis=1)).ravel()
    safe = np.where(sums > 0, sums, 1.0)
    if isinstance(cells, np.ndarray):
        return cells / safe[:, None], sums
    cells.data /= np.repeat(safe, np.diff(cells.indptr))
    return cells, sums


def _columns(W: CSR, factor: Floats) -> CSR:
    return sparse.csr_array((W.data * factor[W.indices], W.indices, W.indptr), shape=W.shape)
