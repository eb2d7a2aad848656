"""The kernel of white noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..choices import check_number
from ..holds import number
from ..typing import Reals
from .base import Kernel, WithSlopes


@dataclass(frozen=True)
class WhiteNoiseKernel(Kernel):
    """The kernel of white noise, k(xᵢ, xⱼ) = σ² for i = j, and 0 for i ≠ j: every observation has its own noise.

    A row is the same as itself alone, not as an equal row: between two tables the kernel is 0, and among the rows of
    one table it is σ² I. Added to another kernel it is the variance of the noise of a Gaussian process.

    >>> WhiteNoiseKernel(0.5)([[1.0], [1.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    variance: float = 1.0
    names: ClassVar = ("white_noise", "white")
    tunable: ClassVar = ("variance",)
    holds: ClassVar = {"variance": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "variance", 0.0, above=True)

    def between(self, X: Reals, Y: Reals) -> Reals:
        return np.zeros((len(X), len(Y)), dtype=X.dtype)

    def part(self, X: Reals, Y: Reals, at: int | None) -> Reals:
        K = self.between(X, Y)
        if at is not None:
            K[np.arange(len(X)), at + np.arange(len(X))] = self.variance
        return K

    def part_with_slopes(self, X: Reals, Y: Reals, at: int | None) -> WithSlopes:
        K = self.part(X, Y, at)
        return K, [K.copy()]

    def diagonal(self, X: Reals) -> Reals:
        return np.full(len(X), self.variance, dtype=X.dtype)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(0.1)
