"""Kernels of clustering by columns: separable distances, counts of categories, medians of groups.

Each has its portable form beside it, which is the definition.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import native
from .dispatch import is_native
from .portable import Array, as_double, namespace
from .threads import thread_count
from .weights import doubles, given_or_ones

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def column_distances(X: Array, centres: Floats, numbers: int, squared: bool = False, gamma: float = 1.0) -> Array:
    """The distances (n, k) of rows from centres: Σ over columns; a NaN on either side adds nothing.

    The first `numbers` columns add |x − c|, or (x − c)² where `squared`; the others hold codes and add `gamma`
    where they differ.
    """
    if not is_native(X):
        return _portable_distances(X, centres, numbers, squared, gamma)
    out = np.empty((len(X), len(centres)))
    flat = doubles(centres)
    native.kernels().column_distances(X, flat, len(centres), numbers, squared, gamma, thread_count(), out)
    return out


def column_nearest(
    X: Array, centres: Floats, numbers: int, squared: bool = False, gamma: float = 1.0
) -> tuple[Array, Array]:
    """The nearest centre (n,) of every row, the first among equals, and its distance (n,); see `column_distances`."""
    if not is_native(X):
        xp, found = namespace(X), _portable_distances(X, centres, numbers, squared, gamma)
        return xp.argmin(found, axis=1), xp.min(found, axis=1)
    label, distance = np.empty(len(X), dtype=np.int64), np.empty(len(X))
    flat = doubles(centres)
    native.kernels().column_nearest(X, flat, len(centres), numbers, squared, gamma, thread_count(), label, distance)
    return label, distance


def _portable_distances(X: Array, centres: Floats, numbers: int, squared: bool, gamma: float) -> Array:
    xp, Z = namespace(X), as_double(X)
    columns = []
    for centre in centres:
        step = Z[:, :numbers] - xp.asarray(centre[:numbers])
        apart = xp.where(xp.isnan(step), xp.zeros_like(step), step**2 if squared else xp.abs(step))
        codes, mode = Z[:, numbers:], xp.asarray(centre[numbers:])
        differ = xp.astype((codes < mode) | (codes > mode), xp.float64)
        columns.append(xp.sum(apart, axis=1) + gamma * xp.sum(differ, axis=1))
    return xp.stack(columns, axis=1)


def category_counts(X: Array, group: Array, groups: int, offsets: Whole, weight: Array | None = None) -> Array:
    """The weight (groups, C) of each category in each group of rows.

    The counts of column j stand at offsets[j] to offsets[j + 1]; codes that are NaN or negative are not counted.
    """
    if not is_native(X):
        return _portable_counts(X, group, groups, offsets, weight)
    counts = np.zeros((groups, int(offsets[-1])))
    if counts.size:
        native.kernels().category_counts(X, group, doubles(weight), offsets, groups, thread_count(), counts)
    return counts


def _portable_counts(X: Array, group: Array, groups: int, offsets: Whole, weight: Array | None) -> Array:
    xp, Z = namespace(X), as_double(X)
    w = xp.ones(Z.shape[0], dtype=xp.float64) if weight is None else weight
    counts = xp.zeros((groups, int(offsets[-1])), dtype=xp.float64)
    for g in range(groups):
        own = xp.where(group == g, w, xp.zeros_like(w))
        for j in range(Z.shape[1]):
            for code in range(int(offsets[j + 1] - offsets[j])):
                cells = xp.where(Z[:, j] == code, own, xp.zeros_like(own))
                counts[g, int(offsets[j]) + code] = xp.sum(cells)
    return counts


def column_order(X: NDArray[Any]) -> tuple[Whole, Whole]:
    """For each column the rows by rising value (d · n,), and how many of them are not NaN (d,)."""
    order = np.argsort(X, axis=0, kind="stable").T.astype(np.int64, copy=False)  # NaN comes last
    return np.ascontiguousarray(order).reshape(-1), np.count_nonzero(~np.isnan(X), axis=0).astype(np.int64)


def group_medians(
    X: NDArray[Any], order: tuple[Whole, Whole], group: Whole, groups: int, weight: Floats | None = None
) -> Floats:
    """The lower weighted median (groups, d) of what is not NaN; NaN where a group has nothing.

    `order` is `column_order(X)`, which does not change while the groups do.
    """
    medians = np.full((groups, X.shape[1]), np.nan)
    if is_native(X):
        native.kernels().group_medians(X, *order, group, doubles(weight), groups, thread_count(), medians)
        return medians
    w = given_or_ones(weight, len(X))
    for g in range(groups):
        for j in range(X.shape[1]):
            rows = order[0].reshape(X.shape[1], -1)[j, : order[1][j]]
            rows = rows[(group[rows] == g) & (w[rows] > 0)]
            if len(rows):
                below = np.cumsum(w[rows])
                medians[g, j] = X[rows[np.searchsorted(2 * below, below[-1])], j]
    return medians
