"""The nearest rows of each query. The portable form is the definition: all distances, sorted, of equals the first row.

Distances are in the ranking form of `Term`, in double precision. A row that cannot be compared with the query (no
column in common) is infinitely far. Where fewer than k rows are there, the rest of a list is infinitely far and has the
row -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..holds import floats, integers, require
from ..registry import registered
from .dispatch import is_native
from .distances import Term, pairwise
from .native import kernels
from .threads import thread_count
from .weights import doubles

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Whole = NDArray[np.int64]

TREE_KINDS = ("squared", "absolute", "largest", "power")
_LEAF = 16
_PANEL = 32
_FILTER_COLUMNS = 6  # with fewer, distances in double cost no more than the filter and its decisions
_FAR = 1e12  # a query farther out than so many times the rows' extent is not for single precision


class Nearest(NamedTuple):
    """Distances (m, k), ascending, and the rows they are from (m, k)."""

    distances: Floats
    rows: Whole

    @classmethod
    def room(cls, m: int, k: int) -> Nearest:
        """Arrays to fill."""
        return cls(np.empty((m, k)), np.empty((m, k), dtype=np.int64))


class Within(NamedTuple):
    """The lists of all queries one after the other: query i has those from ends[i - 1] to ends[i], ascending."""

    ends: Whole
    distances: Floats
    rows: Whole

    @classmethod
    def made(cls, lists: tuple[Any, Any, Any]) -> Within:
        """From what a kernel returns, its whole numbers as NumPy's own."""
        ends, distances, rows = lists
        return cls(ends.view(np.int64), distances, rows.view(np.int64))


def nearest_rows(Q: Floats, X: NDArray[Any], term: Term, k: int) -> Nearest:
    """The k nearest rows of X for each query."""
    if not is_native(X):
        return _portable_nearest(Q, X, term, k)
    out = Nearest.room(len(Q), k)
    kernels().nearest_rows(
        Q,
        X,
        term.kind,
        term.p,
        term.numbers,
        doubles(term.weight),
        term.scale,
        k,
        thread_count(),
        out.distances,
        out.rows,
    )
    return out


def rows_within(Q: Floats, X: NDArray[Any], term: Term, radius: float) -> Within:
    """The rows of X at most `radius` away from each query, nearest first."""
    if not is_native(X):
        return _portable_within(Q, X, term, radius)
    found = kernels().rows_within(
        Q, X, term.kind, term.p, term.numbers, doubles(term.weight), term.scale, float(radius), thread_count()
    )
    return Within.made(found)


def nearest_of(values: NDArray[Any], k: int) -> Nearest:
    """The k nearest of each row of a matrix of distances (m, n)."""
    m, n = values.shape
    D = np.where(np.isnan(values), np.inf, values).astype(np.float64, copy=False)
    some = min(k, n)
    if some < n // 4:  # all that may be among the first, then in order
        limit = np.partition(D, some - 1, axis=1)[:, some - 1 : some]
        D = np.where(limit >= D, D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :some]
    found = np.take_along_axis(D, order, axis=1)
    out = Nearest(np.full((m, k), np.inf), np.full((m, k), -1, dtype=np.int64))
    out.distances[:, :some] = found
    out.rows[:, :some] = np.where(np.isinf(found), -1, order)
    return out


def within_of(values: NDArray[Any], radius: float) -> Within:
    """The entries of a matrix of distances (m, n) that are at most the radius."""
    near = values <= radius
    at, rows = np.nonzero(near)
    found = values[at, rows].astype(np.float64)
    order = np.lexsort((rows, found, at))
    return Within(np.cumsum(near.sum(axis=1)), found[order], rows[order].astype(np.int64))


def _portable_nearest(Q: Floats, X: NDArray[Any], term: Term, k: int) -> Nearest:
    return nearest_of(pairwise(Q, np.asarray(X, dtype=np.float64), term), k)


def _portable_within(Q: Floats, X: NDArray[Any], term: Term, radius: float) -> Within:
    return within_of(pairwise(Q, np.asarray(X, dtype=np.float64), term), radius)


