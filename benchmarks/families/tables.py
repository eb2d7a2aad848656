"""The tables of the sweep: every shape, layout and precision, with rows that suit a family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

QUERIES = 1000  # rows that are asked for their neighbours
DENSITY = 0.01  # of sparse tables


@dataclass(frozen=True)
class Cell:
    """A shape, and how its numbers lie in memory."""

    n: int
    d: int
    layout: str = "C"  # C, F (columns contiguous) or CSR
    dtype: str = "float64"

    def __str__(self) -> str:
        plain = {"C": "", "F": ", Fortran order", "CSR": ", CSR"}[self.layout]
        return f"{self.n:,} × {self.d:,}{plain}{'' if self.dtype == 'float64' else ', ' + self.dtype}"


GRID = (
    Cell(50, 3),
    Cell(1000, 10),
    Cell(1_000_000, 4),
    Cell(100_000, 50),
    Cell(2000, 2000),
    Cell(300, 20_000),
    Cell(500_000, 1),
    Cell(100_000, 50, dtype="float32"),
    Cell(100_000, 50, "F"),
    Cell(20_000, 2000, "CSR"),
)
QUICK = (Cell(50, 3), Cell(20_000, 10), Cell(300, 1000), Cell(20_000, 10, "F", "float32"), Cell(2000, 500, "CSR"))


@dataclass(frozen=True)
class Table:
    """Rows, their target if there is one, and into how many groups or components they are to be put."""

    X: Any  # (n, d), an array or CSR
    y: np.ndarray | None  # (n,)
    k: int
    few_asked: bool = False  # predictions are asked for some of the rows only

    @property
    def target(self) -> tuple[np.ndarray, ...]:
        """What `fit` and `score` get after the rows."""
        return () if self.y is None else (self.y,)

    @property
    def queries(self) -> Any:
        """Some of the rows, to ask for their neighbours."""
        return self.X[:QUERIES]

    @property
    def asked(self) -> Any:
        """The rows that predictions are asked for."""
        return self.queries if self.few_asked else self.X

    @property
    def asked_target(self) -> tuple[np.ndarray, ...]:
        """Their target."""
        return tuple(y[: self.asked.shape[0]] for y in self.target)

    @property
    def nbytes(self) -> float:
        """What must be read to see every number once."""
        parts = (self.X.data, self.X.indices) if sp.issparse(self.X) else (self.X,)
        return float(sum(part.nbytes for part in parts))

    @cached_property
    def radius(self) -> float:
        """About ten rows lie within it around a row."""
        some = self.X[:20].toarray() if sp.issparse(self.X) else self.X[:20]
        norms = np.asarray(self.X.multiply(self.X).sum(axis=1) if sp.issparse(self.X) else (self.X**2).sum(axis=1))
        squared = np.ravel(norms)[:, None] - 2 * (self.X @ some.T) + (some**2).sum(axis=1)
        return float(np.sqrt(np.median(np.partition(squared, 10, axis=0)[10].clip(0)) + 1e-9))


Rows = Callable[[np.random.Generator, Cell, int], tuple[Any, np.ndarray | None]]


def make_table(rows: Rows, cell: Cell, k: int, few_asked: bool = False) -> Table:
    """The table of a cell; a small one has fewer groups."""
    k = min(k, max(2, cell.n // 15))
    X, y = rows(np.random.default_rng(0), cell, k)
    if cell.layout == "CSR":
        return Table(X.astype(cell.dtype), y, k, few_asked)
    return Table(np.asarray(X, dtype=cell.dtype, order="F" if cell.layout == "F" else "C"), y, k, few_asked)


def groups(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, None]:
    """k round groups that overlap a little."""
    return classes(rng, cell, k)[0], None


def classes(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """k round groups, with the class of each row."""
    y = rng.integers(0, k, cell.n)
    if cell.layout == "CSR":
        return _sparse(rng, cell, rng.exponential), y
    return rng.normal(size=(cell.n, cell.d)) + (2 * rng.normal(size=(k, cell.d)))[y], y


def numbers(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """A target that is a linear function of the columns, and noise."""
    X = classes(rng, cell, k)[0]
    return X, X @ rng.normal(size=cell.d) + rng.normal(size=cell.n)


def counts(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """Counts whose rates differ from class to class."""
    y = rng.integers(0, k, cell.n)
    if cell.layout == "CSR":
        return _sparse(rng, cell, lambda size: np.asarray(1.0 + rng.poisson(1.0, size))), y
    return rng.poisson(rng.uniform(0.2, 3.0, (k, cell.d))[y]).astype(float), y


def flags(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """Zeros and ones."""
    X, y = counts(rng, cell, k)
    return (X > 0) * 1.0, y


def categories(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, np.ndarray]:
    """Codes of six categories; half of a row's are those common in its class."""
    y = rng.integers(0, k, cell.n)
    common, others = rng.integers(0, 6, (k, cell.d))[y], rng.integers(0, 6, (cell.n, cell.d))
    return np.where(rng.random((cell.n, cell.d)) < 0.5, common, others), y


def holes(rng: np.random.Generator, cell: Cell, k: int) -> tuple[Any, None]:
    """Correlated columns of which a tenth is missing, but never the first of a row."""
    X = rng.normal(size=(cell.n, 2)) @ rng.normal(size=(2, cell.d)) + 0.3 * rng.normal(size=(cell.n, cell.d))
    missing = rng.random(X.shape) < 0.1
    missing[:, 0] = False
    X[missing] = np.nan
    return X, None


def _sparse(rng: np.random.Generator, cell: Cell, values: Callable[..., Any]) -> sp.csr_array:
    each = max(1, int(DENSITY * cell.d))
    columns = rng.integers(0, cell.d, cell.n * each, dtype=np.int32)  # scikit-learn takes no wider ones
    data = values(size=cell.n * each)
    X = sp.csr_array((data, columns, np.arange(0, cell.n * each + 1, each, dtype=np.int32)), (cell.n, cell.d))
    X.sum_duplicates()
    return X
