"""A kernel times a positive number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..choices import check_number
from ..holds import instance, number
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels


@dataclass(frozen=True)
class ScaledKernel(_Operator, operator="c*"):
    """A kernel times a positive number, `c * kernel`: its features times √c; the variance of a Gaussian process.

    >>> (2 * LinearKernel())([[3.0]], [[2.0]])
    array([[12.]])
    """

    kernel: Kernel
    factor: float = 1.0
    tunable: ClassVar = ("factor",)
    holds: ClassVar = {"kernel": instance(Kernel), "factor": number(above=0)}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        check_number(self, "factor", 0.0, above=True)

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return self.factor * asked(self.kernel, X, Y, at)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        K, slopes = asked_with_slopes(self.kernel, X, Y, at)
        found = self.factor * K
        return found, [*(self.factor * slope for slope in slopes), found.copy()]

    def diagonal(self, X: Rows) -> Reals:
        return self.factor * self.kernel.diag(X)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(GaussianKernel(0.5), 3.0), cls(LinearKernel(), 0.1)
