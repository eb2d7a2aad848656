"""The axes along which the squares of rows are largest, about the origin: exactly, or by powers of a random block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...backend import sparse
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...engine import Outcome, Step, closed_form, iterate
from ...statistics import DiagonalMoments, Moments, RootMoments, SparseRows
from ...statistics.joint import joint_moments
from ...statistics.sparse_rows import SparseRoot
from ...statistics.spectrum import EPS, eigenvectors, of_products, of_root, with_sign
from ...typing import CSR, Floats, Numbers
from ..projection.sparse_spectrum import sparse_spectrum

_FEW = 500  # columns of sparse rows, whose products are found at once
_SOON = 2048  # rows or columns of which all products are found in less than a second or two
_BLOCK = 1 << 14  # rows of float32 that are turned into doubles at once


@dataclass(frozen=True)
class Axes:
    """Orthonormal axes (k, d), Σ w z² and the centred squares along each, (k,), and both for all columns."""

    axes: Floats
    squares: Floats
    scatter: Floats
    all_squares: float
    all_scatter: float
    weight: float

    @property
    def left(self) -> float:
        """The squares that the axes leave, 0 where that is rounding."""
        return _remainder(self.all_squares, float(self.squares.sum()))


def _remainder(whole: float, part: float) -> float:
    rest = whole - part
    return rest if rest > 64 * EPS * whole else 0.0


def leading_axes(
    source: Source, k: int, rng: np.random.Generator, n_iter: int = 5, n_oversamples: int = 10, exact: bool = False
) -> Outcome[Axes]:
    """The first k axes, by powers of a random block, or exactly where that is asked for or takes less work."""
    d = len(source.schema)
    block = min(d, k + n_oversamples)
    if exact or _is_small(source, block, n_iter):
        return exact_axes(source, k, rooted=source.n_rows is not None and source.n_rows < d)
    return powered_axes(source, k, rng.normal(size=(d, block)), n_iter)


def _is_small(source: Source, block: int, n_iter: int) -> bool:
    """Whether all products, and what follows from them, take less work than the passes."""
    d, n = len(source.schema), source.n_rows
    rows = source.in_memory
    if rows is not None and is_sparse(rows.X):
        return d <= _FEW
    n = max(d, 1 << 16) if n is None else n
    few = min(n, d)
    return few <= max(block, _SOON) or few**2 * max(n, d) + 10 * few**3 <= 4.0 * n * d * block * (n_iter + 2)


# ---- from all products of columns or rows ----


def exact_axes(source: Source, k: int, rooted: bool) -> Outcome[Axes]:
    """From one summary: eigenvectors of the products of columns, or of rows where these are fewer."""

    def solve() -> Step[Axes]:
        summary = source.reduce(lambda chunk: joint_moments(chunk.X, chunk.weight, rooted=rooted))
        found = _solved(summary, k)
        return Step(found, found.left)

    return closed_form(solve)


def _solved(summary: Moments | RootMoments | SparseRows, k: int) -> Axes:
    weight, mean = summary.weight, summary.mean
    shift = weight * mean**2  # what the squares about the origin have beyond the centred ones, (d,)
    if isinstance(summary, SparseRows):
        found = sparse_spectrum(SparseRoot.of(summary, centred=False), 1.0, k)
        values, axes, centred = found.variance, found.axes, SparseRoot.of(summary)
        scatter, own = ((centred @ axes.T) ** 2).sum(axis=0), centred.squares()
    elif isinstance(summary, RootMoments):
        found = of_root(np.vstack([summary.root, np.sqrt(weight) * mean]), 1.0, k)
        values, axes = found.variance, found.axes
        scatter, own = ((summary.root @ axes.T) ** 2).sum(axis=0), (summary.root**2).sum(axis=0)
    else:
        values, vectors = of_products(summary.scatter + weight * np.outer(mean, mean), k)
        axes = with_sign(vectors.T)
        scatter, own = np.einsum("kd,kd->k", axes @ summary.scatter, axes), np.diagonal(summary.scatter)
    squares = np.maximum(values, 0.0)
    return Axes(axes, squares, np.maximum(scatter, 0.0), float((own + shift).sum()), float(own.sum()), weight)


# ---- by powers of a random block ----


@dataclass(frozen=True)
class PowerSums:
    """Xᵀ W X V for some directions V as columns, (d, l), and Σ w ‖x‖²."""

    products: Floats
    squares: float

    @classmethod
    def of(cls, X: Any, weight: Floats | None, V: Floats, turned: CSR | None = None) -> PowerSums:
        """The sums of rows; `turned` is Xᵀ by rows, where X is sparse and that is at hand."""
        if not is_sparse(X):
            return cls(*_dense_power(X, weight, V))
        Z = sparse.affine(X, V, np.zeros(V.shape[1]))
        Z = Z if weight is None else Z * weight[:, None]
        turned = X.T.tocsr() if turned is None else turned
        cells = X.data.astype(np.float64, copy=False)
        squares = cells @ (cells if weight is None else cells * np.repeat(weight, np.diff(X.indptr)))
        return cls(sparse.affine(turned, Z, np.zeros(V.shape[1])), float(squares))

    def __add__(self, other: PowerSums) -> PowerSums:
        return PowerSums(self.products + other.products, self.squares + other.squares)


def _dense_power(X: Numbers, weight: Floats | None, V: Floats) -> tuple[Floats, float]:
    total, squares = np.zeros(V.shape), 0.0
    step = len(X) if X.dtype == np.float64 else _BLOCK
    for first in range(0, len(X), max(step, 1)):
        rows = np.asarray(X[first : first + step], dtype=np.float64)
        w = None if weight is None else weight[first : first + step]
        Z = rows @ V
        total += rows.T @ (Z if w is None else Z * w[:, None])
        own = np.einsum("nd,nd->n", rows, rows)
        squares += float(own.sum() if w is None else own @ w)
    return total, squares


@dataclass(frozen=True)
class AlongSums:
    """The moments of rows along some directions, and of each column by itself."""

    along: Moments
    columns: DiagonalMoments

    @classmethod
    def of(cls, X: Numbers, weight: Floats | None, V: Floats) -> AlongSums:
        """Along the columns of V."""
        if is_sparse(X):
            Z = sparse.affine(X, V, np.zeros(V.shape[1]))
        else:
            Z = np.vstack([np.asarray(X[i : i + _BLOCK], dtype=float) @ V for i in range(0, max(len(X), 1), _BLOCK)])
        return cls(Moments.of(Z, weight), DiagonalMoments.of(X, weight))

    def __add__(self, other: AlongSums) -> AlongSums:
        return AlongSums(self.along + other.along, self.columns + other.columns)


def powered_axes(source: Source, k: int, start: Floats, n_iter: int) -> Outcome[Axes]:
    """The best axes in the space of (XᵀX)ᵖ times a random block (d, l), p = n_iter + 1: one pass for each power.

    A power never makes the squares along the best axes of the space smaller.
    """
    rows = source.in_memory
    turned = rows.X.T.tocsr() if rows is not None and is_sparse(rows.X) else None

    def step(state: tuple[Floats, int]) -> Step[tuple[Floats, int]]:
        V, done = state
        found = source.reduce(partial(_power_sums, V=V, turned=turned))
        inner = V.T @ found.products
        best = np.linalg.eigvalsh((inner + inner.T) / 2)[-k:]
        after = np.linalg.qr(found.products)[0]
        return Step((after, done + 1), _remainder(found.squares, float(best.sum())), done=done == n_iter)

    began = (np.linalg.qr(start)[0], 0)
    outcome = iterate(lambda run: began, step, max_iter=n_iter + 1)
    return outcome.then(lambda state: _best_within(source, state[0], k))


def _power_sums(chunk: Chunk, V: Floats, turned: CSR | None) -> PowerSums:
    return PowerSums.of(chunk.X, chunk.weight, V, turned)


def _best_within(source: Source, V: Floats, k: int) -> Axes:
    """The best axes in the space of orthonormal columns."""
    found = source.reduce(lambda chunk: AlongSums.of(chunk.X, chunk.weight, V))
    along, columns, weight = found.along, found.columns, found.along.weight
    values, turn = eigenvectors(along.scatter + weight * np.outer(along.mean, along.mean), k)
    axes = (V @ turn).T
    scatter = np.einsum("lk,lk->k", turn, along.scatter @ turn)
    own = columns.scatter + weight * columns.mean**2
    return Axes(
        with_sign(axes), np.maximum(values, 0.0), np.maximum(scatter, 0.0), float(own.sum()),
        float(columns.scatter.sum()), weight,
    )  # fmt: skip
