"""Where non-negative factors begin: at random, or at the parts above and below 0 of singular vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backend import sparse
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...errors import squares_overflow
from ...observing import unobserved
from ...typing import Floats
from .documents import check_not_negative, missing_cells
from .leading_axes import leading_axes

_FEW = 200  # columns whose singular vectors are found exactly


@dataclass(frozen=True)
class Look:
    """What the first pass sees: sums of cells and squares, what they weigh, and whether some are missing."""

    total: float
    squares: float
    mass: float
    rows: float
    missing: bool
    count: int

    @classmethod
    def of(cls, chunk: Chunk, owner: str) -> Look:
        """Of checked rows."""
        check_not_negative(chunk, owner)
        X, w = chunk.X, given_or_ones(chunk.weight, len(chunk))
        gone = missing_cells(X)
        cells = X.data if is_sparse(X) else X
        filled = np.nan_to_num(cells) if gone is not None else cells
        if is_sparse(X):
            each = np.repeat(w, np.diff(X.indptr))
            total, squares = float(filled @ each), float(filled.astype(np.float64) ** 2 @ each)
        else:
            total = float(w @ filled.sum(axis=1, dtype=np.float64))
            squares = float(w @ np.einsum("nd,nd->n", filled, filled, dtype=np.float64))
        mass = float(w.sum()) * X.shape[1] - (0.0 if gone is None else float(gone.sum(axis=1).ravel() @ w))
        return cls(total, squares, mass, float(w.sum()), gone is not None, len(chunk))

    def __add__(self, other: Look) -> Look:
        return Look(
            self.total + other.total, self.squares + other.squares, self.mass + other.mass, self.rows + other.rows,
            self.missing or other.missing, self.count + other.count,
        )  # fmt: skip

    @property
    def mean(self) -> float:
        """The mean of the cells that are there."""
        return float(self.total / self.mass) if self.mass else 0.0

    def check(self, owner: str) -> None:
        """Refuse numbers whose squares overflow."""
        if not np.isfinite(self.squares):
            raise squares_overflow(owner)


def at_random(k: int, d: int, mean: float, rng: np.random.Generator) -> Floats:
    """Factors of columns, (d, k)."""
    size = float(np.sqrt(mean / k)) if mean > 0 else 1.0
    return np.ascontiguousarray(size * np.abs(rng.normal(size=(k, d))).T)


@dataclass(frozen=True)
class Parts:
    """Σ w max(z, 0)² and Σ w min(z, 0)² of the coordinates of rows, (k,)."""

    above: Floats
    below: Floats

    @classmethod
    def of(cls, chunk: Chunk, axes: Floats) -> Parts:
        """Of rows along axes (k, d)."""
        X: Any = chunk.X
        Z = sparse.affine(X, np.ascontiguousarray(axes.T), np.zeros(len(axes))) if is_sparse(X) else X @ axes.T
        w = given_or_ones(chunk.weight, len(chunk))
        return cls(w @ np.maximum(Z, 0.0) ** 2, w @ np.minimum(Z, 0.0) ** 2)

    def __add__(self, other: Parts) -> Parts:
        return Parts(self.above + other.above, self.below + other.below)


def from_singular_vectors(source: Source, k: int, rng: np.random.Generator) -> Floats:
    """Factors of columns, (d, k), many of them 0 (Boutsidis and Gallopoulos, 2008)."""
    with unobserved():
        found = leading_axes(source, k, rng, n_iter=2, exact=len(source.schema) <= _FEW)
        axes = found.state.axes
        parts = source.reduce(lambda chunk: Parts.of(chunk, axes))
    up, down = np.maximum(axes, 0.0), np.maximum(-axes, 0.0)
    sizes = np.linalg.norm(up, axis=1) * np.sqrt(parts.above), np.linalg.norm(down, axis=1) * np.sqrt(parts.below)
    columns = np.where((sizes[0] >= sizes[1])[:, None], up, down)
    columns[0] = np.abs(axes[0])
    lengths = np.linalg.norm(columns, axis=1)
    size = np.sqrt(np.maximum(*sizes))
    return np.ascontiguousarray(
        (columns * np.where(lengths > 0, size / np.where(lengths > 0, lengths, 1), 0)[:, None]).T
    )


def filled(columns: Floats, init: str, rng: np.random.Generator) -> Floats:
    """Factors of columns whose zeros are the mean of all (nndsvda), or small random numbers (nndsvdar).

    Both are in the units of the factors, which are not those of the cells: no unit is better than another.
    """
    columns = np.where(columns < 1e-6 * columns.max(), 0.0, columns)
    if init == "nndsvd":
        return columns
    mean = float(columns.mean())
    some = mean if init == "nndsvda" else np.abs(mean * rng.normal(size=columns.shape) / 100)
    return np.where(columns == 0, some, columns)
