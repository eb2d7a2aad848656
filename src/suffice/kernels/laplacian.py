"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import distances
from ..backend.distances import Term
from ..holds import number, optional
from ..typing import Floats
from .base import Kernel, _Scaled


@dataclass(frozen=True)
class LaplacianKernel(_Scaled):
    """The Laplacian kernel, `k(x, y) = exp(−gamma Σⱼ |xⱼ − yⱼ|)`; rows far out count more than with the Gaussian.

    >>> LaplacianKernel(gamma=0.5)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679]])
    """

    gamma: float | None = None
    names: ClassVar = ("laplacian",)
    holds: ClassVar = {"gamma": optional(number(above=0))}

    def between(self, X: Floats, Y: Floats) -> Floats:
        return np.asarray(np.exp(-self.scale(X) * distances.pairwise(X, Y, Term("absolute"))))

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(gamma=2.0)
