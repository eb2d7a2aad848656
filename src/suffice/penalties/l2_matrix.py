"""The L2 penalty by a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..errors import InvalidParameter
from ..holds import number, tuples
from ..typing import Floats, NumberLike
from .base import Penalty, check_strength


@dataclass(frozen=True)
class L2Matrix(Penalty):
    """The L2 penalty by a matrix, ½ λ wᵀ M w: a Gaussian prior of precision λ M.

    It can say that neighbouring slopes are alike, for instance. M is symmetric and has no negative eigenvalue.

    >>> L2Matrix(1.0, ((1.0, -1.0), (-1.0, 1.0))).value(np.array([2.0, 5.0]))
    4.5
    """

    strength: float = 1.0
    matrix: tuple[tuple[float, ...], ...] = ((1.0,),)
    names: ClassVar = ("l2_matrix",)
    is_smooth: ClassVar = True
    is_separable: ClassVar = False
    holds: ClassVar = {"strength": number(at_least=0), "matrix": tuples(tuples(number()))}

    def __post_init__(self) -> None:
        check_strength(self)
        M = np.asarray(self.matrix, dtype=np.float64)
        square = M.ndim == 2 and M.shape[0] == M.shape[1] and bool(np.isfinite(M).all()) and np.allclose(M, M.T)
        if not square or np.linalg.eigvalsh(M)[0] < -1e-10 * np.abs(M).max():
            raise InvalidParameter("L2Matrix: matrix must be square, symmetric and have no negative eigenvalue.")
        object.__setattr__(self, "matrix", tuple(map(tuple, M.tolist())))

    @property
    def _M(self) -> Floats:
        return np.asarray(self.matrix, dtype=np.float64)

    def value(self, w: Floats) -> float:
        return 0.5 * self.strength * float(np.sum(w * (self._M @ w)))

    def prox(self, v: Floats, step: NumberLike) -> Floats:
        each = np.broadcast_to(np.asarray(step, dtype=np.float64), len(v))
        return np.asarray(np.linalg.solve(np.eye(len(v)) + each[:, None] * self.strength * self._M, v), np.float64)

    def gradient(self, w: Floats) -> Floats:
        return np.asarray(self.strength * (self._M @ w))

    def curvature(self, p: int) -> Floats:
        return self.strength * self._M

    def in_units(self, unit: Floats) -> Penalty:
        return replace(self, matrix=tuple(map(tuple, (self._M / unit / unit[:, None]).tolist())))

    def check_columns(self, p: int, owner: str) -> None:
        if len(self.matrix) != p:
            raise InvalidParameter(f"{owner}: L2Matrix has {len(self.matrix)} rows; X has {p} columns.")

    @classmethod
    def examples(cls, p: int) -> tuple[Penalty, ...]:
        D = np.diff(np.eye(p), axis=0)
        return (cls(0.8, tuple(map(tuple, (D.T @ D).tolist()))),)
