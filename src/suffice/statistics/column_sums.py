"""Weighted sums of columns: the summary behind counts and rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..backend.sparse import group_sums
from ..backend.weights import given_or_ones
from ..data.rows import as_groups, as_rows, as_weight
from ..errors import InvalidData
from ..holds import floats, number
from ..typing import Floats, Numbers, TableLike, WeightLike
from .base import Statistic

_FEW = 4096  # weights of rows in groups: so few are multiplied faster than looked up


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

    leaves_out_missing: ClassVar = True
    holds: ClassVar = {
        "weight": floats("d", at_least=0),
        "total": floats("d", finite=False),
        "rows": number(at_least=0),
        "base": number(finite=False),
    }

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None, base: Any = None) -> ColumnSums:
        """The sums of the rows of X; `base` (n,) is a term of each row's log density that has no parameter."""
        X = as_rows(X, cls.__name__, sparse=True)
        w = given_or_ones(as_weight(weight, X.shape[0], cls.__name__), X.shape[0])
        return cls.shared(X, w[:, None], base)[0]

    @classmethod
    def grouped(
        cls, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None, base: Any = None
    ) -> tuple[ColumnSums, ...]:
        """The sums of each group of rows, which `group` (n,) numbers from 0."""
        from scipy.sparse import csr_array

        X = as_rows(X, cls.__name__, sparse=True)
        n, d = X.shape
        group, weight = as_groups(group, n, groups, cls.__name__), as_weight(weight, n, cls.__name__)
        w = given_or_ones(weight, n)
        if not hasattr(X, "tocsr") and n * groups <= _FEW:
            shares = np.zeros((n, groups))
            shares[np.arange(n), group] = w
            return cls.shared(X, shares, base)
        if not hasattr(X, "tocsr"):
            return cls.shared(X, csr_array((w, group, np.arange(n + 1)), (n, groups)), base)
        rows = np.bincount(group, w, groups)
        terms = np.zeros(groups) if base is None else np.bincount(group, w * base, groups)
        totals = group_sums(X.tocsr(), group, groups, weight)
        parts = zip(rows, totals, terms, strict=True)
        return tuple(cls(np.full(d, own), total, float(own), float(term)) for own, total, term in parts)

    @classmethod
    def shared(cls, X: Numbers, responsibilities: Numbers, base: Floats | None = None) -> tuple[ColumnSums, ...]:
        """The sums for each column of weights (n, k), an array, or for dense rows also a CSR matrix."""
        rows = np.asarray(responsibilities.sum(axis=0), dtype=np.float64).ravel()  # (k,)
        terms = np.zeros(len(rows)) if base is None else responsibilities.T @ base
        weights = np.repeat(rows[:, None], X.shape[1], axis=1)  # (k, d)
        if hasattr(X, "tocsr"):
            totals = (X.T @ responsibilities).T
        else:
            totals = responsibilities.T @ X
            if np.isnan(totals).any() and (missing := np.isnan(X)).any():  # a missing cell makes its sums NaN
                totals = responsibilities.T @ np.where(missing, 0.0, X)
                weights = responsibilities.T @ (~missing).astype(np.float64)
        parts = zip(weights, np.asarray(totals, dtype=np.float64), rows.tolist(), terms.tolist(), strict=True)
        return tuple(cls(*part) for part in parts)

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

    def is_finite(self) -> bool:
        sums = np.isfinite(self.total).all() and np.isfinite(self.weight).all()
        return bool(sums and np.isfinite(self.rows) and np.isfinite(self.base))

    def mean(self) -> Floats:
        """Σ w x / Σ w of each column, NaN where no value was seen."""
        return self.total / np.where(self.weight > 0, self.weight, np.nan)
