"""The constant kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..choices import check_number
from ..holds import number
from ..typing import Reals
from .base import Kernel, WithSlopes


@dataclass(frozen=True)
class ConstantKernel(Kernel, operator="c"):
    """The constant kernel, k(x, y) = c: one feature, √c; added to another kernel it stands for an intercept.

    >>> ConstantKernel(2.0)([[0.0], [1.0]])
    array([[2., 2.],
           [2., 2.]])
    """

    value: float = 1.0
    names: ClassVar = ("constant",)
    tunable: ClassVar = ("value",)
    holds: ClassVar = {"value": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "value", 0.0, above=True)

    def between(self, X: Reals, Y: Reals) -> Reals:
        return np.full((len(X), len(Y)), self.value, dtype=X.dtype)

    def diagonal(self, X: Reals) -> Reals:
        return np.full(len(X), self.value, dtype=X.dtype)

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        K = self.between(X, Y)
        return K, [K.copy()]
