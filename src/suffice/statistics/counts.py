"""How much weight each distinct value has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..data.labels import encode, united
from ..data.rows import as_values, as_weight
from ..holds import floats, label_array
from ..typing import ArrayLike, WeightLike
from .base import Statistic


@dataclass(frozen=True)
class Counts(Statistic):
    """The distinct values (k,), sorted, and the summed weight (k,) of each.

    >>> Counts.of(np.array(["b", "a", "b"])) + Counts.of(np.array(["c"]))
    Counts(values=array(['a', 'b', 'c'], dtype='<U1'), counts=array([1., 2., 1.]))
    """

    values: NDArray[np.generic]
    counts: NDArray[np.float64]

    holds: ClassVar = {"values": label_array("k", distinct=True), "counts": floats("k", at_least=0)}

    @classmethod
    def zero(cls) -> Counts:
        """The counts of no values."""
        return cls(np.empty(0), np.empty(0))

    @classmethod
    def of(cls, values: ArrayLike, weight: WeightLike = None) -> Counts:
        """Count the values of a column."""
        values = as_values(values, cls.__name__)
        weight = as_weight(weight, len(values), cls.__name__)
        distinct, codes = encode(values)
        counts = np.bincount(codes, weight, minlength=len(distinct)).astype(np.float64)
        return cls(distinct[counts > 0], counts[counts > 0])

    def __add__(self, other: Counts) -> Counts:
        if not len(self.values) or not len(other.values):
            return other if not len(self.values) else self
        values = united(self.values, other.values)
        counts = np.zeros(len(values))
        counts[np.searchsorted(values, self.values)] += self.counts
        counts[np.searchsorted(values, other.values)] += other.counts
        return Counts(values, counts)

    @property
    def total(self) -> float:
        """The weight of all values."""
        return float(self.counts.sum())

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.choice(["red", "green", "blue"], n), rng.integers(0, 3, n).astype(float)
