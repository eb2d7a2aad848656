"""The exponential of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..holds import instance
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels


@dataclass(frozen=True)
class ExponentialKernel(_Operator, operator="exp"):
    """The exponential of a kernel, exp(k(x, y)), `np.exp(kernel)`: the products of any number of its features.

    >>> np.exp(LinearKernel())([[1.0]], [[2.0]]).round(4)
    array([[7.3891]])
    """

    kernel: Kernel
    holds: ClassVar = {"kernel": instance(Kernel)}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return np.exp(asked(self.kernel, X, Y, at))

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        K, slopes = asked_with_slopes(self.kernel, X, Y, at)
        found = np.exp(K)
        return found, [found * slope for slope in slopes]

    def diagonal(self, X: Rows) -> Reals:
        return np.exp(self.kernel.diag(X))

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(GaussianKernel(0.5)), cls(0.3 * LinearKernel())
