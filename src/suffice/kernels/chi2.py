"""The χ² kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import distances
from ..backend.distances import Term
from ..choices import check_number
from ..holds import number, optional
from ..typing import Reals
from .base import Kernel, WithSlopes
from .histograms import _OfHistograms


def chi_squared(X: Reals, Y: Reals) -> Reals:
    """Σⱼ (xⱼ − yⱼ)² / (xⱼ + yⱼ) of all pairs of rows, (n, m)."""
    found: Reals = distances.pairwise(X, None if Y is X else Y, Term("chi"))
    return found


@dataclass(frozen=True)
class Chi2Kernel(_OfHistograms):
    """The χ² kernel, k(x, y) = exp(−gamma Σⱼ (xⱼ − yⱼ)² / (xⱼ + yⱼ)), of cells that are not negative.

    A gamma of None is 1, as in scikit-learn.

    >>> Chi2Kernel(gamma=1.0)([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([[1.    , 0.1353]])
    """

    gamma: float | None = None
    names: ClassVar = ("chi2", "chi_squared")
    tunable: ClassVar = ("gamma",)
    holds: ClassVar = {"gamma": optional(number(above=0))}

    def __post_init__(self) -> None:
        if self.gamma is not None:
            check_number(self, "gamma", 0.0, above=True)

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
        apart = chi_squared(X, Y)
        apart *= -(1.0 if self.gamma is None else self.gamma)
        return apart

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(gamma=0.3)
