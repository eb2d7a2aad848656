"""Sparse rows with their weights and mean: the moments of tables whose zeros nobody fills in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..backend import sparse
from ..backend.weights import given_or_ones
from ..errors import InvalidData
from ..holds import floats, integers, number, require, rises
from ..typing import CSR, Floats, Numbers, Whole
from .base import Arrays, Statistic
from .moments import Moments, RootMoments, checked_rows

_FEW = 1 << 20  # stored cells, which one thread multiplies before others have begun
_MANY_CELLS = 0.15  # of all: products of full rows take less time
_BLOCK = 1 << 20  # cells that are filled in at once
_FULL = 0.9  # a column with this share of its cells stored is centred cell by cell: the others lose a digit at most


@dataclass(frozen=True)
class SparseRows(Statistic):
    """Σw, the mean (d,), rows as a CSR matrix (values, columns, starts), full columns beside it (n, q), weights (n,).

    The summary of sparse tables with many columns, whose scatter would be large and full.

    >>> from scipy.sparse import csr_array
    >>> s = SparseRows.of(csr_array([[1.0, 0.0], [3.0, 4.0]]))
    >>> s.weight, s.mean.tolist(), s.squared().scatter.tolist()
    (2.0, [2.0, 2.0], [[2.0, 4.0], [4.0, 8.0]])
    """

    weight: float
    mean: Floats
    values: Floats
    columns: Whole
    starts: Whole
    beside: Floats
    row_weight: Floats

    holds: ClassVar = {
        "weight": number(at_least=0),
        "mean": floats("d", finite=False),
        "values": floats("cells", finite=False),
        "columns": integers("cells", dtypes=(np.int32, np.int64), at_least=0),
        "starts": integers(None, dtypes=(np.int32, np.int64)),
        "beside": floats("n", None, finite=False),
        "row_weight": floats("n", at_least=0),
    }

    def check_loaded(self) -> None:
        require(len(self.starts) == len(self.row_weight) + 1, "starts must have a number for each row, and the end")
        require(rises(self.starts, len(self.values)), "starts must rise to the number of cells")
        inside = self.beside.shape[1] < len(self.mean) and np.all(self.columns < self.sparse_columns)
        require(inside, "columns must be those of the mean")

    @classmethod
    def of(cls, X: Numbers, weight: Numbers | None = None, Y: Numbers | None = None) -> SparseRows:
        """The rows of X, a CSR matrix, or of X with the columns of Y put after it."""
        rows, Y, weight = checked_rows(cls, X, weight, Y, sparse=True)
        n = rows.shape[0]
        beside = np.zeros((n, 0)) if Y is None else np.asarray(Y, dtype=np.float64)
        own = given_or_ones(weight, n)
        total = float(own.sum())
        with np.errstate(invalid="ignore", over="ignore"):  # a bad cell shows in the result
            mean = np.append(rows.T @ own, own @ beside) / (total if total > 0 else 1.0)
        values = rows.data.astype(np.float64, copy=False)
        return cls(total, mean, values, rows.indices, rows.indptr, beside, own)

    @property
    def sparse_columns(self) -> int:
        """How many columns the sparse rows have."""
        return len(self.mean) - int(self.beside.shape[1])

    @property
    def matrix(self) -> CSR:
        """The rows as a CSR matrix, (n, d − q)."""
        from scipy.sparse import csr_array

        return csr_array((self.values, self.columns, self.starts), shape=(len(self.row_weight), self.sparse_columns))

    def __add__(self, other: SparseRows) -> SparseRows:
        total = self.weight + other.weight
        if total == 0:
            return self
        mean = self.mean + other.weight / total * (other.mean - self.mean)
        return SparseRows(
            total,
            mean,
            np.concatenate([self.values, other.values]),
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:].astype(np.int64)]),
            np.vstack([self.beside, other.beside]),
            np.concatenate([self.row_weight, other.row_weight]),
        )

    def __sub__(self, other: SparseRows) -> SparseRows:
        raise InvalidData("rows cannot be taken away from a fit of sparse rows; fit the others anew.")

    def scaled(self, factor: float) -> SparseRows:
        return replace(self, weight=self.weight * factor, row_weight=self.row_weight * factor)

    def squared(self) -> Moments:
        """The moments with the scatter itself, (d, d)."""
        return Moments(self.weight, self.mean, SparseRoot.of(self).scatter())

    def filled(self) -> RootMoments:
        """The moments with the centred rows filled in, (n, d)."""
        root = SparseRoot.of(self)
        return RootMoments(self.weight, self.mean, np.hstack([root.toarray(), root.beside]))

    def comparable(self) -> Arrays:
        """The same rows in any order."""
        return self.squared().to_arrays()

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        from scipy.sparse import csr_array

        cells = rng.normal(size=(n, 3)) * (rng.random((n, 3)) < 0.5)
        return csr_array(cells), rng.integers(0, 3, n).astype(float), rng.normal(size=(n, 1))


@dataclass(frozen=True)
class SparseRoot:
    """The centred sparse rows, each times the root of its weight: a matrix (n, d) that is multiplied, never filled in.

    It is `sparse` less `root_weight` (n,) times `pull` (d,). `beside` (n, q) holds the full columns, centred.
    """

    sparse: CSR
    root_weight: Floats
    pull: Floats
    beside: Floats

    @classmethod
    def of(cls, summary: SparseRows, centred: bool = True) -> SparseRoot:
        """The root of a summary; about the origin where it is not `centred`."""
        rows, beside, d = summary.matrix, summary.beside, summary.sparse_columns
        pull, root_weight = np.zeros(d), np.sqrt(summary.row_weight)
        if centred:
            rows, pull = _partly_centred(rows, summary.mean[:d])
            beside = beside - summary.mean[d:]
        if np.any(root_weight != 1):
            weighted = rows.copy()
            weighted.data = rows.data * np.repeat(root_weight, np.diff(rows.indptr))
            rows, beside = weighted, beside * root_weight[:, None]
        return cls(rows, root_weight, pull, beside)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, d = self.sparse.shape
        return int(n), int(d)

    @property
    def weight(self) -> float:
        """Σw."""
        return float(self.root_weight @ self.root_weight)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether every row weighs 1."""
        return bool(np.all(self.root_weight == 1))

    @cached_property
    def turned(self) -> CSR:
        """The transposed `sparse` by rows: iterations multiply it again and again."""
        return self.sparse.T.tocsr()

    def __matmul__(self, V: Floats) -> Floats:
        found = _product(self.sparse, V)
        along = self.pull @ V
        if V.ndim == 1 and self._is_plain:
            found -= along
            return found
        return found - (np.outer(self.root_weight, along) if V.ndim == 2 else self.root_weight * along)

    def back(self, U: Floats) -> Floats:
        """The transposed matrix times U, (n, k) or (n,)."""
        found = _product(self.sparse.T if U.ndim == 2 else self.turned, U)
        along = self.root_weight @ U
        return found - (np.outer(self.pull, along) if U.ndim == 2 else self.pull * along)

    def divided(self, scale: Floats) -> SparseRoot:
        """With each column divided by a number."""
        rows = self.sparse.copy()
        rows.data = rows.data / scale[rows.indices]
        return replace(self, sparse=rows, pull=self.pull / scale)

    def squares(self) -> Floats:
        """The sums of squares of the columns, (d,)."""
        own = np.bincount(self.sparse.indices, self.sparse.data**2, minlength=self.shape[1])
        sums = self.sparse.T @ self.root_weight
        return np.asarray(np.maximum(own - 2 * sums * self.pull + self.weight * self.pull**2, 0.0))

    def columns(self) -> Floats:
        """The products of all columns, (d, d)."""
        sums = self.sparse.T @ self.root_weight
        found = _column_products(self.sparse)
        found -= np.outer(sums, self.pull) + np.outer(self.pull, sums)
        found += self.weight * np.outer(self.pull, self.pull)
        return found

    def scatter(self) -> Floats:
        """The products of all columns with those beside, (d + q, d + q)."""
        if not self.beside.shape[1]:
            return self.columns()
        across = self.back(self.beside)
        return np.asarray(np.block([[self.columns(), across], [across.T, self.beside.T @ self.beside]]))

    def products(self) -> Floats:
        """The products of all rows, (n, n)."""
        along = self.sparse @ self.pull
        found: Floats = (self.sparse @ self.sparse.T).toarray()
        found -= np.outer(along, self.root_weight) + np.outer(self.root_weight, along)
        found += (self.pull @ self.pull) * np.outer(self.root_weight, self.root_weight)
        return found

    def toarray(self) -> Floats:
        """The matrix filled in."""
        found: Floats = self.sparse.toarray() - np.outer(self.root_weight, self.pull)
        return found


