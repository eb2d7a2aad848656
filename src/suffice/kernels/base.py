"""What every kernel is: a similarity of rows that is an inner product of features, k(x, y) = φ(x)·φ(y)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, ClassVar, Literal

import numpy as np

from ..backend.gram import Form, kernel_matrix
from ..choices import Choices, Named, check_number
from ..data import Needs, Source
from ..data.rows import FLOATS, as_array, as_rows
from ..errors import InvalidData, MemoryNeeded
from ..params import plain_number
from ..registry import register_member
from ..typing import Floats, Numbers, Reals, TableLike
from .parameters import Parametric

Rows = Any  # made ready: numbers (n, d) of one precision, or cells of any kind, as the kernel says
Function = Callable[[Rows, Rows], Reals]  # of X (n, d) and Y (m, d), (n, m)
WithSlopes = tuple[Reals, list[Reals]]  # the matrix, and its derivative in each number of theta
MEMORY = 1 << 31  # bytes that a matrix may take unless it is said otherwise
_BLOCK = 1 << 26  # bytes of a block
_FEW = 64  # rows whose matrix is made for its diagonal alone


class Kernel(Parametric, Named):
    """Base of the kernels: frozen dataclasses that are functions of X (n, d) and Y (m, d), and give (n, m).

    A subclass names itself in `names` and gives `between`. It may give `diagonal`, and, for the fields that `tunable`
    names, `between_with_slopes`. Subclasses register themselves, so that everybody who takes names, and the contract
    tests, find them. Operators, which are kernels of kernels, say by which sign they are written.
    """

    members: ClassVar[list[type[Kernel]]] = []
    takes: ClassVar[Literal["numbers", "cells", "text"]] = "numbers"  # of rows; cells may be anything, also categories

    def __init_subclass__(cls, operator: str = "") -> None:
        Kernel.members.append(cls)
        KERNELS.register(cls)
        register_member(cls, "kernel")
        if operator:
            _OPERATORS[operator] = cls

    # ---- what a subclass says ----

    @property
    def is_positive(self) -> bool:
        """Whether no matrix of it has a negative eigenvalue."""
        return True

    @property
    def reads_categories(self) -> bool:
        """Whether it makes sense of categories that a model has coded as numbers, 0, 1, 2, …."""
        return self.takes == "cells"

    @property
    def reads_text(self) -> bool:
        """Whether it is a kernel of texts alone, which models of numbers cannot use; a matrix of it they can."""
        return self.takes == "text"

    def between(self, X: Rows, Y: Rows) -> Reals:
        """k(x, y) of the rows of X (n, d) and Y (m, d), (n, m), in the precision of X; Y is X itself for one table."""
        raise TypeError(f"{type(self).__name__} does not define between")

    def form(self, d: int) -> Form | None:
        """What it makes of products of rows with d columns, where it follows from them; else None."""
        return None

    def diagonal(self, X: Rows) -> Reals:
        """k(x, x) of each row, (n,)."""
        cut = (X[first : first + _FEW] for first in range(0, len(X), _FEW))
        parts = [np.diagonal(self.between(part, part)) for part in cut]
        return np.concatenate(parts) if parts else np.empty(0)

    def between_with_slopes(self, X: Rows, Y: Rows) -> WithSlopes:
        """The same as `between`, and its derivatives in the logarithms `theta`, (n, m) each."""
        if len(self.theta):
            raise TypeError(f"{type(self).__name__} does not define between_with_slopes")
        return self.between(X, Y), []

    @property
    def has_frequencies(self) -> bool:
        """Whether it is k(x − y) with k(0) = 1, of which `frequencies` can be drawn."""
        return False

    def frequencies(self, rng: np.random.Generator, size: int, d: int) -> Floats:
        """Draws ω, (d, size), from the density of which k(x − y) = E cos(ω·(x − y)) is the Fourier transform."""
        raise TypeError(f"{type(self).__name__} does not define frequencies")

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        """Some members, for the contract tests."""
        return (cls(),)

    def example(self, rng: np.random.Generator, n: int) -> Rows:
        """Rows that have this kernel, for the contract tests."""
        return rng.normal(size=(n, 4))

    # ---- what an operator says as well: `at` is the place in Y of the first row of X, where X is a part of Y ----

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        """k(x, y) of rows made ready; a row is the same as itself, and no other, only for kernels of noise."""
        return self.between(X, Y)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        """The same with the derivatives in `theta`."""
        return self.between_with_slopes(X, Y)

    # ---- what everybody uses ----

    def __call__(self, X: TableLike, Y: TableLike | None = None) -> Reals:
        """The kernel of the rows of X with those of Y, (n, m), or with each other, (n, n), in the precision of X."""
        A, B = self._pair(X, Y)
        with _quietly():
            return self.part(A, B, 0 if Y is None else None)

    def diag(self, X: TableLike) -> Reals:
        """k(x, x) of each row, (n,)."""
        rows = self.rows(held(X, self))
        with _quietly():
            return self.diagonal(rows)

    def gram(self, X: TableLike, Y: TableLike | None = None, *, memory: int = MEMORY, owner: str = "") -> Reals:
        """The same matrix as a call gives; refused with the figure where it would take more than `memory` bytes."""
        A, B = self._pair(X, Y)
        check_memory(len(A), len(B), _itemsize(A), memory, owner or type(self).__name__)
        with _quietly():
            return self.part(A, B, 0 if Y is None else None)

    def blocks(
        self, X: TableLike, Y: TableLike | None = None, *, memory: int = _BLOCK
    ) -> Iterator[tuple[slice, Reals]]:
        """The same matrix in blocks of whole rows, each of at most `memory` bytes, or one row: (rows, block) each.

        Rows of a `scan` of files, or another source, are read as they are needed; those of Y are held in memory.
        """
        if isinstance(X, Source) and X.in_memory is None:
            yield from self._streamed(X, Y, memory)
            return
        A, B = self._pair(X, Y)
        height = max(1, memory // max(1, len(B) * _itemsize(A)))
        for first in range(0, len(A), height):
            rows = slice(first, min(first + height, len(A)))
            own = A if rows == slice(0, len(A)) else A[rows]
            with _quietly():
                block = self.part(own, B, first if Y is None else None)
            yield rows, block

    def _streamed(self, X: Source, Y: TableLike | None, memory: int) -> Iterator[tuple[slice, Reals]]:
        B = self.rows(held(X if Y is None else Y, self))
        with closing(X.suited_to(needs_of(self)).watched()) as chunks:
            for chunk in chunks:
                height = max(1, memory // max(1, len(B) * _itemsize(B)))
                for first in range(0, len(chunk), height):
                    A = self.rows(chunk.X[first : first + height])
                    at = chunk.start + first
                    with _quietly():
                        block = self.part(A, B, at if Y is None else None)
                    yield slice(at, at + len(A)), block

    def gradients(self, X: TableLike, Y: TableLike | None = None) -> WithSlopes:
        """The matrix of the rows, and its derivative in each of the logarithms `theta`, (n, m) each."""
        A, B = self._pair(X, Y)
        with _quietly():
            return self.part_with_slopes(A, B, 0 if Y is None else None)

    def rows(self, X: object) -> Rows:
        """X as rows made ready: float32 or float64, or cells of any kind."""
        if self.takes == "numbers":
            return as_rows(X, type(self).__name__)
        cells = as_array(X, type(self).__name__)
        if cells.dtype.kind in "US" and not isinstance(X, np.ndarray):
            cells = np.asarray(X, dtype=object)  # numbers beside text stay numbers
        if cells.ndim != 2:
            raise InvalidData(f"{type(self).__name__}: rows must be a table; got an array of {cells.ndim} dimensions.")
        return cells

    def _pair(self, X: object, Y: object) -> tuple[Rows, Rows]:
        A = self.rows(held(X, self))
        if Y is None:
            return A, A
        B = self.rows(held(Y, self))
        if A.shape[1:] != B.shape[1:]:
            raise InvalidData(
                f"{type(self).__name__}: X has {A.shape[1]} columns but Y has {B.shape[1]}; rows of both must have the "
                "same columns."
            )
        return A, B.astype(A.dtype, copy=False) if A.dtype in FLOATS and B.dtype in FLOATS else B

    # ---- kernels of kernels, which register their signs ----

    def __add__(self, other: object) -> Kernel:
        return _written("+", self, other)

    def __radd__(self, other: object) -> Kernel:
        return _written("+", other, self)

    def __mul__(self, other: object) -> Kernel:
        number = plain_number(other)
        return _written("*", self, other) if number is None else _written("c*", self, number)

    def __rmul__(self, other: object) -> Kernel:
        return self * other

    def __matmul__(self, other: object) -> Kernel:
        return _OPERATORS["@"](self, other)  # type: ignore[call-arg]

    def __pow__(self, degree: object) -> Kernel:
        return _OPERATORS["**"](self, degree)  # type: ignore[call-arg]

    def on(self, columns: object) -> Kernel:
        """This kernel of some columns, by number."""
        return _OPERATORS["on"](self, columns)  # type: ignore[call-arg]

    def exp(self) -> Kernel:
        """The exponential of this kernel; NumPy's `exp` of a kernel calls it."""
        return _OPERATORS["exp"](self)  # type: ignore[call-arg]

    def series(self, coefficients: object) -> Kernel:
        """The polynomial Σ_p c_p k^p of this kernel, of coefficients (c₀, c₁, …) that are not negative."""
        return _OPERATORS["series"](self, coefficients)  # type: ignore[call-arg]

    def normalized(self) -> Kernel:
        """This kernel of features of length 1."""
        return _OPERATORS["normalized"](self)  # type: ignore[call-arg]

    def centered(self, X: TableLike) -> Kernel:
        """This kernel of features less their mean over the rows of X."""
        return _OPERATORS["centered"](self, X)  # type: ignore[call-arg]


