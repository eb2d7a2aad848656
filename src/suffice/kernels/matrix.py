"""The kernel of a matrix between the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidData
from ..holds import floats
from ..typing import Floats, Reals
from .base import Kernel
from .precomputed import check_symmetric, is_semidefinite


@dataclass(frozen=True, eq=False)
class MatrixKernel(Kernel):
    """The inner product of a matrix, k(x, y) = xᵀ M y, of a symmetric M: columns that have something in common.

    It is positive where M has no negative eigenvalue, which is looked at.

    >>> MatrixKernel(np.array([[2.0, 1.0], [1.0, 1.0]]))([[1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]])
    array([[1., 3.]])
    """

    matrix: Floats
    holds: ClassVar = {"matrix": floats("d", "d")}

    def __post_init__(self) -> None:
        check_symmetric(self)

    def check_loaded(self) -> None:
        """Refuse a matrix of a file that is not symmetric."""
        check_symmetric(self)

    @property
    def is_positive(self) -> bool:
        return is_semidefinite(self.matrix)

    def between(self, X: Reals, Y: Reals) -> Reals:
        M = np.asarray(self.matrix, dtype=np.float64)
        if X.shape[1] != len(M):
            raise InvalidData(f"MatrixKernel: matrix is of {len(M)} columns, but the rows have {X.shape[1]}.")
        return np.asarray((X @ M) @ Y.T.astype(np.float64, copy=False), dtype=X.dtype)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        A = np.random.default_rng(0).normal(size=(4, 4))
        return cls(A @ A.T), cls(A + A.T)
