"""Hierarchies bottom up: merges of pairs of rows with their heights, from distances or from rows.

`portable` is the definition: always merge the two nearest clusters, and find the distances from their union by the
table of Lance and Williams. The native code finds the same merges with less work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dispatch import is_native
from .distances import Term
from .native import kernels
from .threads import thread_count
from .weights import doubles

Array = NDArray[Any]
Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

KEPT = 0.36  # of n² distances, the most that a chain keeps at once

# For sizes a, b of the two clusters and c of a third: alpha, beta, gamma of
# d(x ∪ y, z) = alpha_x d(x, z) + alpha_y d(y, z) + beta d(x, y) + gamma |d(x, z) − d(y, z)|.
Coefficients = Callable[[float, float, Any], tuple[Any, Any, Any, float]]
LANCE_WILLIAMS: dict[str, Coefficients] = {
    "single": lambda a, b, c: (0.5, 0.5, 0.0, -0.5),
    "complete": lambda a, b, c: (0.5, 0.5, 0.0, 0.5),
    "average": lambda a, b, c: (a / (a + b), b / (a + b), 0.0, 0.0),
    "weighted": lambda a, b, c: (0.5, 0.5, 0.0, 0.0),
    "centroid": lambda a, b, c: (a / (a + b), b / (a + b), -a * b / (a + b) ** 2, 0.0),
    "median": lambda a, b, c: (0.5, 0.5, -0.25, 0.0),
    "ward": lambda a, b, c: ((a + c) / (a + b + c), (b + c) / (a + b + c), -c / (a + b + c), 0.0),
}
LINKAGES = tuple(LANCE_WILLIAMS)
OF_SQUARES = ("centroid", "median", "ward")  # their formulas are about squared distances
MAY_FALL = ("centroid", "median")  # a merge may be lower than one below it


@dataclass(frozen=True)
class Merges:
    """The pairs (n − 1, 2), one row of each of two clusters, and the heights (n − 1,), in order."""

    pairs: Whole
    heights: Floats

    @classmethod
    def empty(cls, n: int) -> Merges:
        """Room for the merges of n rows."""
        return cls(np.empty((max(n - 1, 0), 2), dtype=np.int64), np.empty(max(n - 1, 0)))

    def sorted(self) -> Merges:
        """In the order of their heights, as found where they are equal."""
        order = np.argsort(self.heights, kind="stable")
        return Merges(np.ascontiguousarray(self.pairs[order]), self.heights[order])

    def numbered(self) -> Whole:
        """The clusters that are merged, (n − 1, 2): rows are 0 to n − 1, merge k makes cluster n + k."""
        children = np.empty_like(self.pairs)
        if len(children):
            kernels().linkage_label(self.pairs.reshape(-1), len(children) + 1, children)
        return children


def from_matrix(D: Array, weight: Floats, linkage: str) -> Merges:
    """From all pairs, (n, n), symmetric; D is not changed."""
    n = len(D)
    if linkage == "ward" and np.any(weight != 1):  # √(2 a b / (a + b)) d, which is d for single rows
        D = (D * np.sqrt(2 / (1 / weight[:, None] + 1 / weight))).astype(D.dtype)
    if n < 2 or not is_native(D):
        return portable(D, weight, linkage)
    merges, rows = Merges.empty(n), np.ascontiguousarray(D)
    if linkage == "single":
        kernels().spanning_prim(rows, merges.pairs, merges.heights)
    elif linkage in MAY_FALL:
        kernels().linkage_generic(rows.copy(), doubles(weight), linkage, merges.pairs, merges.heights)
        return merges
    else:
        kernels().linkage_chain(rows, doubles(weight), linkage, merges.pairs, merges.heights)
    return merges.sorted()


def from_rows(X: Floats, term: Term, weight: Floats, linkage: str, single: bool = False) -> Merges:
    """From rows whose distances the term says; `single` keeps the distances of clusters in single precision."""
    merges = Merges.empty(len(X))
    form = (term.kind, term.p, term.numbers, term.finish, doubles(term.weight), term.scale)
    kernels().linkage_chain_rows(X, *form, single, doubles(weight), linkage, merges.pairs, merges.heights)
    return merges.sorted()


def from_centroids(X: Floats, weight: Floats, linkage: str) -> Merges:
    """Ward, centroid or median of rows, by their centroids, in O(n) memory."""
    merges = Merges.empty(len(X))
    kernels().centroid_linkage(doubles(X), doubles(weight), linkage, merges.pairs, merges.heights)
    return merges if linkage in MAY_FALL else merges.sorted()


def spanning_tree(X: Floats, term: Term, by_tree: bool = False) -> Merges:
    """Single linkage in O(n) memory, heights in the ranking form; `by_tree` for Euclidean rows of few columns."""
    merges = Merges.empty(len(X))
    if by_tree:
        kernels().spanning_tree(doubles(X), thread_count(), merges.pairs, merges.heights)
    else:
        form = (term.kind, term.p, term.numbers, doubles(term.weight), term.scale)
        kernels().spanning_prim_rows(X, *form, merges.pairs, merges.heights)
    return merges.sorted()


def portable(D: Array, weight: Floats, linkage: str) -> Merges:
    """The definition, O(n³): merge the two nearest, and update by the table."""
    coefficients, squared = LANCE_WILLIAMS[linkage], linkage in OF_SQUARES
    d = np.array(D, dtype=np.float64) ** (2 if squared else 1)
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


def tree_cut(children: Whole, is_kept: NDArray[np.bool_]) -> Whole:
    """The cluster of each row, (n,), numbered as they turn up, where only some merges are kept (with all below)."""
    labels = np.zeros(len(children) + 1, dtype=np.int64)
    if len(children):
        kernels().tree_cut(children.reshape(-1), np.ascontiguousarray(is_kept).view(np.uint8), labels)
    return labels


def tree_sums(children: Whole, leaves: Floats) -> Floats:
    """The sum of a value of the leaves below each merge, (n − 1,)."""
    values = np.concatenate([leaves, np.zeros(len(children))])
    if len(children):
        kernels().tree_sums(children.reshape(-1), values)
    return values[len(leaves) :]
