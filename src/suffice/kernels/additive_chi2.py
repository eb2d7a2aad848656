"""The additive χ² kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..typing import Reals
from .chi2 import chi_squared
from .histograms import _OfHistograms


@dataclass(frozen=True)
class AdditiveChi2Kernel(_OfHistograms):
    """The additive χ² kernel, k(x, y) = Σⱼ 2 xⱼ yⱼ / (xⱼ + yⱼ), of cells that are not negative.

    Its squared distance ‖φ(x) − φ(y)‖² is χ² = Σⱼ (xⱼ − yⱼ)² / (xⱼ + yⱼ). Under the same name scikit-learn gives −χ²,
    which is no inner product; of rows that each sum up to 1, k(x, y) = 1 − χ²/2.

    >>> AdditiveChi2Kernel()([[0.5, 0.5]], [[0.5, 0.5], [1.0, 0.0]]).round(4)
    array([[1.    , 0.6667]])
    """

    names: ClassVar = ("additive_chi2",)

    def between(self, X: Reals, Y: Reals) -> Reals:
        own = X.sum(axis=1)
        sums = own[:, None] + (own if Y is X else Y.sum(axis=1))
        return np.asarray((sums - chi_squared(X, Y)) / 2)

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(X.sum(axis=1))