@dataclass(frozen=True)
class Panels:
    """Rows in single precision about their mean, scaled to length at most 1: what the filter of `nearest` scans."""

    cells: Singles  # (panels, d, 32)
    half_norm: Singles  # (panels, 32)
    longest: Singles  # (panels,)
    shift: Floats  # (d,)
    scale: float

    @classmethod
    def of(cls, X: NDArray[Any]) -> Panels | None:
        """The panels of rows without gaps; None where single precision cannot hold them or the filter does not pay."""
        n, d = X.shape
        if d < _FILTER_COLUMNS or n < 2 * _PANEL or n >= 2**32 or X.strides[1] != X.itemsize or not is_native(X):
            return None
        shift = X.mean(axis=0, dtype=np.float64)
        extent = float(np.max([np.abs(X.max(axis=0) - shift), np.abs(X.min(axis=0) - shift)])) * np.sqrt(d)
        if not 1e-150 < extent < 1e150:
            return None
        count, scale = -(-n // _PANEL), 2.0 ** -np.ceil(np.log2(extent))
        room = [np.empty(shape, np.float32) for shape in ((count, d, _PANEL), (count, _PANEL), (count,))]
        kernels().filter_pack(X, shift, scale, thread_count(), *room)
        return cls(room[0], room[1], room[2], shift, scale)

    def suits(self, Q: Floats) -> bool:
        """Whether no query is too far out."""
        return len(Q) == 0 or float(np.max(np.abs(Q - self.shift))) * self.scale < _FAR

    def nearest(self, Q: Floats, X: NDArray[Any], k: int) -> Nearest:
        """The same as `nearest_rows` for squared distances."""
        out = Nearest.room(len(Q), k)
        kernels().nearest_filtered(
            doubles(Q), X, self.cells, self.half_norm, self.longest, self.shift, self.scale, k,
            thread_count(), out.distances, out.rows,
        )  # fmt: skip
        return out


@registered("part/KDTreeNodes")
@dataclass(frozen=True)
class Tree:
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
        "cells": floats("leaves", "d", _LEAF),
    }

    @property
    def n_rows(self) -> int:
        """How many rows it was built of."""
        return int(self.nodes[0, 1])

    def check_loaded(self) -> None:
        """Raise an error unless the nodes lie as `kd_build` lays them out, so that no search can leave the arrays."""
        n, leaves = self.n_rows if len(self.nodes) else 0, len(self.cells)
        require(-(-n // _LEAF) == leaves >= 1 and len(self.nodes) == 2 * leaves - 1, "nodes must be those of its rows")
        require(len(self.rows) == leaves * _LEAF and self.rows.max() < n, "rows must be numbers of its rows")
        require(np.array_equal(self.nodes[:, :3], _layout(n)), "nodes must have their rows and children in order")
        columns, d = self.nodes[:, 3], self.cells.shape[1]
        require(d >= 1 and columns.min() >= 0 and columns.max() < d, "nodes must be split at a column")

    @classmethod
    def of(cls, X: NDArray[Any]) -> Tree:
        """The tree of at least one row."""
        n, d = X.shape
        leaves = -(-n // _LEAF)
        tree = cls(
            np.empty((2 * leaves - 1, 5), dtype=np.int64),
            np.zeros(2 * leaves - 1),
            np.empty((2 * leaves - 1, d, 2)),
            np.empty(leaves * _LEAF, dtype=np.int64),
            np.empty((leaves, d, _LEAF)),
        )
        points = np.ascontiguousarray(X, dtype=np.float64)
        kernels().kd_build(points, thread_count(), tree.nodes, tree.splits, tree.boxes, tree.rows, tree.cells)
        return tree

    def without(self, removed: NDArray[np.bool_]) -> Self:
        """This tree where rows are passed over; `removed` (n,) says which."""
        gone = (self.rows >= 0) & removed[np.maximum(self.rows, 0)]
        return type(self)(self.nodes, self.splits, self.boxes, np.where(gone, -1, self.rows), self.cells)

    def nearest(self, Q: Floats, term: Term, k: int) -> Nearest:
        """The same as `nearest_rows` of the rows of the tree, for kinds in TREE_KINDS without gaps."""
        out = Nearest.room(len(Q), k)
        kernels().kd_nearest(*self._asked(Q), term.kind, term.p, k, thread_count(), out.distances, out.rows)
        return out

    def within(self, Q: Floats, term: Term, radius: float) -> Within:
        """The same as `rows_within`."""
        return Within.made(kernels().kd_within(*self._asked(Q), term.kind, term.p, float(radius), thread_count()))

    def _asked(self, Q: Floats) -> tuple[Any, ...]:
        return doubles(Q), self.nodes, self.splits, self.boxes, self.rows, self.cells


def _layout(n: int) -> Whole:
    """First place, end and right child of every node of a tree of n rows, (nodes, 3); see native/kd_tree.hpp."""
    out = np.zeros((2 * -(-n // _LEAF) - 1, 3), dtype=np.int64)
    node, first, end = (np.array([value]) for value in (0, 0, n))
    while len(node):  # one level of the tree
        out[node, 0], out[node, 1] = first, end
        inner = end - first > _LEAF
        node, first, end = node[inner], first[inner], end[inner]
        middle = first + -(-((end - first) // 2) // _LEAF) * _LEAF
        right = node + 2 * -(-(middle - first) // _LEAF)
        out[node, 2] = right
        node = np.concatenate([node + 1, right])
        first, end = np.concatenate([first, middle]), np.concatenate([middle, end])
    return out
