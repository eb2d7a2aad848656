"""Non-negative factors by least squares: the best rows given the columns, and the best columns given the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backend import sparse
from ...backend.factors import Equations, cell_products, solve_rows
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...errors import MemoryNeeded
from ...typing import CSR, Floats, Numbers
from .cells import Cells
from .least_squares import Problem

_BLOCK = 1 << 14  # rows of float32 that are turned into doubles at once
_NEAR = 1e-5  # a loss below this part of the squares of all cells is summed up cell by cell


@dataclass(frozen=True)
class Penalty:
    """What the factors of rows and of columns cost: the sum of each, and half the squares."""

    l1_rows: float = 0.0
    l2_rows: float = 0.0
    l1_columns: float = 0.0
    l2_columns: float = 0.0

    def of_rows(self, weighted: Floats, squares: float) -> float:
        """What all rows cost, by their factors times their weights, (n, k), and Σ w w² of these."""
        return (self.l1_rows * float(weighted.sum()) if self.l1_rows else 0.0) + 0.5 * self.l2_rows * squares

    def of_columns(self, columns: Floats) -> float:
        """What all columns cost."""
        return self.l1_columns * float(columns.sum()) + 0.5 * self.l2_columns * float(np.sum(columns**2))


@dataclass(frozen=True)
class FactorSums:
    """The equations of columns over some rows, common to all (k, k) or of each (d, k, k), and the loss of the rows."""

    grams: Floats
    rights: Floats  # (d, k)
    loss: float
    squares: float  # of what the factors leave

    def __add__(self, other: FactorSums) -> FactorSums:
        return FactorSums(
            self.grams + other.grams, self.rights + other.rights, self.loss + other.loss, self.squares + other.squares
        )


class LeastSquares:
    """A fit to complete rows; the factors of rows in memory begin where they ended."""

    def __init__(self, source: Source, penalty: Penalty) -> None:
        self.source, self.penalty = source, penalty
        rows = source.in_memory
        self._kept = rows is not None
        self._turned = rows.X.T.tocsr() if rows is not None and is_sparse(rows.X) else None
        self._squares = None if rows is None else own_squares(rows)
        self._W: Floats | None = None

    def improved(self, columns: Floats) -> tuple[Floats, FactorSums]:
        """Better factors of columns, (d, k), and what they were made of."""
        sums = self.source.reduce(lambda chunk: self._sums(chunk, columns))
        ridge = np.full(len(columns), self.penalty.l2_columns)
        return solve_rows(sums.rights - self.penalty.l1_columns, sums.grams[None], ridge, True, columns), sums

    def _sums(self, chunk: Chunk, columns: Floats) -> FactorSums:
        products = times(chunk.X, columns)
        W = self.rows_of(products, columns, self.penalty, self._W if self._kept else None)
        if self._kept:
            self._W = W
        weighted = W if chunk.weight is None else W * chunk.weight[:, None]
        gram = W.T @ weighted
        squares = own_squares(chunk) if self._squares is None else self._squares
        left = squares - 2 * float(np.vdot(weighted, products)) + float(np.vdot(gram, columns.T @ columns))
        if left < _NEAR * squares:
            left = squares_left(chunk, W, columns)
        loss = 0.5 * left + self.penalty.of_rows(weighted, float(np.trace(gram)))
        return FactorSums(gram, turned_times(chunk.X, weighted, self._turned), loss, left)

    @staticmethod
    def rows_of(products: Floats, columns: Floats, penalty: Penalty, start: Floats | None = None) -> Floats:
        """The best factors of rows, (n, k), by their products with the columns."""
        ridge = np.full(len(products), penalty.l2_rows)
        rights = products - penalty.l1_rows if penalty.l1_rows else products
        return solve_rows(rights, (columns.T @ columns)[None], ridge, True, start)


class LeastSquaresOfKnown:
    """The same over the cells that are not missing."""

    def __init__(self, source: Source, penalty: Penalty, owner: str, memory: int) -> None:
        self.source, self.penalty, self.owner, self.memory = source, penalty, owner, memory
        rows = source.in_memory
        self._cells = None if rows is None else known(rows.X)
        self._W: Floats | None = None

    def improved(self, columns: Floats) -> tuple[Floats, FactorSums]:
        """Better factors of columns, (d, k), and what they were made of."""
        ridge = np.full(len(columns), self.penalty.l2_columns)
        rows = self.source.in_memory
        if rows is None or self._cells is None:
            d, k = columns.shape
            if 16 * d * k * k > self.memory:
                raise MemoryNeeded(
                    f"{self.owner}: the sums of {d:,} columns with missing cells take {16 * d * k * k:,} bytes, more "
                    f"than memory={self.memory:,}. Take fewer components, raise memory, or give the rows as an array."
                )
            sums = self.source.reduce(lambda chunk: self._sums(known(chunk.X), chunk.weight, columns))
            return solve_rows(sums.rights - self.penalty.l1_columns, sums.grams, ridge, True, columns), sums
        cells, weight = self._cells, rows.weight
        W = self._W = self.rows_of(cells, columns, self.penalty, self._W)
        problem = self._columns(cells, weight, ridge)
        loss, squares = self._loss(cells, weight, columns, W)
        return problem.solved(W, columns), FactorSums(np.empty(0), np.empty(0), loss, squares)

    @staticmethod
    def rows_of(cells: Cells, columns: Floats, penalty: Penalty, start: Floats | None = None) -> Floats:
        """The best factors of rows, (n, k)."""
        ridge = np.full(len(cells), penalty.l2_rows)
        problem = Problem(cells.starts, cells.columns, cells.values, None, ridge, None, True, penalty.l1_rows)
        return problem.solved(columns, start)

    def _columns(self, cells: Cells, weight: Floats | None, ridge: Floats) -> Problem:
        starts, rows, place = cells.turned
        values = cells.values[place]
        each = None if weight is None else weight[rows]
        right = values if each is None else values * each
        return Problem(starts, rows, right, each, ridge, None, True, self.penalty.l1_columns)

    def _sums(self, cells: Cells, weight: Floats | None, columns: Floats) -> FactorSums:
        W = self.rows_of(cells, columns, self.penalty)
        found: Equations = self._columns(cells, weight, np.zeros(cells.d)).equations(W)
        return FactorSums(found.grams, found.rights, *self._loss(cells, weight, columns, W))

    def _loss(self, cells: Cells, weight: Floats | None, columns: Floats, W: Floats) -> tuple[float, float]:
        rest = cells.values - cell_products(W, columns, cells.starts, cells.columns)
        weighted = W if weight is None else W * weight[:, None]
        left = float(rest @ (rest if weight is None else rest * weight[cells.rows]))
        return 0.5 * left + self.penalty.of_rows(weighted, float(np.vdot(W, weighted))), left


def known(X: Numbers) -> Cells:
    """The cells that are not missing; of a sparse matrix also the zeros that it does not store."""
    return Cells.of(_dense(X) if is_sparse(X) else X)


def _dense(X: CSR) -> Floats:
    return np.asarray(X.toarray(), dtype=np.float64)


def times(X: Any, matrix: Floats) -> Floats:
    """X matrix, (n, k), in double."""
    if is_sparse(X):
        return sparse.affine(X, matrix, np.zeros(matrix.shape[1]))
    if X.dtype == np.float64:
        return np.asarray(X @ matrix)
    return np.vstack([X[i : i + _BLOCK].astype(np.float64) @ matrix for i in range(0, max(len(X), 1), _BLOCK)])


def turned_times(X: Any, matrix: Floats, turned: CSR | None) -> Floats:
    """Xᵀ matrix, (d, k), in double."""
    if is_sparse(X):
        return sparse.affine(X.T.tocsr() if turned is None else turned, matrix, np.zeros(matrix.shape[1]))
    if X.dtype == np.float64:
        return np.asarray((matrix.T @ X).T)
    out = np.zeros((X.shape[1], matrix.shape[1]))
    for i in range(0, len(X), _BLOCK):
        out += X[i : i + _BLOCK].astype(np.float64).T @ matrix[i : i + _BLOCK]
    return out


def own_squares(rows: Chunk) -> float:
    """Σ w x² of all cells of rows."""
    X = rows.X
    if is_sparse(X):
        each = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    else:
        each = np.einsum("nd,nd->n", X, X, dtype=np.float64)
    return float(each.sum() if rows.weight is None else each @ rows.weight)


def squares_left(rows: Chunk, W: Floats, columns: Floats) -> float:
    """Σ w (x − x̂)² of rows, cell by cell."""
    total, height = 0.0, max(1, (1 << 22) // len(columns))
    for i in range(0, len(W), height):
        X = rows.X[i : i + height]
        rest = (X.toarray() if is_sparse(X) else X) - W[i : i + height] @ columns.T
        each = np.einsum("nd,nd->n", rest, rest)
        total += float(each.sum() if rows.weight is None else each @ rows.weight[i : i + height])
    return total
