"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..typing import Floats
from .base import Kernel


@dataclass(frozen=True)
class LinearKernel(Kernel):
    """The linear kernel, the inner product k(x, y) = x·y: features are the columns themselves.

    >>> LinearKernel()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    names: ClassVar = ("linear",)

    def between(self, X: Floats, Y: Floats) -> Floats:
        return X @ Y.T