def _product(rows: CSR, V: Floats) -> Floats:
    """Sparse rows times a vector, on all cores where that pays, or times a matrix."""
    if V.ndim == 2 or rows.nnz < _FEW:
        return np.asarray(rows @ V)
    return np.asarray(sparse.affine(rows, V[:, None], np.zeros(1))[:, 0])


def _column_products(rows: CSR) -> Floats:
    """XᵀX, (d, d): of rows with many cells by a block of them filled in at a time."""
    n, d = rows.shape
    if rows.nnz <= _MANY_CELLS * n * d:
        return sparse.column_products(rows)
    found, height = np.zeros((d, d)), max(1, _BLOCK // max(1, d))
    for start in range(0, n, height):
        block = rows[start : start + height].toarray()
        found += block.T @ block
    return found


def _partly_centred(rows: CSR, mean: Floats) -> tuple[CSR, Floats]:
    """Rows whose nearly full columns are full and centred, and what is still to be subtracted from every row, (d,)."""
    from scipy.sparse import csr_array

    n, d = rows.shape
    full = np.flatnonzero(np.bincount(rows.indices, minlength=d) > _FULL * n)
    if not len(full):
        return rows, mean
    is_full = np.isin(np.arange(d), full)
    kept = ~is_full[rows.indices]
    counts = np.add.reduceat(np.append(kept, False), rows.indptr[:-1]) * (np.diff(rows.indptr) > 0)
    starts = np.concatenate([[0], np.cumsum(counts)])
    others = csr_array((rows.data[kept], rows.indices[kept], starts), shape=(n, d))
    cells = rows[:, full].toarray() - mean[full]
    own = csr_array((cells.ravel(), np.tile(full, n), np.arange(n + 1) * len(full)), shape=(n, d))
    return csr_array(others + own), np.where(is_full, 0.0, mean)
