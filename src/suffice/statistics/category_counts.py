"""How much weight each category of each column has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..backend.columns import category_counts
from ..data.rows import as_groups, as_rows, as_weight
from ..errors import InvalidData
from ..holds import floats, number, tuples
from ..typing import Floats, Numbers, TableLike, WeightLike
from .base import Statistic

_MOST = 1 << 28  # categories of all columns: 2 GB of counts


@dataclass(frozen=True)
class CategoryCounts(Statistic):
    """Σw of each code 0, 1, 2, … in each column, (K_j,) for column j; missing cells (NaN) are left out.

    A column has as many counts as the largest code asks for; adding two makes room for the larger.

    >>> one, two = CategoryCounts.of(np.array([[0.0, 1.0]])), CategoryCounts.of(np.array([[2.0, np.nan]]))
    >>> [counts.tolist() for counts in (one + two).counts]
    [[1.0, 0.0, 1.0], [0.0, 1.0]]
    """

    rows: float
    counts: tuple[Floats, ...]

    holds: ClassVar = {"rows": number(at_least=0), "counts": tuples(floats(None, at_least=0), "d")}

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None, sizes: Sequence[int] | None = None) -> CategoryCounts:
        """The counts of the columns of X; `sizes` are the numbers of categories, else found from the codes."""
        X = as_rows(X, cls.__name__)
        return cls.grouped(X, np.zeros(len(X), dtype=np.int64), 1, weight, sizes)[0]

    @classmethod
    def grouped(
        cls, X: Any, group: Any, groups: int, weight: Any = None, sizes: Sequence[int] | None = None
    ) -> tuple[CategoryCounts, ...]:
        """The counts of each group of rows, which `group` (n,) numbers from 0."""
        X = as_rows(X, cls.__name__)
        group = as_groups(group, len(X), groups, cls.__name__)
        w = as_weight(weight, len(X), cls.__name__)
        offsets = _offsets(found_sizes(X) if sizes is None else sizes, X.shape[1])
        counts = category_counts(X, group, groups, offsets, w)  # (groups, C)
        rows = np.bincount(group, w, groups)
        return tuple(
            cls(float(own), tuple(np.split(row, offsets[1:-1]))) for own, row in zip(rows, counts, strict=True)
        )

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        pairs = zip(self.counts, other.counts, strict=True)
        return CategoryCounts(self.rows + other.rows, tuple(_padded_sum(a, b) for a, b in pairs))

    def __sub__(self, other: CategoryCounts) -> CategoryCounts:
        """The counts without the rows of `other`, which must be among them."""
        left = tuple(_padded_sum(a, -b) for a, b in zip(self.counts, other.counts, strict=True))
        if any((column < -1e-9 * max(1.0, self.rows)).any() for column in left):
            raise InvalidData("these rows were never added: a category has fewer rows than would be removed.")
        return CategoryCounts(self.rows - other.rows, tuple(np.maximum(column, 0.0) for column in left))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        X = rng.integers(0, [2, 3, 5], (n, 3)).astype(float)
        X[rng.random((n, 3)) < 0.1] = np.nan
        return X, rng.integers(0, 3, n).astype(float)


def _offsets(sizes: Sequence[int], columns: int) -> NDArray[np.int64]:
    """Where the counts of each column begin, and where the last end."""
    if len(sizes) != columns or min(sizes, default=0) < 0 or sum(sizes) > _MOST:
        raise InvalidData(
            f"CategoryCounts: there must be a number of categories for each of {columns} columns, {_MOST:,} in all at "
            f"the most; got {list(sizes)[:8]}. Codes are 0, 1, 2, …"
        )
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def found_sizes(X: Numbers) -> list[int]:
    """One more than the largest code of each column; 0 for a column without any."""
    if not len(X):
        return [0] * X.shape[1]
    largest = X.max(axis=0)
    if np.isnan(largest).any():
        largest = np.fmax.reduce(X, axis=0)
    return [0 if not np.isfinite(code) or code < 0 else int(code) + 1 for code in largest]


def _padded_sum(a: Floats, b: Floats) -> Floats:
    total = np.zeros(max(len(a), len(b)))
    total[: len(a)] += a
    total[: len(b)] += b
    return total
