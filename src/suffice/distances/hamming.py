"""The Hamming distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from ..backend.distances import Term
from ..typing import Floats
from .base import Distance


@dataclass(frozen=True)
class Hamming(Distance):
    """The Hamming distance: the share of the columns in which two rows differ, d(x, y) = (1/d) Σⱼ [xⱼ ≠ yⱼ].

    >>> Hamming().pairwise([[1, 2, 3, 4]], [[1, 0, 3, 0]])
    array([[0.5]])
    """

    names: ClassVar = ("hamming",)
    kind: ClassVar = "different"
    is_metric: ClassVar = True
    missing: ClassVar = True

    def term_for(self, own: Array, other: Array | None = None, ranking: bool = False) -> Term:
        return Term("different", weight=np.ones(own.shape[1]), scale=1.0)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        return rng.integers(0, 3, size=(n, 6)).astype(float)
