"""Alternating least squares over known cells: the best factors of rows for those of columns, and then of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...backend.factors import cell_products, solve_rows
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...errors import InvalidData, MemoryNeeded, squares_overflow
from ...typing import Floats
from .cells import Cells
from .least_squares import Problem

_SINGULAR = 1e-8  # eigenvalues below this part of the largest


@dataclass(frozen=True)
class Loss:
    """What is minimised: Σ w (x − x̂)² + ridge; with `alpha` that of counts, whose confidence is 1 + alpha · x."""

    owner: str
    k: int
    l2: float
    per_cell: bool
    biased: bool
    alpha: float | None = None

    def packed(self) -> Floats:
        """What rows are fitted with, as numbers."""
        return np.array([self.l2, self.per_cell, self.biased, np.nan if self.alpha is None else self.alpha])

    @classmethod
    def unpacked(cls, owner: str, k: int, packed: Floats) -> Loss:
        """From those numbers."""
        l2, per_cell, biased, alpha = packed.tolist()
        return cls(owner, k, l2, bool(per_cell), bool(biased), None if np.isnan(alpha) else alpha)

    def cells(self, chunk: Chunk) -> Cells:
        """The known cells of some rows, checked."""
        return self.checked(Cells.of(chunk.X, zeros=self.alpha is None))

    def checked(self, cells: Cells) -> Cells:
        """The cells, of which counts must not be below 0."""
        if self.alpha is not None and cells.values.min(initial=0.0) < 0:
            raise InvalidData(
                f"{self.owner}: some cells are below 0; with implicit=True they are counts, at least 0. Drop them, or "
                "take implicit=False."
            )
        return cells

    def ridge(self, mass: Floats) -> Floats:
        """What the squares of factors count, for vectors whose cells weigh so much together."""
        return np.asarray(self.l2 * (mass if self.per_cell else np.ones(len(mass))))


@dataclass(frozen=True)
class Totals:
    """What the cells of each column weigh and hold, and how many there are."""

    mass: Floats  # (d,)
    sums: Floats  # (d,)
    squares: float
    cells: int

    @classmethod
    def of(cls, cells: Cells, weight: Floats | None) -> Totals:
        """Those of some rows and their weights."""
        w = cells.mass if weight is None else cells.mass * weight[cells.rows]
        x = cells.values
        return cls(cells.column_sums(w), cells.column_sums(w * x), float(w @ (x * x)), len(x))

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.mass + other.mass, self.sums + other.sums, self.squares + other.squares, self.cells + other.cells
        )

    def check(self, owner: str) -> None:
        """Refuse a table without known cells, or with cells too large."""
        if not self.mass.any():
            raise InvalidData(f"{owner}: no cell of X is known (or all weigh nothing); at least 1 is needed.")
        if not np.isfinite(self.squares) or not np.isfinite(self.mass.sum()):
            raise squares_overflow(owner)


@dataclass(frozen=True)
class ColumnSums:
    """The equations of each column over some rows, what is common to all, the loss of the rows, and their size."""

    grams: Floats  # (d, p, p)
    rights: Floats  # (d, p)
    base: Floats  # (p, p)
    loss: float
    size: Floats  # (k, k)

    def __add__(self, other: ColumnSums) -> ColumnSums:
        return ColumnSums(
            self.grams + other.grams, self.rights + other.rights, self.base + other.base, self.loss + other.loss,
            self.size + other.size,
        )  # fmt: skip


@dataclass(frozen=True)
class Columns:
    """The factors of columns, (d, k), their biases, (d,), and the mean that both are added to."""

    factors: Floats
    bias: Floats
    mean: float
    loss: Loss
    base: Floats | None = None  # of counts: Σ v vᵀ

    @classmethod
    def of(cls, state: Floats, mean: float, loss: Loss) -> Columns:
        """From factors and bias side by side, (d, k + 1)."""
        V = np.ascontiguousarray(state[:, :-1])
        return cls(V, np.ascontiguousarray(state[:, -1]), mean, loss, None if loss.alpha is None else V.T @ V)

    @cached_property
    def matrix(self) -> Floats:
        """What the factors of a row are multiplied by, (d, p)."""
        return with_ones(self.factors) if self.loss.biased else self.factors

    def rows(self, cells: Cells) -> Floats:
        """The best factors of rows, (n, p); the last is the bias, where there are biases."""
        loss, x = self.loss, cells.values
        weight, right = _confidence(cells, loss)
        if loss.alpha is None:
            right = (x - self.mean - self.bias[cells.columns]) * cells.mass
        found = Problem(cells.starts, cells.columns, right, weight, self.ridge(cells), self.base).solved(self.matrix)
        if not np.isfinite(found).all():
            raise squares_overflow(loss.owner)
        return found

    def expected(self, cells: Cells, U: Floats) -> Floats:
        """What is expected of the cells."""
        found = cell_products(U, self.matrix, cells.starts, cells.columns)
        if self.loss.biased:
            found += self.mean + self.bias[cells.columns]
        return found

    def size(self, cells: Cells, U: Floats, weight: Floats | None) -> Floats:
        """Σ ridge u uᵀ of some rows, (k, k)."""
        factors, ridge = U[:, : self.loss.k], self.ridge(cells)
        return np.asarray((factors * (ridge if weight is None else ridge * weight)[:, None]).T @ factors)

    def ridge(self, cells: Cells) -> Floats:
        """What the squares of the factors of rows count, (n,)."""
        return self.loss.ridge(cells.row_sums(cells.mass) if self.loss.per_cell else np.empty(len(cells)))

    def row_loss(self, cells: Cells, U: Floats) -> Floats:
        """What each row adds to the loss, (n,)."""
        loss, expected, ridge = self.loss, self.expected(cells, U), self.ridge(cells)
        own = ridge * np.einsum("np,np->n", U, U)
        if loss.alpha is None:
            return np.asarray(cells.row_sums(cells.mass * (cells.values - expected) ** 2) + own)
        confidence = 1 + loss.alpha * cells.values * cells.mass
        assert self.base is not None
        more = cells.row_sums(confidence * (1 - expected) ** 2 - expected**2)
        return np.asarray(more + np.einsum("np,pq,nq->n", U, self.base, U) + own)

    def own_loss(self, totals: Totals) -> float:
        """What the factors of columns add to the loss."""
        squares = np.einsum("dk,dk->d", self.factors, self.factors) + self.bias**2
        return float(self.loss.ridge(totals.mass) @ squares)


def _confidence(cells: Cells, loss: Loss) -> tuple[Floats | None, Floats]:
    """What the products of each cell count, and, of counts, its right side."""
    if loss.alpha is None:
        return cells.weight, cells.values
    more = loss.alpha * cells.values * cells.mass
    return more, 1 + more


def with_ones(factors: Floats) -> Floats:
    """Factors and a column of ones."""
    return np.column_stack([factors, np.ones(len(factors))])


@dataclass(frozen=True)
class ColumnProblem:
    """The equations of columns given the factors of rows, from the cells turned."""

    problem: Problem
    matrix: Floats  # (n, p)
    base: Floats  # (p, p)

    @classmethod
    def of(cls, cells: Cells, U: Floats, weight: Floats | None, mean: float, loss: Loss) -> ColumnProblem:
        """Those of some rows and their weights."""
        starts, rows, place = cells.turned
        products, right = _confidence(cells, loss)
        if loss.alpha is None:
            own = cells.values - (mean + U[cells.rows, -1] if loss.biased else 0.0)
            right = own * cells.mass
        if weight is not None:
            each = weight[cells.rows]
            products, right = (each if products is None else each * products), right * each
        factors = U[:, :-1] if loss.biased else U
        base = (
            (factors if weight is None else factors * weight[:, None]).T @ factors if loss.alpha is not None else None
        )
        problem = Problem(starts, rows, right[place], None if products is None else products[place], np.zeros(cells.d))
        matrix = with_ones(factors) if loss.biased else factors
        return cls(problem, matrix, np.zeros((matrix.shape[1],) * 2) if base is None else base)


class InMemory:
    """Cells in memory: found once, the equations of columns solved block by block."""

    def __init__(self, cells: Cells, weight: Floats | None, loss: Loss) -> None:
        self.cells, self.weight, self.loss = loss.checked(cells), weight, loss

    def totals(self) -> Totals:
        """What the columns weigh and hold."""
        return Totals.of(self.cells, self.weight)

    def improved(self, columns: Columns, ridge: Floats) -> tuple[Floats, float]:
        """Better factors and biases of columns, (d, k + 1), and the loss of the rows before."""
        U = columns.rows(self.cells)
        each = columns.row_loss(self.cells, U)
        made = ColumnProblem.of(self.cells, U, self.weight, columns.mean, self.loss)
        problem = replace(made.problem, ridge=ridge, base=made.base if self.loss.alpha is not None else None)
        found = balanced(problem.solved(made.matrix), columns.size(self.cells, U, self.weight), ridge, self.loss)
        return found, float(each.sum() if self.weight is None else each @ self.weight)


class InPieces:
    """Rows read piece by piece: the equations of columns are sums over them."""

    def __init__(self, source: Source, loss: Loss, memory: int) -> None:
        self.source, self.loss, self.memory = source, loss, memory

    def totals(self) -> Totals:
        """What the columns weigh and hold."""
        return self.source.reduce(lambda chunk: Totals.of(self.loss.cells(chunk), chunk.weight))

    def improved(self, columns: Columns, ridge: Floats) -> tuple[Floats, float]:
        """Better factors and biases of columns, (d, k + 1), and the loss of the rows before."""
        d, p = columns.matrix.shape
        if 16 * d * p * p > self.memory:
            raise MemoryNeeded(
                f"{self.loss.owner}: the sums of {d:,} columns take {16 * d * p * p:,} bytes, more than memory="
                f"{self.memory:,}. Take fewer components, raise memory, or give the cells as a sparse matrix."
            )
        sums = self.source.reduce(lambda chunk: column_sums(chunk, columns))
        return balanced(solve_rows(sums.rights, sums.grams + sums.base, ridge), sums.size, ridge, self.loss), sums.loss


def column_sums(chunk: Chunk, columns: Columns) -> ColumnSums:
    """The equations of columns over some rows, whose factors are those that are best."""
    cells = columns.loss.cells(chunk)
    U = columns.rows(cells)
    made = ColumnProblem.of(cells, U, chunk.weight, columns.mean, columns.loss)
    loss = float(columns.row_loss(cells, U) @ given_or_ones(chunk.weight, len(cells)))
    size = columns.size(cells, U, chunk.weight)
    return ColumnSums(*made.problem.equations(made.matrix), made.base, loss, size)


def balanced(found: Floats, rows: Floats, ridge: Floats, loss: Loss) -> Floats:
    """Factors of columns and their biases, (d, k + 1), with as much of the ridge as the rows, Σ ridge u uᵀ, have.

    A linear map of all v, with its inverse for all u, changes no prediction. The one for which both ridges are least,
    and equal, is a geometric mean of two matrices; without it least squares would take many iterations to get there.
    """
    V = found[:, : loss.k]
    own = (V * ridge[:, None]).T @ V
    turn = _between(rows, own)
    bias = found[:, -1] if loss.biased else np.zeros(len(found))
    return np.column_stack([V if turn is None else V @ turn, bias])


def _between(A: Floats, B: Floats) -> Floats | None:
    """M^(−½) with M A M = B, that is A⁻¹ # B; None where a matrix is as good as singular."""
    values, vectors = np.linalg.eigh(A)
    if not values[0] > _SINGULAR * values[-1]:
        return None
    root = (vectors * np.sqrt(values)) @ vectors.T
    back = (vectors / np.sqrt(values)) @ vectors.T
    inner, turn = np.linalg.eigh(root @ B @ root)
    if not inner[0] > _SINGULAR**2 * inner[-1]:
        return None
    M = back @ (turn * np.sqrt(inner)) @ turn.T @ back
    sizes, axes = np.linalg.eigh((M + M.T) / 2)
    return np.asarray((axes / np.sqrt(sizes)) @ axes.T) if sizes[0] > 0 else None


Giver = Any  # InMemory or InPieces
