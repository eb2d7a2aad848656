"""Least squares without each row in turn, by rank-one formulas: what PRESS sums up.

With A = Sxx + αI, z = x − mean and W the weight of all rows, a row of weight w takes c z zᵀ from A, c = w W / (W − w).
By Sherman and Morrison the residual of the row that was left out is W / (W − w) · (y − ŷ) / (1 − c zᵀ A⁻¹ z); without
an intercept z = x, c = w, and the first factor is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..statistics import Moments
from ..typing import Floats, Numbers

_ROWS = 1 << 13  # that are solved for together


@dataclass(frozen=True)
class Press:
    """Least squares with an L2 penalty, of which any row can be left out: `slope` is (p, q), of q targets.

    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(6, 2)), rng.normal(size=6)
    >>> total = Moments.of(np.column_stack([X, y]))
    >>> slope = np.linalg.solve(total.scatter[:2, :2], total.scatter[:2, 2:])
    >>> found, left = Press(total, slope, 0.0, True).predicted(X, y[:, None], None)
    >>> rest = np.column_stack([np.ones(5), X[1:]])
    >>> beside = np.r_[1, X[0]] @ np.linalg.lstsq(rest, y[1:], rcond=None)[0]
    >>> bool(np.isclose(found[0, 0], beside)), bool((left > 0).all())
    (True, True)
    """

    moments: Moments  # of [X | Y]
    slope: Floats
    alpha: float
    centred: bool

    def predicted(self, X: Numbers, y: Numbers, weight: Floats | None) -> tuple[Floats, Floats]:
        """ŷ of each row by all others, (n, q), and 1 − c zᵀ A⁻¹ z, (n,): 0 where the row alone decides a direction."""
        w = np.ones(len(X)) if weight is None else weight
        blocks = [slice(start, start + _ROWS) for start in range(0, len(X), _ROWS)]
        found = [self._block(X[own], y[own], w[own]) for own in blocks]
        return np.concatenate([part for part, _ in found]), np.concatenate([left for _, left in found])

    def _block(self, X: Numbers, y: Numbers, w: Floats) -> tuple[Floats, Floats]:
        p, total = len(self.slope), self.moments.weight
        mean = self.moments.mean if self.centred else np.zeros_like(self.moments.mean)
        Z = X - mean[:p]
        residual = y - mean[p:] - Z @ self.slope
        with np.errstate(divide="ignore", invalid="ignore"):
            without = total / (total - w) if self.centred else np.ones(len(w))
            taken = w * without * np.einsum("np,np->n", turned := Z @ self._whiten, turned)
            left: Floats = 1 - np.where(np.isfinite(taken), taken, 1.0)
            found: Floats = y - residual * (without / left)[:, None]
            return found, left

    @cached_property
    def _whiten(self) -> Floats:
        """T (p, p) with T Tᵀ = A⁻¹, from Cholesky's factor of A with its columns divided by their lengths."""
        from scipy.linalg import solve_triangular

        p, moments = len(self.slope), self.moments
        mean = moments.mean[:p]
        Sxx = moments.scatter[:p, :p] + (0 if self.centred else moments.weight * np.outer(mean, mean))
        A: Floats = Sxx + self.alpha * np.eye(p)
        unit: Floats = np.sqrt(np.diagonal(A))
        factor = np.linalg.cholesky(A / unit / unit[:, None])
        return np.ascontiguousarray(solve_triangular(factor, np.diag(1 / unit), lower=True).T)
