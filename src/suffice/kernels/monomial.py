"""The monomial kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.gram import Form
from ..holds import whole
from ..typing import Reals
from .base import Kernel, product_matrix
from .polynomial import check_degree


@dataclass(frozen=True)
class MonomialKernel(Kernel):
    """The monomial kernel, k(x, y) = (x·y)^degree: all products of exactly `degree` cells.

    >>> MonomialKernel(degree=2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[121.]])
    """

    degree: int = 2
    names: ClassVar = ("monomial",)
    holds: ClassVar = {"degree": whole(at_least=1, at_most=1000)}

    def __post_init__(self) -> None:
        check_degree(self)

    def between(self, X: Reals, Y: Reals) -> Reals:
        return product_matrix(X, Y, Form("polynomial", 1.0, 0.0, self.degree))

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(np.einsum("ij,ij->i", X, X) ** self.degree, dtype=X.dtype)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(3)