KERNELS: Choices[Kernel] = Choices("kernel", Kernel)
_OPERATORS: dict[str, type[Kernel]] = {}


def _written(sign: str, left: object, right: object) -> Kernel:
    """The kernel of an operator; a number added is a constant kernel, anything else no kernel."""
    if sign == "+":
        left, right = (
            _OPERATORS["c"](plain_number(side)) if plain_number(side) is not None else side  # type: ignore[call-arg]
            for side in (left, right)
        )
    if not isinstance(left, Kernel) or (sign != "c*" and not isinstance(right, Kernel)):
        return NotImplemented  # type: ignore[no-any-return]
    return _OPERATORS[sign](left, right)  # type: ignore[call-arg]


def _quietly() -> np.errstate:
    """Rows beyond all numbers have kernels that are infinite or NaN, which models look for; nobody need warn."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def needs_of(kernel: Kernel) -> Needs:
    """What rows of a source must be for a kernel."""
    return Needs(type(kernel).__name__, categories=kernel.reads_categories)


def held(X: Rows, kernel: Kernel) -> Rows:
    """The rows of a source in memory, refused where they would take too much of it; anything else as it is."""
    if not isinstance(X, Source):
        return X
    return X.suited_to(needs_of(kernel)).gather(MEMORY, "compare them with fewer rows, block by block").X


def _itemsize(X: Rows) -> int:
    return 4 if X.dtype == np.float32 else 8


def check_memory(n: int, m: int, itemsize: int, memory: int, owner: str) -> None:
    """Refuse a kernel matrix that takes more than `memory` bytes."""
    needed = n * m * itemsize
    if needed > memory:
        raise MemoryNeeded(
            f"{owner}: the kernel matrix of {n:,} × {m:,} rows takes {needed:,} bytes, more than memory={memory:,}. "
            "Raise memory, take fewer rows, or approximate the kernel by Nystroem before a linear model."
        )


def product_matrix(X: Reals, Y: Reals, form: Form) -> Reals:
    """The matrix of a kernel that follows from products; of rows with themselves, Y is X, half is computed."""
    found: Reals = kernel_matrix(X, None if Y is X else Y, form)
    return found


class _Scaled(Kernel):
    """Base of the kernels with a scale gamma; None takes 1/d."""

    gamma: float | None

    def __post_init__(self) -> None:
        if self.gamma is not None:
            check_number(self, "gamma", 0.0, above=True)

    def scale(self, X: Numbers) -> float:
        """The scale for rows of d columns."""
        return self.scale_of(X.shape[1])

    def scale_of(self, d: int) -> float:
        """The same by the number of columns."""
        return 1 / max(1, d) if self.gamma is None else float(self.gamma)
