"""Categories of classes: as many in every class, and what a category says that no row had."""

from __future__ import annotations

import numpy as np

from ...statistics import CategoryCounts
from ...statistics.category_counts import by_column, offsets_of, sizes_of
from ...typing import Floats, Whole


def categories_of(parts: tuple[CategoryCounts, ...]) -> Whole:
    """How many categories each column has, up to the last with rows in any class; removed rows may have had more."""
    sizes = np.max([sizes_of(part.counts) for part in parts], axis=0)
    some = np.any([part.flat(sizes) > 0 for part in parts], axis=0)
    number = np.arange(1, len(some) + 1) - np.repeat(offsets_of(sizes)[:-1], sizes)  # of a category, from 1
    found = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(found, np.repeat(np.arange(len(sizes)), sizes), np.where(some, number, 0))
    return found


def widened(part: CategoryCounts, sizes: Whole) -> CategoryCounts:
    """The counts of so many categories in each column."""
    return CategoryCounts(part.rows, by_column(part.flat(sizes), sizes))


def log_unseen(weight: Floats, alpha: Floats, sizes: Floats | Whole) -> Floats:
    """log α / (n_cj + αK_j), (k, d), of a category without rows, from n (k, d); 0, which says nothing, where α is 0."""
    total = weight + alpha * sizes
    some = (alpha > 0) & (total > 0)
    return np.asarray(np.log(np.where(some, alpha, 1.0) / np.where(some, total, 1.0)))
