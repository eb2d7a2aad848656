"""The squared Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array
from .base import Distance
from .dots import squared_by_dots


@dataclass(frozen=True)
class SquaredEuclidean(Distance):
    """The squared Euclidean distance, d(x, y) = Σⱼ (xⱼ − yⱼ)²; a detour can be shorter, so it is no metric.

    >>> SquaredEuclidean().pairwise([[0.0, 0.0]], [[3.0, 4.0]])
    array([[25.]])
    """

    names: ClassVar = ("sqeuclidean",)
    centre: ClassVar = "mean"
    sparse: ClassVar = True
    by_units: ClassVar = True
    missing: ClassVar = True

    def _sparse_pairs(self, A: Array, B: Array | None, ranking: bool) -> Array:
        return squared_by_dots(A, B)
