"""Least squares over the known cells of rows: the factors of each row, given those of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...backend.factors import Equations, row_equations, solve_rows
from ...typing import Floats, Whole

_BLOCK_BYTES = 1 << 23  # of equations that are made at once


@dataclass(frozen=True)
class Problem:
    """Rows whose factors are sought: each minimises Σ w (t − u·v)² + uᵀ base u + ridge ‖u‖², with right = w t.

    `starts` and `columns` say which rows v of a matrix each has; `base` (p, p) is common to all.
    """

    starts: Whole
    columns: Whole
    right: Floats
    weight: Floats | None
    ridge: Floats
    base: Floats | None = None
    nonnegative: bool = False
    less: float = 0.0  # taken from every right side

    def solved(self, matrix: Floats, start: Floats | None = None) -> Floats:
        """The factors of all rows, (n, p)."""
        out = np.zeros((len(self.ridge), matrix.shape[1]))
        for at, (grams, rights) in self._blocks(matrix):
            if self.base is not None:
                grams += self.base
            own = None if start is None else start[at]
            out[at] = solve_rows(rights - self.less, grams, self.ridge[at], self.nonnegative, own)
        return out

    def equations(self, matrix: Floats) -> Equations:
        """The sums over the cells of every row."""
        return row_equations(matrix, self.starts, self.columns, self.right, self.weight)

    def _blocks(self, matrix: Floats) -> Iterator[tuple[slice, Equations]]:
        n, height = len(self.ridge), max(1, _BLOCK_BYTES // (8 * matrix.shape[1] ** 2))
        for first in range(0, n, height):
            at = slice(first, min(first + height, n))
            begin, end = self.starts[at.start], self.starts[at.stop]
            weight = None if self.weight is None else self.weight[begin:end]
            starts = self.starts[at.start : at.stop + 1] - begin
            yield at, row_equations(matrix, starts, self.columns[begin:end], self.right[begin:end], weight)
