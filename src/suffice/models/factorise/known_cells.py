"""What a factorisation of known cells minimises, and the best factors of rows for those of columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...backend.factors import cell_products
from ...data import Chunk
from ...errors import InvalidData, squares_overflow
from ...typing import Floats
from .cells import Cells
from .least_squares import Problem


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
        weight, right = confidence(cells, loss)
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

    def all_expected(self, cells: Cells) -> Floats:
        """What is expected of every cell of rows with these known cells, (n, d)."""
        found = self.rows(cells) @ self.matrix.T
        if self.loss.biased:
            found += self.mean + self.bias
        return found

    def squared_errors(self, cells: Cells, weight: Floats | None) -> Floats:
        """Σ w (x − x̂)² over the cells of rows, whose factors are those that are best for them, and Σ w, (2,)."""
        target = cells.values if self.loss.alpha is None else np.ones(len(cells.values))
        rest = target - self.expected(cells, self.rows(cells))
        each = np.ones(len(rest)) if weight is None else weight[cells.rows]
        return np.array([each @ rest**2, each.sum()])

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


def confidence(cells: Cells, loss: Loss) -> tuple[Floats | None, Floats]:
    """What the products of each cell count, and, of counts, its right side."""
    if loss.alpha is None:
        return cells.weight, cells.values
    more = loss.alpha * cells.values * cells.mass
    return more, 1 + more


def with_ones(factors: Floats) -> Floats:
    """Factors and a column of ones."""
    return np.column_stack([factors, np.ones(len(factors))])
