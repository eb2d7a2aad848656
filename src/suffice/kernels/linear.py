"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.gram import Form
from ..typing import Reals
from .base import Kernel, product_matrix


@dataclass(frozen=True)
class LinearKernel(Kernel):
    """The linear kernel, the inner product k(x, y) = x·y: features are the columns themselves.

    >>> LinearKernel()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    names: ClassVar = ("linear",)

    def between(self, X: Reals, Y: Reals) -> Reals:
        return product_matrix(X, Y, Form("product"))

    def form(self, d: int) -> Form:
        return Form("product")

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(np.einsum("ij,ij->i", X, X))
