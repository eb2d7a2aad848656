"""Alternating least squares over known cells: the best factors of rows for those of columns, and then of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...backend.factors import solve_rows
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...errors import MemoryNeeded
from ...typing import Floats
from .cells import Cells
from .known_cells import Columns, Loss, Totals, confidence, with_ones
from .least_squares import Problem

_SINGULAR = 1e-8  # eigenvalues below this part of the largest


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
class ColumnProblem:
    """The equations of columns given the factors of rows, from the cells turned."""

    problem: Problem
    matrix: Floats  # (n, p)
    base: Floats  # (p, p)

    @classmethod
    def of(cls, cells: Cells, U: Floats, weight: Floats | None, mean: float, loss: Loss) -> ColumnProblem:
        """Those of some rows and their weights."""
        starts, rows, place = cells.turned
        products, right = confidence(cells, loss)
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


Giver = InMemory | InPieces
