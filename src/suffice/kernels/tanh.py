"""The tanh kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.gram import Form
from ..choices import check_number
from ..holds import number, optional
from ..typing import Reals
from .base import Kernel, WithSlopes, _Scaled, product_matrix


@dataclass(frozen=True)
class TanhKernel(_Scaled):
    """The tanh (sigmoid) kernel, k(x, y) = tanh(gamma x·y + coef0), which is not positive semi-definite.

    Its matrix may have negative eigenvalues, so that it is no inner product of features. Models whose objective needs
    one refuse it.

    >>> TanhKernel(gamma=0.5, coef0=0.0)([[1.0, 1.0]], [[1.0, 1.0]]).round(4)
    array([[0.7616]])
    >>> TanhKernel().is_positive
    False
    """

    gamma: float | None = None
    coef0: float = 1.0
    names: ClassVar = ("tanh", "sigmoid")
    tunable: ClassVar = ("gamma",)
    holds: ClassVar = {"gamma": optional(number(above=0)), "coef0": number()}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "coef0", -np.inf)

    @property
    def is_positive(self) -> bool:
        return False

    def between(self, X: Reals, Y: Reals) -> Reals:
        inside = product_matrix(X, Y, Form("polynomial", self.scale(X), self.coef0, 1))
        return np.tanh(inside, out=inside)

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(np.tanh(self.scale(X) * np.einsum("ij,ij->i", X, X) + self.coef0), dtype=X.dtype)

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        inside = product_matrix(X, Y, Form("polynomial", self.scale(X), 0.0, 1))
        K = np.tanh(inside + self.coef0)
        return K, [] if self.gamma is None else [(1 - K**2) * inside]

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(gamma=0.3, coef0=-1.0)
