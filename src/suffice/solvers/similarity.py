"""The kernel matrix of the rows of a table by parts: whichever kernel, dense or sparse rows, or a given matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..backend.gram import Form, kernel_matrix, packed
from ..data.rows import is_sparse
from ..errors import InvalidData
from ..kernels import Function, Kernel
from ..kernels.gram import checked
from ..typing import CSR, Floats, Numbers, Reals, Whole

Fill = Callable[[Whole, Whole, Reals], None]  # of places, slots and out: row slots[i] of out is that of places[i]
_BLOCK = 1 << 22  # cells of a kernel matrix made at once
_LARGEST, _LARGEST_SINGLE = 1e150, 1e37  # a kernel, of which squares and sums are still numbers


class Similarity:
    """Base: the kernel among n rows. A subclass gives `between`, and may do the rest faster."""

    n: int
    dtype: np.dtype[np.floating] = np.dtype(np.float64)  # of rows that are kept

    def between(self, left: Whole, right: Whole) -> Reals:
        """The kernel of some rows with others, by their places."""
        raise NotImplementedError

    def whole(self) -> Reals:
        """The kernel of all rows with each other, (n, n)."""
        everything = np.arange(self.n)
        return self.between(everything, everything)

    def only(self, places: Whole) -> Similarity:
        """That of some rows alone."""
        return _Part(self, places)

    def filler(self) -> Fill:
        """What writes rows of the matrix into slots."""
        everything = np.arange(self.n)

        def fill(places: Whole, slots: Whole, out: Reals) -> None:
            out[slots] = self.between(places, everything)

        return fill

    def times(self, left: Whole, right: Whole, columns: Floats) -> Floats:
        """The kernel of some rows with others, times (m, p)."""
        height = max(1, _BLOCK // max(1, len(right)))
        parts = [
            np.asarray(self.between(left[first : first + height], right), dtype=np.float64) @ columns
            for first in range(0, len(left), height)
        ]
        return np.concatenate(parts) if parts else np.empty((0, columns.shape[1]))


@dataclass(frozen=True)
class _Part(Similarity):
    """Some rows of another."""

    of: Similarity
    places: Whole

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.places)

    @property
    def dtype(self) -> np.dtype[np.floating]:  # type: ignore[override]
        return self.of.dtype

    def between(self, left: Whole, right: Whole) -> Reals:
        return self.of.between(self.places[left], self.places[right])


@dataclass(frozen=True)
class Matrix(Similarity):
    """A given matrix, (n, n)."""

    values: Reals

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.values)

    def between(self, left: Whole, right: Whole) -> Reals:
        return np.asarray(self.values[np.ix_(left, right)])

    def whole(self) -> Reals:
        return self.values


@dataclass(frozen=True)
class Products(Similarity):
    """A kernel that follows from products, of dense rows (n, d); Gaussian ones are kept in single precision."""

    X: Reals
    form: Form
    shift: Floats | None

    @classmethod
    def of(cls, X: Reals, form: Form) -> Products:
        """Rows less their mean, where only distances count: that of all rows, so that parts have the same bits."""
        return cls(X, form, X.mean(axis=0, dtype=np.float64) if form.kind == "gaussian" and len(X) else None)

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.X)

    @property
    def dtype(self) -> np.dtype[np.floating]:  # type: ignore[override]
        return np.dtype(np.float32 if self.form.kind == "gaussian" else np.float64)

    def only(self, places: Whole) -> Products:
        return Products(np.ascontiguousarray(self.X[places]), self.form, self.shift)

    def between(self, left: Whole, right: Whole) -> Reals:
        out = np.empty((len(left), len(right)), dtype=self.dtype)
        packed(self.X[right], self.form, self.shift).fill(self.X[left], np.arange(len(left)), out)
        return out

    def whole(self) -> Reals:
        if self.form.kind == "gaussian":
            return np.asarray(kernel_matrix(self.X, None, self.form))
        return super().whole()  # sums of products cancel, so that they are doubles also for rows of singles

    def filler(self) -> Fill:
        rows = packed(self.X, self.form, self.shift)
        return lambda places, slots, out: rows.fill(self.X[places], slots, out)

    def times(self, left: Whole, right: Whole, columns: Floats) -> Floats:
        rounded = self.dtype == np.float32  # as the rows that are kept, so that both are of one matrix
        return packed(self.X[right], self.form, self.shift).times(self.X[left], columns, rounded)


@dataclass(frozen=True)
class SparseProducts(Similarity):
    """The same of CSR rows, of doubles, as all sums of products are."""

    X: CSR
    form: Form

    @classmethod
    def of(cls, X: CSR, form: Form) -> SparseProducts:
        return cls(X.astype(np.float64), form)

    @property
    def n(self) -> int:  # type: ignore[override]
        return int(self.X.shape[0])

    def only(self, places: Whole) -> SparseProducts:
        return SparseProducts(self.X[places], self.form)

    def between(self, left: Whole, right: Whole) -> Reals:
        return sparse_kernel(self.X[left], self.X[right], self.form)

    def filler(self) -> Fill:
        def fill(places: Whole, slots: Whole, out: Reals) -> None:
            out[slots] = sparse_kernel(self.X[places], self.X, self.form)

        return fill


def sparse_kernel(X: CSR, Y: CSR, form: Form) -> Floats:
    """A kernel that follows from products, of the rows of X (n, d) and Y (m, d), one of them or both CSR."""
    X, Y = X.astype(np.float64, copy=False), Y.astype(np.float64, copy=False)
    products: Floats = np.asarray((X @ Y.T).toarray() if is_sparse(X) and is_sparse(Y) else X @ Y.T)
    if form.kind == "product":
        return products
    if form.kind == "polynomial":
        return np.asarray((form.scale * products + form.constant) ** form.degree)
    apart = _squares(X)[:, None] + _squares(Y) - 2 * products
    return np.exp(-form.scale * np.maximum(apart, 0.0))


def _squares(X: Numbers) -> Floats:
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()  # type: ignore[attr-defined]
    rows = np.asarray(X, dtype=np.float64)
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


@dataclass(frozen=True)
class Called(Similarity):
    """Whatever kernel, or a function of the user's, of dense rows (n, d)."""

    X: Reals
    function: Function
    owner: str

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.X)

    def only(self, places: Whole) -> Called:
        return Called(self.X[places], self.function, self.owner)

    def between(self, left: Whole, right: Whole) -> Reals:
        found = checked(self.function, self._doubles[left], self._doubles[right], self.owner)
        if isinstance(self.function, Kernel):  # of noise, a row is the same as itself only
            _, i, j = np.intersect1d(left, right, return_indices=True)
            found[i, j] = self.function.diag(self.X[left[i]])
        return found

    def whole(self) -> Reals:
        return checked(self.function, self._doubles, self._doubles, self.owner)

    @cached_property
    def _doubles(self) -> Floats:
        return np.asarray(self.X, dtype=np.float64)


