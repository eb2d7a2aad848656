"""A parabola over the columns of a working set, which coordinate descent minimises by products or by residuals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..backend import coordinate
from ..backend.coordinate import Costs, Descent
from ..backend.dispatch import Operation
from ..data.rows import is_sparse
from ..typing import Floats, Numbers, Whole
from .gram_descent import descended

PRODUCTS = 3000  # columns whose products are formed
_BLOCK, _BLOCKS, _SOON = 2, 200, 20  # epochs at a time, how often, and after how often products are the better way
_MEMORY = 5  # blocks from which the next slopes are extrapolated


@dataclass(frozen=True)
class Parabola:
    """½ Σ left² / (bent · total) of columns X (n, m) less their means (m,), as slopes take away from `left` (n,).

    Where `places` (m,) are given, they say which of the columns of a sparse X it is of, and `cells` (m,) are their
    Σ bent · x², which are summed here else.
    """

    X: Numbers
    bent: Floats
    left: Floats
    total: float
    mean: Floats
    places: Whole | None = None
    cells: Floats | None = None

    def least(self, w: Floats, costs: Costs, tol: float) -> Floats:
        """The slopes (m,) where it and their costs are least, from w."""
        if not is_sparse(self.X) and len(w) <= PRODUCTS:
            return descended(self.products(), self.pull(self.left), w, costs, tol)
        return self._by_residuals(w, costs, tol)

    def _by_residuals(self, w: Floats, costs: Costs, tol: float) -> Floats:
        """Epochs, until what they will still gain is little, by the rate at which they gain."""
        square, places = self._squares(), np.arange(len(w)) if self.places is None else self.places
        bent = None if np.all(self.bent == 1.0) else self.bent
        work: Operation[..., Descent] = coordinate.sparse_columns if is_sparse(self.X) else coordinate.columns
        last = Descent(w, self.left, np.inf)
        blocks: list[Descent] = [last]
        for number in range(_BLOCKS):
            found = work(
                self.X, places, self.mean, square, last.left, bent, self.total, last.w, costs, _BLOCK, tol * 1e-3
            )
            rate = min(found.gain / last.gain, 1.0) if last.gain < np.inf else 0.5
            if found.gain <= tol * max(1e-3, 1 - rate ** (1 / _BLOCK)):
                return found.w
            if number == _SOON and len(w) <= PRODUCTS:
                return descended(self.products(), self.pull(found.left), found.w, costs, tol)
            blocks, last = [*blocks[-_MEMORY:], found], found
            if len(blocks) > _MEMORY:
                last = self._extrapolated(blocks, costs)
                blocks = [last]
        return last.w

    def _extrapolated(self, blocks: list[Descent], costs: Costs) -> Descent:
        """Anderson's extrapolation of the slopes, where it costs less than the last ones."""
        last = blocks[-1]
        moves = np.array([b.w - a.w for a, b in pairwise(blocks)])  # (memory, m)
        gram = moves @ moves.T
        try:
            share = np.linalg.solve(gram + 1e-12 * np.trace(gram) * np.eye(len(gram)), np.ones(len(gram)))
        except np.linalg.LinAlgError:
            return last
        if not np.isfinite(share).all() or share.sum() == 0:
            return last
        share /= share.sum()
        w = np.asarray(share @ np.array([block.w for block in blocks[1:]]))
        left = np.asarray(share @ np.array([block.left for block in blocks[1:]]))
        if costs.positive and np.any(w < 0):
            return last
        fall = 0.5 * float((w - last.w) @ (self.pull(last.left) + self.pull(left)))
        return Descent(w, left, np.inf) if fall > _cost(w, costs) - _cost(last.w, costs) else last

    def pull(self, left: Floats) -> Floats:
        """Minus the gradient of the slopes, (m,)."""
        along = self.X.T @ left
        return np.asarray(
            ((along if self.places is None else along[self.places]) - self.mean * left.sum()) / self.total
        )

    def _squares(self) -> Floats:
        """The diagonal of the products, (m,)."""
        X = self.X
        if is_sparse(X):
            cells = X.power(2).T @ self.bent if self.cells is None else self.cells  # type: ignore[attr-defined]
            found = cells - self.bent.sum() * self.mean**2
        else:
            found = np.array([self.bent @ (X[:, j] - m) ** 2 for j, m in enumerate(self.mean)])
        return np.asarray(np.maximum(found, 0.0) / self.total)

    def products(self) -> Floats:
        """Those of all columns, (m, m)."""
        X: Numbers = self.X if self.places is None else self.X[:, self.places]
        root = np.sqrt(self.bent)
        if not is_sparse(X):
            rows = (X - self.mean) * root[:, None]
            return np.asarray(rows.T @ rows / self.total)
        scaled = X.multiply(root[:, None]).tocsc()  # type: ignore[attr-defined]
        products = (scaled.T @ scaled).toarray() - self.bent.sum() * np.outer(self.mean, self.mean)
        return np.asarray(products / self.total)


def _cost(w: Floats, costs: Costs) -> float:
    return float(costs.absolute @ np.abs(w) + 0.5 * costs.squared @ (w * w))
