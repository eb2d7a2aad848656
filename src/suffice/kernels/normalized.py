"""A kernel of features of length 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..holds import instance
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels
from .polynomial import PolynomialKernel

_FEW = 64  # rows whose matrix is made for its diagonal


@dataclass(frozen=True)
class NormalizedKernel(_Operator, operator="normalized"):
    """A kernel of features of length 1, k(x, y) / √(k(x, x) k(y, y)), `kernel.normalized()`: 1 on the diagonal.

    A row without features, k(x, x) = 0, keeps none.

    >>> LinearKernel().normalized()([[2.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]).round(4)
    array([[0.7071, 0.    ]])
    """

    kernel: Kernel
    holds: ClassVar = {"kernel": instance(Kernel)}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        own = _inverse_length(self.kernel.diag(X))
        other = own if Y is X else _inverse_length(self.kernel.diag(Y))
        return asked(self.kernel, X, Y, at) * own[:, None] * other

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        _, slopes = asked_with_slopes(self.kernel, X, Y, at)
        found = self.part(X, Y, at)
        own, own_slopes = self._diagonal_with_slopes(X)
        other, other_slopes = (own, own_slopes) if Y is X else self._diagonal_with_slopes(Y)
        lengths = _inverse_length(own)[:, None] * _inverse_length(other)
        left, right = (_inverse_length(diagonal) ** 2 / 2 for diagonal in (own, other))
        return found, [
            slope * lengths - found * ((own_slope * left)[:, None] + other_slope * right)
            for slope, own_slope, other_slope in zip(slopes, own_slopes, other_slopes, strict=True)
        ]

    def _diagonal_with_slopes(self, X: Rows) -> WithSlopes:
        pieces = [X[first : first + _FEW] for first in range(0, len(X), _FEW)] or [X]
        made = [asked_with_slopes(self.kernel, piece, piece, 0) for piece in pieces]
        slopes = ([np.diagonal(slope) for slope in several] for _, several in made)
        return np.concatenate([np.diagonal(K) for K, _ in made]), [
            np.concatenate(several) for several in zip(*slopes, strict=True)
        ]

    def diagonal(self, X: Rows) -> Reals:
        own = self.kernel.diag(X)
        return own * _inverse_length(own) ** 2

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(PolynomialKernel(2, 0.5)), cls(LinearKernel())


def _inverse_length(diagonal: Reals) -> Reals:
    return np.where(diagonal > 0, diagonal, np.inf).astype(diagonal.dtype) ** -0.5
