"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..holds import number, optional
from ..typing import Floats
from .base import Kernel, _Scaled


@dataclass(frozen=True)
class GaussianKernel(_Scaled):
    """The Gaussian kernel, k(x, y) = exp(−gamma ‖x − y‖²).

    >>> GaussianKernel(gamma=0.5)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679]])
    """

    gamma: float | None = None
    names: ClassVar = ("gaussian", "rbf")
    holds: ClassVar = {"gamma": optional(number(above=0))}

    def between(self, X: Floats, Y: Floats) -> Floats:
        middle = Y.mean(axis=0)  # differences of numbers near zero lose fewer digits
        A, B = X - middle, Y - middle
        apart = np.sum(A**2, axis=1)[:, None] + np.sum(B**2, axis=1) - 2 * A @ B.T
        return np.exp(-self.scale(X) * np.maximum(apart, 0.0))  # type: ignore[no-any-return]

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(gamma=2.0)
