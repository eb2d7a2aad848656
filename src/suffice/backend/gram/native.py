"""The kernels of kernel matrices; see `portable.py` for what each computes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Floats, Reals, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Form, tried


def kernel_matrix(X: Reals, Y: Reals | None, form: Form) -> Reals:
    """The kernel of the rows of X with those of Y, or among those of X."""
    other = X if Y is None else Y.astype(X.dtype, copy=False)
    out = np.empty((len(X), len(other)), dtype=X.dtype)
    kernels().gram(X, other, Y is None, *_arguments(form), _middle(other, form), thread_count(), out)
    return out


@dataclass(frozen=True)
class Packed:
    """Rows in panels, as the kernels multiply them, less a shift."""

    cells: Floats
    lengths: Floats
    n: int
    form: Form
    shift: Floats | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n, len(self.cells) // max(1, len(self.lengths))

    def fill(self, X: Reals, slots: Whole, out: Reals) -> None:
        """Row slots[i] of out (slots, n) becomes the kernel of row i of X with all rows."""
        rows = np.ascontiguousarray(X if self.shift is None else X - self.shift, dtype=np.float64)
        kernels().gram_rows(
            self.cells, self.lengths, self.n, rows, *_arguments(self.form), slots, thread_count(), out
        )  # fmt: skip

    def times(self, X: Reals, right: Floats, rounded: bool = False) -> Floats:
        """The kernel of the rows of X with all rows, rounded to single precision or not, times (n, p)."""
        columns = np.zeros((right.shape[1], len(self.lengths)))
        columns[:, : self.n] = right.T
        out = np.empty((len(X), right.shape[1]))
        kernels().kernel_products(
            X, self.cells, self.lengths, self.n, self.shift, *_arguments(self.form), columns, rounded, thread_count(),
            out,
        )  # fmt: skip
        return out

    def comparable(self) -> tuple[Floats, Floats]:
        """What it makes of some rows."""
        return tried(self)


def packed(Y: Reals, form: Form, shift: Floats | None = None) -> Packed:
    """Rows made ready for many kernel matrices with them."""
    height = kernels().gram_panel_rows()
    padded = -(-len(Y) // height) * height
    cells, lengths = np.zeros(padded * Y.shape[1]), np.zeros(padded)
    less = None if shift is None else doubles(shift)
    kernels().gram_pack(Y, less, cells, lengths)
    return Packed(cells, lengths, len(Y), form, less)


def subtract_rows(rows: Reals, slots: Whole, by: Floats, v: Floats) -> Floats:
    """v less the sum of some rows, each times a number."""
    out = v.copy()
    kernels().subtract_rows(rows, slots, by, thread_count(), out)
    return out


def symmetric_products(matrix: Floats, v: Floats) -> Floats:
    """A symmetric matrix times two vectors."""
    out = np.empty(v.shape)
    kernels().symmetric_products(matrix, doubles(v), thread_count(), out)
    return out


def _middle(rows: Reals, form: Form) -> Floats | None:
    return rows.mean(axis=0, dtype=np.float64) if form.kind == "gaussian" and len(rows) else None


def _arguments(form: Form) -> tuple[str, float, float, int]:
    return form.kind, float(form.scale), float(form.constant), int(form.degree)
