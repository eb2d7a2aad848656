"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import distances
from ..backend.distances import Term
from ..holds import number, optional
from ..typing import Floats, Reals
from .base import Kernel, WithSlopes, _Scaled


@dataclass(frozen=True)
class LaplacianKernel(_Scaled):
    """The Laplacian kernel, `k(x, y) = exp(−gamma Σⱼ |xⱼ − yⱼ|)`; rows far out count more than with the Gaussian.

    >>> LaplacianKernel(gamma=0.5)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679]])
    """

    gamma: float | None = None
    names: ClassVar = ("laplacian",)
    tunable: ClassVar = ("gamma",)
    holds: ClassVar = {"gamma": optional(number(above=0))}

    def between(self, X: Reals, Y: Reals) -> Reals:
        scaled = self._scaled(X, Y)
        return np.exp(scaled, out=scaled)

    def diagonal(self, X: Reals) -> Reals:
        return np.ones(len(X), dtype=X.dtype)

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        scaled = self._scaled(X, Y)
        K = np.exp(scaled)
        return K, [] if self.gamma is None else [scaled * K]

    def _scaled(self, X: Reals, Y: Reals) -> Reals:
        apart: Reals = distances.pairwise(X, None if Y is X else Y, Term("absolute"))
        apart *= -self.scale(X)
        return apart

    has_frequencies: ClassVar = True

    def frequencies(self, rng: np.random.Generator, size: int, d: int) -> Floats:
        return self.scale(np.empty((0, d))) * rng.standard_cauchy((d, size))

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(gamma=2.0)
