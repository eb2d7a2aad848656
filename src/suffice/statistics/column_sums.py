"""Weighted sums of columns: the summary behind counts and rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from .base import Statistic

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ColumnSums(Statistic):
    """Σw (d,) of the cells that are not NaN, their Σ w x (d,), Σw of the rows, and Σ w h(x) of a term h of each row.

    X may be a CSR matrix, whose cells are all there.

    >>> s = ColumnSums.of(np.array([[1.0, np.nan], [3.0, 5.0]]), np.array([1.0, 2.0]))
    >>> s.weight.tolist(), s.total.tolist(), s.rows
    ([3.0, 2.0], [7.0, 10.0], 3.0)
    """

    weight: Floats
    total: Floats
    rows: float
    base: float

    @classmethod
    def of(cls, X: Any, weight: Any = None, base: Any = None) -> ColumnSums:
        """The sums of the rows of X; `base` (n,) is a term of each row's log density that has no parameter."""
        n, d = X.shape
        w = np.ones(n) if weight is None else weight
        rows, term = float(w.sum()), 0.0 if base is None else float(w @ base)
        if hasattr(X, "tocsr"):
            return cls(np.full(d, rows), np.asarray(X.T @ w, dtype=np.float64), rows, term)
        gaps = np.isnan(X)
        if not gaps.any():
            return cls(np.full(d, rows), np.asarray(w @ X, dtype=np.float64), rows, term)
        return cls(w @ ~gaps, np.asarray(w @ np.where(gaps, 0.0, X), dtype=np.float64), rows, term)

    def __add__(self, other: ColumnSums) -> ColumnSums:
        return ColumnSums(
            self.weight + other.weight, self.total + other.total, self.rows + other.rows, self.base + other.base
        )

    def __sub__(self, other: ColumnSums) -> ColumnSums:
        """The sums without the rows of `other`, which must be among them."""
        if np.any(other.weight > self.weight * (1 + 1e-9)):
            raise InvalidData("more rows would be removed than were added.")
        return ColumnSums(
            self.weight - other.weight, self.total - other.total, self.rows - other.rows, self.base - other.base
        )

    def mean(self) -> Floats:
        """Σ w x / Σ w of each column, NaN where no value was seen."""
        return self.total / np.where(self.weight > 0, self.weight, np.nan)
