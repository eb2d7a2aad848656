"""Categories of classes: as many in every class, and what a category says that no row had."""

from __future__ import annotations

import numpy as np

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


def log_unseen(weight: Floats, alpha: Floats, sizes: Floats | Whole) -> Floats:
    """log α / (n_cj + αK_j), (k, d), of a category without rows, from n (k, d); 0, which says nothing, where α is 0."""
    total = weight + alpha * sizes
    some = (alpha > 0) & (total > 0)
    return np.asarray(np.log(np.where(some, alpha, 1.0) / np.where(some, total, 1.0)))


def _last(counts: Floats) -> int:
    some = np.flatnonzero(counts > 0)
    return int(some[-1]) + 1 if len(some) else 0
