"""The categories of columns with their weights, and which of them get a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...backend.weights import given_or_ones
from ...holds import Kind, floats, tuples
from ...statistics.sorted_values import ColumnValues, SortedValues
from ...typing import Floats, Reals, Whole

INFREQUENT, UNKNOWN = "infrequent", "unknown"  # what such columns are called
DROPPED, NO_COLUMN = -1, -2


@dataclass(frozen=True)
class CategoryWeights:
    """The values of columns with their weights, and the weight of the missing cells of each, (d,)."""

    values: ColumnValues
    missing: Floats

    @classmethod
    def of(cls, X: Reals, weight: Floats | None) -> CategoryWeights:
        """The categories of the rows of X."""
        return cls(ColumnValues.of(X, weight), missing_weight(X, weight))

    def __add__(self, other: CategoryWeights) -> CategoryWeights:
        return CategoryWeights(self.values + other.values, self.missing + other.missing)

    @property
    def rows(self) -> float:
        """The weight of all rows."""
        return self.values.rows

    def columns(self) -> Iterator[tuple[SortedValues, float]]:
        """The values of each column, and the weight of its missing cells."""
        return zip(self.values.columns, self.missing.tolist(), strict=True)


def missing_weight(X: Reals, weight: Floats | None) -> Floats:
    """The weight of the missing cells of each column, (d,)."""
    return np.asarray(given_or_ones(weight, len(X)) @ np.isnan(X))


class Grouping(Protocol):
    """Which categories go together, and what becomes of others."""

    drop: str | None
    handle_unknown: str
    min_frequency: float | None
    max_categories: int | None


def levels_kind() -> Kind:
    """Numbers of categories, of each column."""
    return tuples(floats(None, finite=False), "m")


def numbered(values: SortedValues, missing: float, names: Sequence[str]) -> tuple[Floats, Floats]:
    """The categories of a column and their weights: sorted, by their names where they have some; NaN is the last."""
    codes, weights = values.in_order()
    if names:
        order = np.argsort(np.array(names, dtype=object)[codes.astype(np.intp)], kind="stable")
        codes, weights = codes[order], weights[order]
    if missing:
        codes, weights = np.append(codes, np.nan), np.append(weights, missing)
    return codes, weights


def regrouped(weights: Floats, rows: float, how: Grouping) -> tuple[Whole, int, int, int]:
    """In which column each category of one column stands, how many there are, and those of infrequent and unknown."""
    rare = _infrequent(weights, rows, how)
    places = np.cumsum(~rare) - 1
    width = int(np.count_nonzero(~rare))
    infrequent = NO_COLUMN
    if rare.any():
        places[rare], infrequent, width = width, width, width + 1
    if how.drop == "first" or (how.drop == "if_binary" and width == 2):
        places, width = places - 1, max(width - 1, 0)
        infrequent -= infrequent != NO_COLUMN
    unknown = NO_COLUMN
    if how.handle_unknown == "own_column":
        unknown, width = width, width + 1
    return places.astype(np.int64), width, infrequent, unknown


def _infrequent(weights: Floats, rows: float, how: Grouping) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which categories are infrequent."""
    rare = np.zeros(len(weights), dtype=bool)
    if how.min_frequency is not None:
        least = how.min_frequency if isinstance(how.min_frequency, int) else how.min_frequency * rows
        rare = weights < least
    most = how.max_categories
    if most is not None and most < np.count_nonzero(~rare) + 1:  # as scikit-learn counts: one more for infrequent ones
        rare[np.argsort(weights, kind="stable")[: len(weights) - (most - 1)]] = True
    return rare
