"""A power of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..holds import instance, whole
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels
from .polynomial import check_degree


@dataclass(frozen=True)
class PowerKernel(_Operator, operator="**"):
    """A whole power of a kernel, `kernel ** degree`: all products of `degree` of its features.

    >>> ((LinearKernel() + 1.0) ** 2)([[3.0]], [[2.0]])
    array([[49.]])
    """

    kernel: Kernel
    degree: int = 2
    holds: ClassVar = {"kernel": instance(Kernel), "degree": whole(at_least=1, at_most=1000)}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        check_degree(self)

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return asked(self.kernel, X, Y, at) ** int(self.degree)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        (K, slopes), p = asked_with_slopes(self.kernel, X, Y, at), int(self.degree)
        return K**p, [p * K ** (p - 1) * slope for slope in slopes]

    def diagonal(self, X: Rows) -> Reals:
        return self.kernel.diag(X) ** int(self.degree)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(GaussianKernel(0.5), 3), cls(LinearKernel() + 1.0, 2)
