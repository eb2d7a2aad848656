"""The Euclidean distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array
from .base import Distance
from .dots import squared_by_dots


@dataclass(frozen=True)
class Euclidean(Distance):
    """The Euclidean distance, d(x, y) = √Σⱼ (xⱼ − yⱼ)².

    >>> Euclidean().pairwise([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])
    """

    names: ClassVar = ("euclidean", "l2", "nan_euclidean")
    takes_root: ClassVar = True
    is_metric: ClassVar = True
    centre: ClassVar = "mean"
    by_units: ClassVar = True
    sparse: ClassVar = True
    missing: ClassVar = True

    def _sparse_pairs(self, A: Array, B: Array | None, ranking: bool) -> Array:
        values = squared_by_dots(A, B)
        return values if ranking else self.to_true(values)
