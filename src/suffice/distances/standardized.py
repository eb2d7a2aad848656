"""The Euclidean distance in units of each column's spread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..backend.arrays import Array
from ..errors import InvalidParameter, squares_overflow
from ..holds import array_like, optional
from ..params import are_numbers
from ..statistics import DiagonalMoments
from ..typing import Floats, Numbers
from .base import Distance


@dataclass(frozen=True, eq=False)
class StandardizedEuclidean(Distance):
    """The standardised Euclidean distance, d(x, y) = √Σⱼ (xⱼ − yⱼ)² / Vⱼ.

    Without V it is the variance of each column (n − 1 in the denominator); columns without spread add nothing.

    >>> StandardizedEuclidean([4.0, 1.0]).pairwise([[0.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]])
    array([[1., 2.]])
    """

    V: Any = None
    holds: ClassVar = {"V": optional(array_like("d"))}
    names: ClassVar = ("seuclidean",)
    takes_root: ClassVar = True
    centre: ClassVar = "mean"
    is_metric: ClassVar = True

    def __post_init__(self) -> None:
        if self.V is None:
            return
        if not are_numbers(self.V, 1) or not (np.all(np.asarray(self.V) > 0) and np.isfinite(self.V).all()):
            raise InvalidParameter("StandardizedEuclidean: V must be positive and finite, one variance a column.")

    @property
    def learns(self) -> bool:
        return self.V is None

    def summary(self, X: Array, weight: Numbers | None = None) -> DiagonalMoments:
        return DiagonalMoments.of(X, weight)

    def given(self, summary: DiagonalMoments) -> Self:
        if not summary.is_finite():
            raise squares_overflow(type(self).__name__)
        variance = summary.scatter / np.maximum(summary.weight - 1, 1)
        return replace(self, V=np.where(variance > 0, variance, 1.0))

    @property
    def factor(self) -> Floats:
        """One over the spread of each column, (d,)."""
        return np.asarray(1 / np.sqrt(np.asarray(self.V, dtype=np.float64)))

    def check_columns(self, d: int) -> None:
        if self.V is not None and np.shape(self.V) != (d,):
            raise InvalidParameter(f"StandardizedEuclidean: V is for {len(self.V)} columns, but X has {d}.")

    def rows(self, X: Array) -> Array:
        self.check_columns(X.shape[1])
        return np.asarray(X, dtype=np.float64) * self.factor
