"""The kernel of a given matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter, shown
from ..holds import floats
from ..params import are_numbers
from ..typing import Floats, Reals
from .base import Kernel


class _OfMatrix(Protocol):
    @property
    def matrix(self) -> Floats: ...


def check_symmetric(kernel: _OfMatrix) -> None:
    """Refuse the matrix of a kernel that is not square, finite and symmetric."""
    check_symmetric_matrix(kernel.matrix, type(kernel).__name__, "matrix")


def check_symmetric_matrix(M: object, owner: str, name: str) -> None:
    """Refuse a matrix that is not square, finite and symmetric."""
    values = np.asarray(M, dtype=np.float64) if are_numbers(M, 2) else np.empty(0)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not np.isfinite(values).all():
        raise InvalidParameter(f"{owner}: {name} must be square, of finite numbers; got {shown(M)}.")
    if np.abs(values - values.T).max(initial=0.0) > 1e-8 * np.abs(values).max(initial=0.0):
        raise InvalidParameter(f"{owner}: {name} must be symmetric, k(i, j) = k(j, i).")


def is_semidefinite(matrix: Floats) -> bool:
    """Whether no eigenvalue of a symmetric matrix is negative, but for rounding."""
    values = np.asarray(matrix, dtype=np.float64)
    lowest = np.linalg.eigvalsh(values)[0] if len(values) else 0.0
    return bool(lowest >= -1e-9 * len(values) * np.abs(values).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class PrecomputedKernel(Kernel):
    """The kernel of a given matrix, k(i, j) = Mᵢⱼ: a row is one number, its place in the matrix.

    M must be square and symmetric; whether it is positive is looked at once, by its smallest eigenvalue.

    >>> PrecomputedKernel(np.array([[2.0, 1.0], [1.0, 3.0]]))([[1], [0]])
    array([[3., 1.],
           [1., 2.]])
    """

    matrix: Floats
    holds: ClassVar = {"matrix": floats("n", "n")}

    def __post_init__(self) -> None:
        check_symmetric(self)

    def check_loaded(self) -> None:
        """Refuse a matrix of a file that is not symmetric."""
        check_symmetric(self)

    @property
    def is_positive(self) -> bool:
        return is_semidefinite(self.matrix)

    def between(self, X: Reals, Y: Reals) -> Reals:
        values = np.asarray(self.matrix, dtype=X.dtype)
        return np.asarray(values[np.ix_(self._places(X), self._places(Y))])

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(np.diagonal(np.asarray(self.matrix))[self._places(X)], dtype=X.dtype)

    def _places(self, X: Reals) -> NDArray[np.intp]:
        n = len(self.matrix)
        whole = X.shape[1] == 1 and bool(np.all((X >= 0) & (n > X) & (np.floor(X) == X)))
        if not whole:
            raise InvalidData(
                f"PrecomputedKernel: a row must be one number, its place in the matrix, from 0 to {n - 1}; got "
                f" {X.shape[1]} columns, or other numbers."
            )
        return X[:, 0].astype(np.intp)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        A = np.random.default_rng(0).normal(size=(60, 5))
        return (cls(A @ A.T), cls(A @ np.diag([1.0, -1.0, 1.0, 1.0, 1.0]) @ A.T))

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        return rng.integers(0, len(self.matrix), (n, 1)).astype(np.float64)
