"""The matrix of a kernel, kept whole or made again block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..backend.blas import blas_threads_for
from ..errors import InvalidData
from ..params import are_numbers
from ..typing import Floats, Numbers
from .base import Function, Kernel, Rows

_BLOCK_CELLS = 1 << 22  # cells of the kernel matrix made at once


@dataclass(frozen=True)
class Gram:
    """The kernel matrix of some rows (n, d), whole where it is kept, and its diagonal k(x, x), (n,)."""

    X: Floats
    function: Function | None  # None: X is the matrix itself
    whole: Floats | None
    diagonal: Floats

    @classmethod
    def of(cls, X: Floats, function: Function | None, memory: int, owner: str) -> Gram:
        """The matrix, kept where it takes at most `memory` bytes, else made again at every use."""
        if function is None:
            return cls(X, None, X, np.diagonal(X).copy())
        n = len(X)
        height = max(1, _BLOCK_CELLS // n)
        keep = 8 * n * n <= memory
        blocks, diagonal = [], np.empty(n)
        for first in range(0, n, height):
            with blas_threads_for(n * X.size):
                block = checked(_own_rows(function, first), X[first : first + height], X, owner)
            diagonal[first : first + height] = block[np.arange(len(block)), first + np.arange(len(block))]
            if keep:
                blocks.append(block)
        return cls(X, function, np.concatenate(blocks) if keep else None, diagonal)

    def row(self, i: int) -> Floats:
        """Row i of the matrix, (n,)."""
        if self.whole is not None or self.function is None:
            return np.asarray(self.X[i] if self.whole is None else self.whole[i])
        return np.asarray(_own_rows(self.function, i)(self.X[i : i + 1], self.X)[0], dtype=np.float64)

    def same_as(self, i: int) -> NDArray[np.bool_]:
        """Which rows are equal to row i, (n,)."""
        return np.asarray((self.X[i] == self.X).all(axis=1))

    def times(self, right: Floats) -> Floats:
        """The matrix times (n, k)."""
        if self.whole is None:
            return products(self.function, self.X, self.X, right, own=True)
        with blas_threads_for(self.whole.size * right.shape[1]):
            return self.whole @ right


def _own_rows(function: Function, at: int) -> Function:
    """The kernel of rows of a table with all of them, from row `at` on: a row is itself for kernels of noise."""
    if not isinstance(function, Kernel):
        return function
    return lambda X, Y: function.part(function.rows(X), function.rows(Y), at)


def products(function: Function | None, X: Floats, Y: Floats, right: Floats, own: bool = False) -> Floats:
    """The kernel matrix of X (n, d) and Y (m, d) times (m, k), block by block; without a function X is the matrix.

    `own` says that X and Y are the same rows.
    """
    columns = right.shape[1] + (0 if function is None else X.shape[1])
    with blas_threads_for(len(X) * len(right) * columns):
        if function is None:
            return X @ right
        out = np.empty((len(X), right.shape[1]))
        height = max(1, _BLOCK_CELLS // len(Y))
        for first in range(0, len(X), height):
            used = _own_rows(function, first) if own else function
            out[first : first + height] = np.asarray(used(X[first : first + height], Y), dtype=np.float64) @ right
        return out


def checked(
    function: Callable[[Rows, Rows], object], X: Numbers, Y: Numbers, owner: str, what: str = "kernel"
) -> Floats:
    """The kernel of rows X and Y, of which a function of the user's must make an (n, m) matrix of finite numbers."""
    with np.errstate(over="ignore", invalid="ignore"):  # looked at below
        values = function(X, Y)
    is_table = are_numbers(values, 0, 1, 2)
    found = np.asarray(values, dtype=np.float64) if is_table else np.empty(0)
    if found.shape != (X.shape[0], Y.shape[0]):
        got = f"shape {found.shape}" if is_table else type(values).__name__
        raise InvalidData(
            f"{owner}: {what} must give one number for each pair of rows, shape ({X.shape[0]}, {Y.shape[0]}); got "
            f"{got}."
        )
    if not np.isfinite(found).all():
        raise InvalidData(f"{owner}: {what} gives NaN or infinity for some pair of rows; scale the columns down.")
    return found
