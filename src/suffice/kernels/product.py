"""The product of two kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..holds import instance
from ..typing import Floats, Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels


@dataclass(frozen=True)
class ProductKernel(_Operator, operator="*"):
    """The product of two kernels, `left * right`: every feature of the one times every feature of the other.

    >>> (LinearKernel() * LinearKernel())([[3.0]], [[2.0]])
    array([[36.]])
    """

    left: Kernel
    right: Kernel
    holds: ClassVar = {"left": instance(Kernel), "right": instance(Kernel)}

    def __post_init__(self) -> None:
        check_kernels(self, "left", "right")

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return asked(self.left, X, Y, at) * asked(self.right, X, Y, at)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        (left, slopes), (right, more) = (asked_with_slopes(k, X, Y, at) for k in (self.left, self.right))
        return left * right, [*(slope * right for slope in slopes), *(left * slope for slope in more)]

    def diagonal(self, X: Rows) -> Reals:
        return self.left.diag(X) * self.right.diag(X)

    @property
    def has_frequencies(self) -> bool:
        return self.left.has_frequencies and self.right.has_frequencies

    def frequencies(self, rng: np.random.Generator, size: int, d: int) -> Floats:
        return self.left.frequencies(rng, size, d) + self.right.frequencies(rng, size, d)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return (cls(GaussianKernel(0.5), LinearKernel()), cls(LinearKernel(), LinearKernel()))
