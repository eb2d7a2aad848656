"""Kernel matrices in plain array code: readable, and the definition of what the kernel computes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Floats, Reals, Whole
from ..arrays import Array, as_double, beside, namespace
from .values import Form, tried


def kernel_matrix(X: Array, Y: Array | None, form: Form) -> Array:
    """The kernel (n, m) of the rows of X with those of Y, or (n, n) among those of X, in the type of X."""
    xp, A = namespace(X), as_double(X)
    B = A if Y is None else as_double(beside(X, Y))
    if form.kind != "gaussian":
        products = A @ B.T
        made = products if form.kind == "product" else (form.scale * products + form.constant) ** form.degree
        return xp.astype(made, X.dtype)
    if B.shape[0]:
        middle = xp.sum(B, axis=0) / B.shape[0]  # differences of numbers near zero lose fewer digits
        A, B = A - middle, B - middle
    own, other = xp.sum(A * A, axis=1), xp.sum(B * B, axis=1)
    apart = own[:, None] + other[None, :] - 2 * (A @ B.T)
    return xp.astype(xp.exp(-form.scale * xp.where(apart < 0, xp.zeros_like(apart), apart)), X.dtype)


@dataclass(frozen=True)
class Packed:
    """Rows made ready for many kernel matrices with them."""

    Y: Reals
    form: Form
    shift: Floats | None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.Y.shape[0], self.Y.shape[1]

    def fill(self, X: Reals, slots: Whole, out: Reals) -> None:
        """Row slots[i] of out (slots, n) becomes the kernel of row i of X with all rows."""
        out[slots] = kernel_matrix(np.asarray(X, dtype=np.float64), np.asarray(self.Y, dtype=np.float64), self.form)

    def times(self, X: Reals, right: Floats, rounded: bool = False) -> Floats:
        """The kernel of the rows of X with all rows, rounded to single precision or not, times (n, p)."""
        K = kernel_matrix(np.asarray(X, dtype=np.float64), np.asarray(self.Y, dtype=np.float64), self.form)
        return np.asarray((K.astype(np.float32).astype(np.float64) if rounded else K) @ right)

    def comparable(self) -> tuple[Floats, Floats]:
        """What it makes of some rows."""
        return tried(self)


def packed(Y: Reals, form: Form, shift: Floats | None = None) -> Packed:
    """Rows made ready for many kernel matrices with them; a shift of all rows changes rounding alone."""
    return Packed(Y, form, shift)


def subtract_rows(rows: Reals, slots: Whole, by: Floats, v: Floats) -> Floats:
    """v (n,) less the sum of some rows of (slots, n), each times a number."""
    return v - by @ np.asarray(rows[slots], dtype=np.float64)


def symmetric_products(matrix: Floats, v: Floats) -> Floats:
    """A symmetric matrix (n, n) times two vectors, (2, n)."""
    return np.asarray(v @ matrix)
