"""What each row says of a map by its neighbours: quadratic forms whose smallest eigenvectors are the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...backend.neighbors import Within
from ...typing import CSR, Floats, Whole

_BLOCK_CELLS = 1 << 18  # of the matrices of neighbours made at once: they stay in a cache
_LEAST = 1e-100  # sizes whose squares, and sums of them, are numbers


class Group(NamedTuple):
    """Rows with as many neighbours: their numbers (q,), and those of the neighbours (q, k)."""

    rows: Whole
    near: Whole


def groups(lists: Within, wide: int) -> Iterator[Group]:
    """The lists by length, in pieces that take some megabytes with `wide` columns."""
    starts = lists.starts()
    sizes = lists.ends - starts
    for k in np.unique(sizes[sizes > 0]):
        every = np.flatnonzero(sizes == k)
        height = max(1, _BLOCK_CELLS // int(k * (k + wide)))
        for first in range(0, len(every), height):
            rows = every[first : first + height]
            yield Group(rows, lists.rows[starts[rows][:, None] + np.arange(k)])


def barycentres(rows: Floats, near: Floats, reg: float) -> Floats:
    """The weights (q, k), which sum to 1, of the mean of neighbours (q, k, d) that is nearest to each row (q, d).

    `reg` times the trace is added to the diagonal of the products, for more neighbours than columns.
    """
    apart = _apart(rows, near)
    products = apart @ np.swapaxes(apart, 1, 2)
    trace = np.trace(products, axis1=1, axis2=2)
    k = near.shape[1]
    products[:, np.arange(k), np.arange(k)] += np.where(trace > 0, reg * trace, reg or 1.0)[:, None]
    found = _solved(products)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _apart(rows: Floats, near: Floats) -> Floats:
    """From each row to its neighbours, (q, k, d), in a unit in which no square over- or underflows."""
    apart = np.asarray(near - rows[:, None])
    size = np.maximum(apart.max(axis=(1, 2), initial=0.0), -apart.min(axis=(1, 2), initial=0.0))
    if not size.size or (size.min() > _LEAST and size.max() < 1 / _LEAST):
        return apart
    return np.asarray(np.ldexp(apart, -np.frexp(size)[1][:, None, None]))


def _solved(products: Floats) -> Floats:
    one = np.ones((*products.shape[:2], 1))
    try:
        return np.asarray(np.linalg.solve(products, one))[..., 0]
    except np.linalg.LinAlgError:  # reg=0 with more neighbours than columns
        return np.asarray(np.linalg.pinv(products, hermitian=True) @ one)[..., 0]


def standard(X: Floats, lists: Within, mass: Floats, reg: float) -> CSR:
    """(I − W)ᵀ M (I − W), with the weights W of the barycentres (Roweis and Saul, 2000)."""
    off = sparse.eye_array(len(X), format="csr") - barycentre_matrix(X, lists, reg)
    return sparse.csr_array(off.T @ (sparse.diags_array(mass) @ off))


def barycentre_matrix(X: Floats, lists: Within, reg: float) -> CSR:
    """W (n, n): the weights by which each row is made of its neighbours."""
    parts = [(g.rows, g.near, barycentres(X[g.rows], X[g.near], reg)) for g in groups(lists, X.shape[1])]
    return _sparse([(np.broadcast_to(rows[:, None], near.shape), near, w) for rows, near, w in parts], len(X))


def aligned(group: Group, mass: Floats, cells: Floats, own: bool = False) -> CSR:
    """Σᵢ mᵢ Bᵢ, each Bᵢ (k, k) among the neighbours of a row, or with `own` (k + 1, k + 1) with the row last."""
    places = np.column_stack([group.near, group.rows]) if own else group.near
    cells = mass[group.rows][:, None, None] * cells
    ends = np.broadcast_to(places[:, :, None], cells.shape), np.broadcast_to(places[:, None], cells.shape)
    return _sparse([(*ends, cells)], len(mass))


def alignment(lists: Within, wide: int, mass: Floats, blocks: Callable[[Group], Floats]) -> CSR:
    """The same of all rows."""
    total = sparse.csr_array((len(mass), len(mass)))
    for group in groups(lists, wide):
        total = total + aligned(group, mass, blocks(group))
    return total


def _sparse(parts: list[tuple[Whole, Whole, Floats]], n: int) -> CSR:
    columns = [np.concatenate([part[at].ravel() for part in parts]) if parts else np.empty(0) for at in range(3)]
    i, j = (column.astype(np.int32 if n < 2**31 else np.int64) for column in columns[:2])
    return sparse.csr_array((columns[2], (i, j)), shape=(n, n))


def _about_mean(near: Floats) -> Floats:
    return np.asarray(near - near.mean(axis=1, keepdims=True))


def hessian(X: Floats, group: Group, k: int) -> Floats:
    """H Hᵀ with estimates H of second derivatives in tangent coordinates (Donoho and Grimes, 2003)."""
    U = np.linalg.svd(_about_mean(X[group.near]), full_matrices=False)[0][:, :, :k]
    a, b = np.triu_indices(k)
    terms = np.concatenate([np.ones((*U.shape[:2], 1)), U, U[:, :, a] * U[:, :, b]], axis=2)
    H = np.linalg.qr(terms)[0][:, :, k + 1 :]
    return np.asarray(H @ np.swapaxes(H, 1, 2))


def tangent_space(X: Floats, group: Group, k: int) -> Floats:
    """What is no linear function of tangent coordinates, I − G Gᵀ (Zhang and Zha, 2004)."""
    near = X[group.near]
    U = np.linalg.svd(_about_mean(near), full_matrices=False)[0][:, :, :k]
    size = near.shape[1]
    G = np.concatenate([np.full((*U.shape[:2], 1), size**-0.5), U], axis=2)
    return np.asarray(np.eye(size) - G @ np.swapaxes(G, 1, 2))


class Modified(NamedTuple):
    """What gives a row several weight vectors: eigenvectors of the products of neighbours (Zhang and Wang, 2006)."""

    weights: Floats  # (q, k)
    vectors: Floats  # (q, k, k), the eigenvalues falling
    values: Floats  # (q, k)

    @classmethod
    def of(cls, X: Floats, group: Group) -> Modified:
        """Those of a group, with the regularised weights of the barycentre."""
        apart = _apart(X[group.rows], X[group.near])
        values, vectors = np.linalg.eigh(apart @ np.swapaxes(apart, 1, 2))
        values, vectors = np.maximum(values[:, ::-1], 0.0), vectors[:, :, ::-1]
        values[:, X.shape[1] :] = 0.0
        reg = 1e-3 * values.sum(axis=1, keepdims=True)
        share = vectors.sum(axis=1) / np.where(values + reg > 0, values + reg, 1.0)
        weights = (vectors @ share[:, :, None])[..., 0]
        return cls(weights / weights.sum(axis=1, keepdims=True), vectors, values)

    def spread(self, k: int) -> Floats:
        """How much of the eigenvalues lies beside k coordinates, as a share of that along them, (q,)."""
        along = self.values[:, :k].sum(axis=1)
        return np.asarray(self.values[:, k:].sum(axis=1) / np.where(along > 0, along, 1.0))

    def how_many(self, most: float) -> Whole:
        """The weight vectors of each row: the last eigenvalues whose share of those before is below `most`, (q,)."""
        rest = np.cumsum(self.values[:, ::-1], axis=1)[:, ::-1]
        head = self.values.sum(axis=1, keepdims=True) - rest
        fits = (rest <= 0) | (rest < most * head)
        fits[:, 0] = False
        found: Whole = np.maximum(1, fits.sum(axis=1)).astype(np.int64)
        return found

    def blocks(self, count: int) -> Floats:
        """Σ of the squares of z − Σ w z over the weight vectors of each row, the row itself last."""
        V = self.vectors[:, :, self.vectors.shape[2] - count :]
        sums = V.sum(axis=1)  # (q, s)
        alpha = np.linalg.norm(sums, axis=1) / np.sqrt(count)
        turn = alpha[:, None] - sums
        length = np.linalg.norm(turn, axis=1, keepdims=True)
        turn = np.where(length < 1e-7, 0.0, turn / np.where(length > 0, length, 1.0))
        W = V - 2 * (V @ turn[:, :, None]) * turn[:, None] + ((1 - alpha)[:, None] * self.weights)[:, :, None]
        off = np.concatenate([-W, np.ones((len(W), 1, count))], axis=1)
        return np.asarray(off @ np.swapaxes(off, 1, 2))


def modified(X: Floats, lists: Within, mass: Floats, k: int) -> CSR:
    """The alignment of several weight vectors for each row; how many follows from the median spread."""
    found = [(group, Modified.of(X, group)) for group in groups(lists, X.shape[1])]
    most = float(np.median(np.concatenate([one.spread(k) for _, one in found]))) if found else 0.0
    total = sparse.csr_array((len(X), len(X)))
    for group, one in found:
        counts = one.how_many(most)
        for count in np.unique(counts):
            some = counts == count
            own = Modified(*(part[some] for part in one))
            here = Group(group.rows[some], group.near[some])
            total = total + aligned(here, mass, own.blocks(int(count)), own=True)
    return total
