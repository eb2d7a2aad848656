"""Categories of classes: as many in every class, and one more that stands for all that no row had."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...distributions import Categorical, Independent
from ...statistics import CategoryCounts
from ...typing import Floats, Whole


def sizes_of(parts: tuple[CategoryCounts, ...]) -> Whole:
    """How many categories each column has, up to the last with rows in any class; removed rows may have had more."""
    return np.max([[_last(counts) for counts in part.counts] for part in parts], axis=0).astype(np.int64)  # type: ignore[no-any-return]


def widened(part: CategoryCounts, sizes: Whole) -> CategoryCounts:
    """The counts of so many categories in each column."""
    pairs = zip(part.counts, sizes, strict=True)
    counts = tuple(np.pad(own[:size], (0, max(0, size - len(own)))) for own, size in pairs)
    return CategoryCounts(part.rows, counts)


def drawable(member: object) -> Any:
    """The member without the category for the unseen, so that its probabilities sum to 1."""
    if isinstance(member, Independent):
        return Independent({key: drawable(part) for key, part in member.families.items()})
    if not isinstance(member, Categorical):
        return member
    return Categorical(tuple(_shares(own[:-1]) for own in member.probability))


def _last(counts: Floats) -> int:
    some = np.flatnonzero(counts > 0)
    return int(some[-1]) + 1 if len(some) else 0


def _shares(own: Floats) -> Floats:
    """A column that no row had anything in is drawn as 0."""
    return np.asarray(own / own.sum()) if own.any() else np.eye(1, max(len(own), 1))[0]
