"""The most frequent values of a column in bounded memory.

A summary of Misra & Gries (1982): at most `capacity` values with a counter each. Where there are more, the
(capacity + 1)-th largest counter is subtracted from all of them and those that are left with nothing go. Each
subtraction takes the same from more than `capacity` counters, so no value is ever undercounted by more than
N / (capacity + 1) of N rows. Two summaries merge by adding their counters (Agarwal et al., 2012).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..data.labels import encode
from ..data.rows import as_values, as_weight
from ..holds import integers, label_array, whole
from ..typing import Whole
from .base import Arrays, Statistic

CAPACITY = 1000


@dataclass(frozen=True)
class Frequent(Statistic):
    """The most frequent values (k,), sorted, and their counts (k,): exact up to 1,000 distinct values.

    Beyond that a value's true count is at least the one given and at most `error` more.

    >>> pets = Frequent.of(["cat", "dog"], [3, 5]) + Frequent.of(["cat", "eel"], [2, 1])
    >>> pets.top(2), pets.distinct, pets.error
    ([('cat', 5), ('dog', 5)], 3, 0)
    """

    total: int
    values: NDArray[np.generic]
    counts: Whole
    error: int = 0
    distinct: int = 0
    capacity: int = CAPACITY

    holds: ClassVar = {
        "values": label_array("k", distinct=True),
        "counts": integers("k"),
        "capacity": whole(at_least=1),
    }

    @classmethod
    def zero(cls, capacity: int = CAPACITY) -> Frequent:
        """The summary of no values."""
        return cls(0, np.empty(0, dtype=np.str_), np.empty(0, dtype=np.int64), capacity=capacity)

    @classmethod
    def of(cls, values: ArrayLike, counts: ArrayLike | None = None, capacity: int = CAPACITY) -> Frequent:
        """The summary of these values, each standing for as many rows as `counts` says (one by default)."""
        held = as_values(values, cls.__name__)
        given = as_weight(counts, len(held), cls.__name__)
        weight = np.ones(len(held), dtype=np.int64) if given is None else given.astype(np.int64)
        distinct, places = encode(held[weight > 0])
        summed = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(summed, places.reshape(-1), weight[weight > 0])
        return cls.counted(summed, lambda kept: distinct[kept], capacity)

    @classmethod
    def counted(
        cls, counts: Whole, values_at: Callable[[NDArray[np.intp]], ArrayLike], capacity: int = CAPACITY
    ) -> Frequent:
        """The summary of distinct values that are counted already; `values_at` gives those worth keeping."""
        less = _excess(counts, capacity)
        kept = np.flatnonzero(counts > less)
        if not len(kept):
            empty = cls.zero(capacity)
            return cls(int(counts.sum()), empty.values, empty.counts, less, len(counts), capacity)
        values = np.asarray(values_at(kept))
        order = np.argsort(values, kind="stable")
        left = (counts[kept] - less)[order]
        return cls(int(counts.sum()), values[order], left, less, len(counts), capacity)

    def __add__(self, other: Frequent) -> Frequent:
        """The summary of the values of both."""
        if not isinstance(other, Frequent):
            return NotImplemented
        if self.total == 0 or other.total == 0:
            return self if other.total == 0 else other
        capacity = min(self.capacity, other.capacity)
        values, counts = self._joined(other)
        less = _excess(counts, capacity)
        kept = counts > less
        return Frequent(
            self.total + other.total,
            values[kept],
            counts[kept] - less,
            self.error + other.error + less,
            max(self.distinct, other.distinct, len(values)),
            capacity,
        )

    def _joined(self, other: Frequent) -> tuple[NDArray[np.generic], Whole]:
        if not len(self.values) or not len(other.values):
            more = self if len(self.values) else other
            return more.values, more.counts
        if np.array_equal(self.values, other.values):
            return self.values, self.counts + other.counts
        values = np.union1d(self.values, other.values)
        counts = np.zeros(len(values), dtype=np.int64)
        counts[np.searchsorted(values, self.values)] += self.counts
        counts[np.searchsorted(values, other.values)] += other.counts
        return values, counts

    @property
    def exact(self) -> bool:
        """Whether every value is there with its true count; otherwise `distinct` is only a lower bound."""
        return self.error == 0

    def top(self, k: int) -> list[tuple[Any, int]]:
        """The k most frequent values with their counts; the smaller value first where counts are equal."""
        order = np.argsort(-self.counts, kind="stable")[:k]
        return list(zip(self.values[order].tolist(), self.counts[order].tolist(), strict=True))

    def comparable(self) -> Arrays:
        """The counters while exact; beyond that they depend on the merges."""
        if not self.exact:
            return {"total": np.asarray(self.total)}
        return {"total": np.asarray(self.total), "values": self.values, "counts": self.counts}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.choice(["red", "green", "blue"], n), rng.integers(0, 3, n)


def _excess(counts: Whole, capacity: int) -> int:
    """What has to be taken from every counter so that at most `capacity` are left."""
    if len(counts) <= capacity:
        return 0
    return int(np.partition(counts, len(counts) - capacity - 1)[len(counts) - capacity - 1])