def similarity_of(X: Numbers, function: Function | None, owner: str) -> Similarity:
    """The kernel among rows; without a function, X is its matrix."""
    if function is None:
        return Matrix(np.asarray(X))
    form = function.form(X.shape[1]) if isinstance(function, Kernel) else None
    if is_sparse(X):
        if form is None:
            raise InvalidData(
                f"{owner}: sparse rows have no kernel {function!r} here; take linear, poly or rbf, or X.toarray()."
            )
        _check_size(X, form, owner)
        return SparseProducts.of(X, form)
    rows = np.ascontiguousarray(X)
    if form is None:
        return Called(rows, function, owner)
    _check_size(rows, form, owner)
    return Products.of(rows, form)


def _check_size(X: Numbers, form: Form, owner: str) -> None:
    """Refuse rows whose kernels are so large that what is made of them overflows: |x·y| is at most the largest x·x."""
    if form.kind == "gaussian":
        return
    longest = float(_squares(X).max(initial=0.0))
    with np.errstate(over="ignore"):
        base = longest if form.kind == "product" else abs(form.scale) * longest + abs(form.constant)
        largest = np.float64(base) ** form.degree
    if not largest < (_LARGEST_SINGLE if X.dtype == np.float32 else _LARGEST):
        raise InvalidData(
            f"{owner}: kernel gives numbers up to {largest:.3g}, too large to be added up; scale the columns down, or "
            "take a lower degree."
        )
