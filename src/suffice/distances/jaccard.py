"""The Jaccard distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from ..backend.distances import Term
from ..typing import Floats
from .base import Distance
from .dots import as_rows, inner, squared_norms


@dataclass(frozen=True)
class Jaccard(Distance):
    """The Jaccard distance of sets, `d(x, y) = 1 − |x ∩ y| / |x ∪ y|`; a row is the set of its cells that are not 0.

    Two empty sets are at distance 0.

    >>> Jaccard().pairwise([[1, 1, 0, 0]], [[1, 0, 1, 0], [1, 1, 0, 0]]).round(4)
    array([[0.6667, 0.    ]])
    """

    names: ClassVar = ("jaccard",)
    kind: ClassVar = "jaccard"
    has_kernel: ClassVar = False  # the distance of two empty sets is set afterwards
    is_metric: ClassVar = True
    sparse: ClassVar = True

    def rows(self, X: Array) -> Array:
        return (np.asarray(X) != 0).astype(X.dtype)

    def term_for(self, own: Array, other: Array | None = None, ranking: bool = False) -> Term:
        return Term("jaccard", weight=np.ones(own.shape[1]), scale=1.0)

    def _finished(self, values: Array) -> Array:
        np.nan_to_num(values, copy=False)  # two empty sets have no cell to compare
        return values

    def _sparse_pairs(self, A: Array, B: Array | None, ranking: bool) -> Array:
        left = as_rows(A != 0)
        right = left if B is None else as_rows(B != 0)
        shared = inner(left, right)
        union = squared_norms(left)[:, None] + squared_norms(right) - shared
        return (1 - shared / np.where(union > 0, union, 1.0) - (union == 0)).astype(A.dtype, copy=False)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        return (rng.random((n, 7)) < 0.4).astype(float)
