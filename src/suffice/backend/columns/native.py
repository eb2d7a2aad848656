"""The kernels that work column by column; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals, Whole
from ..native import kernels
from ..sparse.native import padded
from ..threads import thread_count
from ..weights import doubles, small_factorials
from .portable import LEAST_GAIN


def column_distances(X: Reals, centres: Floats, numbers: int, squared: bool = False, gamma: float = 1.0) -> Floats:
    """The distances of rows from centres."""
    out, k = np.empty((len(X), len(centres))), len(centres)
    kernels().column_distances(X, doubles(centres), k, numbers, squared, gamma, thread_count(), out)
    return out


def column_nearest(
    X: Reals, centres: Floats, numbers: int, squared: bool = False, gamma: float = 1.0
) -> tuple[Whole, Floats]:
    """The nearest centre of every row and its distance."""
    label, distance, k = np.empty(len(X), dtype=np.int64), np.empty(len(X)), len(centres)
    kernels().column_nearest(X, doubles(centres), k, numbers, squared, gamma, thread_count(), label, distance)
    return label, distance


def category_counts(X: Reals, group: Whole, groups: int, offsets: Whole, weight: Floats | None = None) -> Floats:
    """The weight of each category in each group of rows."""
    counts = np.zeros((groups, int(offsets[-1])))
    if counts.size:
        kernels().category_counts(X, group, doubles(weight), offsets, groups, thread_count(), counts)
    return counts


def category_terms(X: Reals, offsets: Whole, table: Floats, others: Floats) -> Floats:
    """The sums of the entries of a table for the codes of each row."""
    out, k = np.empty((len(X), table.shape[1])), table.shape[1]
    kernels().category_terms(X, offsets, padded(table), padded(others), k, thread_count(), out)
    return out


def largest_codes(X: Reals) -> Floats:
    """The largest code of each column."""
    largest = np.empty(X.shape[1])
    kernels().largest_codes(X, thread_count(), largest)
    return largest


def count_logs(X: Reals) -> tuple[Floats, Floats]:
    """Of each row of counts the logarithm of the factorial of the sum, and the sum of those of the counts."""
    of_sums, logs = np.empty(len(X)), np.empty(len(X))
    kernels().count_logs(X, small_factorials(), thread_count(), of_sums, logs)
    return of_sums, logs


def count_terms(X: Reals, matrix: Floats, offset: Floats, arranged: bool) -> tuple[Floats, float]:
    """X matrix + offset, what the counts of a row add for all columns of the matrix, and the least count."""
    out = np.empty((len(X), len(offset)))
    args = X, doubles(matrix), doubles(offset), arranged, small_factorials()
    return out, float(kernels().count_terms(*args, thread_count(), out))


def mode_moves(
    codes: Whole, weight: Floats, offsets: Whole, labels: Whole, counts: Floats
) -> tuple[Whole, Floats, int]:
    """One pass of moves between modes."""
    labels, counts = labels.astype(np.int64), np.array(counts, dtype=np.float64, order="C")
    cells = np.ascontiguousarray(codes)
    moved = kernels().mode_moves(cells, doubles(weight), offsets, LEAST_GAIN, labels, counts)
    return labels, counts, int(moved)


def group_medians(
    X: Reals, order: tuple[Whole, Whole], group: Whole, groups: int, weight: Floats | None = None
) -> Floats:
    """The lower weighted medians of groups."""
    medians = np.full((groups, X.shape[1]), np.nan)
    kernels().group_medians(X, *order, group, doubles(weight), groups, thread_count(), medians)
    return medians
