"""The nearest rows of each query.

Distances are in the ranking form of `Term`, in double precision. A row that cannot be compared with the query (no
column in common) is infinitely far. Where fewer than k rows are there, the rest of a list is infinitely far and has the
row -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...holds import floats, integers, require
from ...registry import registered
from ...typing import Floats, Reals, Singles, Whole
from ..dense import largest
from ..dispatch import Native, Operation, Portable
from ..distances import Term
from ..followed import Declared, just_made
from . import native, portable
from .lists import Nearest, Within, nearest_of, within_of
from .native import LEAF, PANEL

__all__ = [
    "TREE_KINDS", "Floats", "Nearest", "Panels", "Singles", "Tree", "Whole", "Within", "filtered_nearest",
    "filtered_within", "kd_build", "kd_nearest", "kd_within", "nearest_of", "nearest_rows", "pack_panels",
    "rows_within", "within_of",
]  # fmt: skip

TREE_KINDS = ("squared", "absolute", "largest", "power")
_FILTER_COLUMNS = 6  # with fewer, distances in double cost no more than the filter and its decisions
_SHIFT_ROWS = 32  # at least, whose mean rows are taken about: any shift will do
_FAR = 1e12  # a query farther out than so many times the rows' extent is not for single precision
_ALL_COMPARED = "all rows are compared, by `nearest_rows` and `rows_within`"

nearest_rows = Operation(Native(native.nearest_rows), Portable(portable.nearest_rows), by="X")
rows_within = Operation(Native(native.rows_within), Portable(portable.rows_within), by="X")
pack_panels = Operation(
    Native(native.pack_panels, least_columns=_FILTER_COLUMNS, contiguous_rows=True), elsewhere=_ALL_COMPARED
)
filtered_nearest = Operation(
    Native(native.filtered_nearest, least_columns=_FILTER_COLUMNS, contiguous_rows=True),
    by="X",
    elsewhere=_ALL_COMPARED,
)
filtered_within = Operation(
    Native(native.filtered_within, least_columns=_FILTER_COLUMNS, contiguous_rows=True),
    by="X",
    elsewhere=_ALL_COMPARED,
)
kd_build = Operation(Native(native.kd_build), elsewhere=_ALL_COMPARED)
kd_nearest = Operation(Native(native.kd_nearest), elsewhere=_ALL_COMPARED)
kd_within = Operation(Native(native.kd_within), elsewhere=_ALL_COMPARED)


@dataclass(frozen=True)
class Panels:
    """Rows in single precision about their mean, scaled to length at most 1: what the filter of searches scans."""

    cells: Singles  # (panels, d, 32)
    half_norm: Singles  # (panels, 32)
    longest: Singles  # (panels,)
    shift: Floats  # (d,)
    scale: float

    @classmethod
    def of(cls, X: Reals) -> Panels | None:
        """The panels of rows without missing values; None where they do not fit single precision or do not pay."""
        n, d = X.shape
        if not 2 * PANEL <= n < 2**32 or not pack_panels.takes(X):
            return None
        shift = X[:: max(1, n // _SHIFT_ROWS)].mean(axis=0, dtype=np.float64)
        extent = (float(largest(X)) + float(np.max(np.abs(shift)))) * np.sqrt(d)
        if not 1e-150 < extent < 1e150:
            return None
        scale = 2.0 ** -np.ceil(np.log2(extent))
        return cls(*pack_panels(X, shift, scale), shift, scale)

    def suits(self, Q: Floats, X: Reals) -> bool:
        """Whether the filter can search these rows, and no query is too far out."""
        if not filtered_nearest.takes(X):
            return False
        if len(Q) == 0 or (float(largest(Q)) + float(np.max(np.abs(self.shift)))) * self.scale < _FAR:
            return True
        return float(np.max(np.abs(Q - self.shift))) * self.scale < _FAR

    def nearest(self, Q: Floats, X: Reals, k: int) -> Nearest:
        """The same as `nearest_rows` for squared distances."""
        return filtered_nearest(Q, X, self, k)

    def within(self, Q: Floats, X: Reals, radius: float) -> Within:
        """The same as `rows_within` for squared distances."""
        return filtered_within(Q, X, self, radius)


@registered("part/KDTreeNodes")
@dataclass(frozen=True, eq=False)
class Tree(Declared):
    """A k-d tree in arrays; a row that was removed has the number -1."""

    nodes: Whole  # (nodes, 5): first place, end, right child, column of the split, least row
    splits: Floats  # (nodes,)
    boxes: Floats  # (nodes, d, 2)
    rows: Whole  # (leaves 16,), by place
    cells: Floats  # (leaves, d, 16)

    holds: ClassVar = {
        "nodes": integers("nodes", 5),
        "splits": floats("nodes"),
        "boxes": floats("nodes", "d", 2),
        "rows": integers(None, at_least=-1),
        "cells": floats("leaves", "d", LEAF),
    }

    @property
    def n_rows(self) -> int:
        """How many rows it was built of."""
        return int(self.nodes[0, 1])

    def check_loaded(self) -> None:
        """Raise an error unless the nodes lie as `kd_build` lays them out, so that no search can leave the arrays."""
        n, leaves = self.n_rows if len(self.nodes) else 0, len(self.cells)
        require(-(-n // LEAF) == leaves >= 1 and len(self.nodes) == 2 * leaves - 1, "nodes must be those of its rows")
        require(len(self.rows) == leaves * LEAF and self.rows.max() < n, "rows must be numbers of its rows")
        require(np.array_equal(self.nodes[:, :3], _layout(n)), "nodes must have their rows and children in order")
        columns, d = self.nodes[:, 3], self.cells.shape[1]
        require(d >= 1 and columns.min() >= 0 and columns.max() < d, "nodes must be split at a column")

    @classmethod
    def takes(cls, X: Reals) -> bool:
        """Whether these rows can be put into a tree, and a tree of them be searched."""
        return len(X) > 0 and kd_build.takes(X)

    @classmethod
    def of(cls, X: Reals) -> Tree:
        """The tree of at least one row."""
        return just_made(cls(*kd_build(X)))

    def without(self, removed: NDArray[np.bool_]) -> Self:
        """This tree where rows are passed over; `removed` (n,) says which."""
        gone = (self.rows >= 0) & removed[np.maximum(self.rows, 0)]
        return just_made(type(self)(self.nodes, self.splits, self.boxes, np.where(gone, -1, self.rows), self.cells))

    def nearest(self, Q: Floats, term: Term, k: int) -> Nearest:
        """The same as `nearest_rows` of the rows of the tree, for kinds in TREE_KINDS without missing values."""
        return kd_nearest(Q, self, term, k)

    def within(self, Q: Floats, term: Term, radius: float) -> Within:
        """The same as `rows_within`."""
        return kd_within(Q, self, term, radius)

    def first_within(self, Q: Floats, term: Term, radius: float, most: int) -> Within:
        """The same for the first queries, at least one, as many as have about `most` rows together."""
        return kd_within(Q, self, term, radius, most)

    def arrays(self) -> tuple[Whole, Floats, Floats, Whole, Floats]:
        """Its arrays, as the kernels take them."""
        return self.nodes, self.splits, self.boxes, self.rows, self.cells

    @property
    def places(self) -> tuple[Whole, ...]:
        """What the kernels follow."""
        return self.nodes, self.rows


def _layout(n: int) -> Whole:
    """First place, end and right child of each node of n rows, (nodes, 3); see native/neighbors/kd_tree.hpp."""
    out = np.zeros((2 * -(-n // LEAF) - 1, 3), dtype=np.int64)
    node, first, end = (np.array([value]) for value in (0, 0, n))
    while len(node):  # one level of the tree
        out[node, 0], out[node, 1] = first, end
        inner = end - first > LEAF
        node, first, end = node[inner], first[inner], end[inner]
        middle = first + -(-((end - first) // 2) // LEAF) * LEAF
        right = node + 2 * -(-(middle - first) // LEAF)
        out[node, 2] = right
        node = np.concatenate([node + 1, right])
        first, end = np.concatenate([first, middle]), np.concatenate([middle, end])
    return out
