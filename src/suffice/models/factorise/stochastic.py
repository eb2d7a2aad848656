"""Stochastic gradient descent over known cells, at a rate that falls when an epoch does not help."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...backend.factors import cell_products, descend_cells
from ...engine import Step
from ...typing import Floats
from .cells import Cells
from .known_cells import Loss, Totals

_FASTER, _SLOWER, _STILL = 1.05, 0.5, 1e-8


class Walk(NamedTuple):
    """The factors of rows and columns side by side with biases, the loss there, and the rate."""

    U: Floats
    V: Floats
    loss: float
    rate: float


@dataclass(frozen=True)
class Descent:
    """The cells of a fit, in which each row counts its weight, and what is minimised."""

    cells: Cells
    loss: Loss
    mean: float
    row_ridge: Floats
    column_ridge: Floats

    @classmethod
    def of(cls, cells: Cells, weight: Floats | None, loss: Loss, totals: Totals, mean: float) -> Descent:
        """Of cells and the weights of rows."""
        mass = cells.row_sums(cells.mass)
        ridge = loss.ridge(mass)
        if weight is not None:
            cells, ridge = replace(cells, weight=cells.mass * weight[cells.rows]), ridge * weight
        return cls(cells, loss, mean, ridge, loss.ridge(totals.mass))

    def started(self, V: Floats, rate: float) -> Walk:
        """Rows at 0, so that the first epoch moves them towards their columns."""
        k, n, d = self.loss.k, len(self.cells), len(V)
        rng = np.random.default_rng(0)
        U = 0.1 * rng.normal(size=(n, k))
        if self.loss.biased:
            U, V = np.column_stack([U, np.zeros(n), np.ones(n)]), np.column_stack([V, np.ones(d), np.zeros(d)])
        return Walk(U, V, self.objective(U, V), rate)

    def objective(self, U: Floats, V: Floats) -> float:
        """The loss, ridge and all."""
        x, k = self.cells, self.loss.k
        rest = x.values - self.mean - cell_products(U, V, x.starts, x.columns)
        squares = np.einsum("nk,nk->n", U[:, :k], U[:, :k]), np.einsum("dk,dk->d", V[:, :k], V[:, :k])
        if self.loss.biased:
            squares = squares[0] + U[:, k] ** 2, squares[1] + V[:, k + 1] ** 2
        return float(x.mass @ rest**2 + self.row_ridge @ squares[0] + self.column_ridge @ squares[1])

    def epoch(self, now: Walk, rng: np.random.Generator, tol: float) -> Step[Walk]:
        """Every cell once in a random order; an epoch that raises the loss is taken back, and steps become smaller."""
        x, order = self.cells, rng.permutation(len(self.cells.values))
        row_mass, column_mass = x.row_sums(x.mass), x.column_sums(x.mass)
        own, other = (
            np.divide(ridge, mass, out=np.zeros(len(mass)), where=mass > 0)
            for ridge, mass in ((self.row_ridge, row_mass), (self.column_ridge, column_mass))
        )
        size = float(x.mass.mean())
        weight = None if x.weight is None else x.weight / size
        rate = now.rate
        while rate > _STILL:
            with np.errstate(over="ignore", invalid="ignore"):
                U, V = descend_cells(
                    x.values,
                    x.rows,
                    x.columns,
                    weight,
                    order,
                    self.mean,
                    rate,
                    own,
                    other,
                    self.loss.biased,
                    now.U,
                    now.V,
                )
                loss = self.objective(U, V)
            if loss < now.loss:
                gained = (now.loss - loss) / max(now.loss, 1e-300)
                return Step(Walk(U, V, loss, rate * _FASTER), loss, {"rate": rate}, done=gained <= tol)
            rate *= _SLOWER
        return Step(now._replace(rate=rate), now.loss, {"rate": rate}, done=True)

    def columns(self, found: Walk) -> Floats:
        """Factors and bias of columns side by side, (d, k + 1)."""
        k = self.loss.k
        bias = found.V[:, k + 1] if self.loss.biased else np.zeros(len(found.V))
        return np.column_stack([found.V[:, :k], bias])
