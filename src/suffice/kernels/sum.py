"""The sum of two kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..holds import instance
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels


@dataclass(frozen=True)
class SumKernel(_Operator, operator="+"):
    """The sum of two kernels, `left + right`: the features of both, one beside the other.

    >>> (LinearKernel() + 1.0)([[1.0]], [[2.0]])
    array([[3.]])
    """

    left: Kernel
    right: Kernel
    holds: ClassVar = {"left": instance(Kernel), "right": instance(Kernel)}

    def __post_init__(self) -> None:
        check_kernels(self, "left", "right")

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return asked(self.left, X, Y, at) + asked(self.right, X, Y, at)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        (left, slopes), (right, more) = (asked_with_slopes(k, X, Y, at) for k in (self.left, self.right))
        return left + right, [*slopes, *more]

    def diagonal(self, X: Rows) -> Reals:
        return self.left.diag(X) + self.right.diag(X)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return (cls(GaussianKernel(0.5), LinearKernel()), cls(cls(GaussianKernel(2.0), LinearKernel()), LinearKernel()))
