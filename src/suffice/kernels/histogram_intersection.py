"""The histogram intersection kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import distances
from ..backend.distances import Term
from ..typing import Reals
from .histograms import _OfHistograms


@dataclass(frozen=True)
class HistogramIntersectionKernel(_OfHistograms):
    """The histogram intersection kernel, k(x, y) = Σⱼ min(xⱼ, yⱼ), of cells that are not negative.

    >>> HistogramIntersectionKernel()([[0.5, 0.5]], [[0.2, 0.8]])
    array([[0.7]])
    """

    names: ClassVar = ("histogram_intersection",)

    def between(self, X: Reals, Y: Reals) -> Reals:
        found: Reals = distances.pairwise(X, None if Y is X else Y, Term("smaller"))
        return found

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray(X.sum(axis=1))
