"""The ANOVA kernel: kernels of single columns, summed or multiplied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ..errors import InvalidData, InvalidParameter, shown
from ..holds import choice, either, instance, whole
from ..params import plain_number
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .category import CategoryKernel
from .gaussian import GaussianKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels


@dataclass(frozen=True)
class AnovaKernel(_Operator):
    """The ANOVA kernel: a kernel k of each single column, summed over all products of `degree` different columns.

    Degree 1 is Σⱼ k(xⱼ, yⱼ), an additive model; degree 2 is Σ_{i<j} k(xᵢ, yᵢ) k(xⱼ, yⱼ), the interactions of pairs;
    degree d is the product of all. "all" is ∏ⱼ (1 + k(xⱼ, yⱼ)), the sum over every degree.

    >>> AnovaKernel(GaussianKernel(1.0))([[0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]).round(4)
    array([[2.    , 1.3679]])
    """

    kernel: Kernel
    degree: int | Literal["all"] = 1
    holds: ClassVar = {"kernel": instance(Kernel), "degree": either(choice("all"), whole(at_least=1, at_most=1000))}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        found = plain_number(self.degree)
        if self.degree != "all" and (found is None or not 1 <= found <= 1000 or found != int(found)):
            raise InvalidParameter(
                f"AnovaKernel: degree must be an integer, at least 1 and at most 1000, or 'all'; got "
                f"{shown(self.degree)}."
            )

    def atoms(self) -> tuple[Kernel, ...]:
        return (self,)  # a table of any width

    def rows(self, X: Rows) -> Rows:
        return self.kernel.rows(X)

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        columns: Iterator[WithSlopes] = ((asked(self.kernel, A, B, at), []) for A, B in _columns(X, Y))
        return self._joined(columns, X.shape[1])[0]

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        return self._joined((asked_with_slopes(self.kernel, A, B, at) for A, B in _columns(X, Y)), X.shape[1])

    def _joined(self, columns: Iterable[WithSlopes], d: int) -> WithSlopes:
        if self.degree == "all":
            return _product(columns)
        if self.degree > d:
            raise InvalidData(
                f"AnovaKernel: there are no products of {self.degree} different columns; the rows have {d}."
            )
        return _products(columns, int(self.degree))

    def diagonal(self, X: Rows) -> Reals:
        columns: Iterator[WithSlopes] = ((self.kernel.diag(A)[:, None], []) for A, _ in _columns(X, X))
        return self._joined(columns, X.shape[1])[0][:, 0]

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        base = GaussianKernel(bandwidth=1.5)
        return cls(base), cls(base, 2), cls(base, 4), cls(base, "all"), cls(CategoryKernel(0.3), 3)


def _columns(X: Rows, Y: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Each column as a table of its own."""
    for j in range(X.shape[1]):
        A = X[:, j : j + 1]
        yield A, A if Y is X else Y[:, j : j + 1]


def _product(columns: Iterable[WithSlopes]) -> WithSlopes:
    """∏ⱼ (1 + kⱼ), and its derivatives."""
    (K, slopes), *others = columns
    total = 1 + K
    for K, more in others:
        slopes = [slope * (1 + K) + total * own for slope, own in zip(slopes, more, strict=True)]
        total = total * (1 + K)
    return total, slopes


def _products(columns: Iterable[WithSlopes], degree: int) -> WithSlopes:
    """The sum over all products of `degree` different columns, one column after the other, and its derivatives."""
    sums: list[Reals | float] = [1.0, *[0.0] * degree]  # of the products of 0, 1, … columns so far
    slopes: list[list[Reals | float]] = []
    for K, own in columns:
        slopes = slopes or [[0.0] * (degree + 1) for _ in own]
        for q in range(degree, 0, -1):
            for slope, steep in zip(slopes, own, strict=True):
                slope[q] = slope[q] + slope[q - 1] * K + sums[q - 1] * steep
            sums[q] = sums[q] + sums[q - 1] * K
    return np.asarray(sums[degree]), [np.asarray(slope[degree]) for slope in slopes]
