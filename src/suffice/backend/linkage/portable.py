"""Hierarchies in plain NumPy: readable, and the definition of what the kernels compute with less work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, Whole
from .values import LANCE_WILLIAMS, OF_SQUARES, Merges, ward_distances


def from_matrix(D: Reals, weight: Floats, linkage: str) -> Merges:
    """The merges of all pairs, (n, n), symmetric; D is not changed.

    Always the two nearest clusters are merged, and the distances from their union found by the table of Lance and
    Williams.
    """
    coefficients, squared = LANCE_WILLIAMS[linkage], linkage in OF_SQUARES
    d = np.array(ward_distances(D, weight, linkage), dtype=np.float64) ** (2 if squared else 1)
    size = np.array(weight, dtype=np.float64)
    np.fill_diagonal(d, np.inf)
    merges = Merges.empty(len(d))
    for k in range(len(d) - 1):
        x, y = np.unravel_index(np.argmin(d), d.shape)  # x < y: the first in row order
        merges.pairs[k], merges.heights[k] = (x, y), np.sqrt(d[x, y]) if squared else d[x, y]
        ax, ay, beta, gamma = coefficients(size[x], size[y], size)
        there = np.isfinite(d[x]) & np.isfinite(d[y])
        near, far = np.where(there, d[x], 0.0), np.where(there, d[y], 0.0)
        union = ax * near + ay * far + beta * d[x, y] + gamma * np.abs(near - far)
        d[y] = d[:, y] = np.where(there, np.maximum(union, 0.0), np.inf)
        d[x] = d[:, x] = np.inf
        size[y] += size[x]
    return merges


def numbered(pairs: Whole) -> Whole:
    """The clusters that are merged, (n − 1, 2), smaller first: rows are 0 to n − 1, merge k makes cluster n + k."""
    n = len(pairs) + 1
    cluster, children = np.arange(n), np.empty_like(pairs)
    for k, pair in enumerate(pairs):
        children[k] = np.sort(cluster[pair])
        cluster[np.isin(cluster, children[k])] = n + k
    return children


def tree_cut(children: Whole, is_kept: NDArray[np.bool_]) -> Whole:
    """The cluster of each row, (n,), numbered as they turn up, where only some merges are kept (with all below)."""
    n = len(children) + 1
    cluster = np.arange(n)
    for k in np.flatnonzero(is_kept):
        cluster[np.isin(cluster, children[k])] = n + k
    _, first, label = np.unique(cluster, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label]


def tree_sums(children: Whole, leaves: Floats) -> Floats:
    """The sum of a value of the leaves below each merge, (n − 1,)."""
    values = np.concatenate([leaves, np.zeros(len(children))])
    for k, (a, b) in enumerate(children):
        values[len(leaves) + k] = values[a] + values[b]
    return values[len(leaves) :]
