"""Graphs of neighbours: which rows are near each other, how far, and in how many pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..backend.neighbors import Nearest, Within, nearest_of, within_of
from ..errors import InvalidData, InvalidParameter
from ..typing import CSR, Floats, Numbers, Reals, Whole
from .base import Index
from .listed import listed

Weights = Literal["distance", "heat", "binary"]
Keep = Literal["either", "both", "mean"]
Between = Callable[[Whole, Whole], Reals]  # the distances (q, m) of some rows from others
_BLOCK_CELLS = 1 << 20  # of distances computed at once: some megabytes


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """An undirected graph of n rows: an edge where one row is among the neighbours of the other.

    `lists` has what each row itself lists, nearest first, without itself. `edges` (e, 2) are the pairs i < j in rising
    order with their `lengths`; `listed` says how many of the two list the other, 0 for an edge that joins pieces.

    >>> from suffice.indices import Brute
    >>> X = [[0.0], [1.0], [3.0], [9.0], [9.5]]
    >>> graph = NeighborGraph.nearest(Brute().built(X), X, 1)
    >>> graph.edges.tolist(), graph.n_components
    ([[0, 1], [1, 2], [3, 4]], 2)
    >>> graph.matrix("distance").toarray()[1]
    array([1., 0., 2., 0., 0.])
    """

    n: int
    lists: Within
    edges: Whole  # (e, 2)
    lengths: Floats  # (e,)
    listed: Whole  # (e,)

    # ---- made ----

    @classmethod
    def of(cls, lists: Within) -> Self:
        """The graph of lists of neighbours, one of each row; a row in its own list is left out."""
        lists = _without_own(lists)
        n, i, j = len(lists.ends), lists.queries(), lists.rows
        low, high = np.minimum(i, j), np.maximum(i, j)
        order = np.argsort(low * n + high)  # of two that list each other either may come first
        low, high, length = low[order], high[order], lists.distances[order]
        first = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))[: len(low)]
        at = np.flatnonzero(first)
        listed = np.diff(np.append(at, len(low)))
        shorter = np.minimum.reduceat(length, at) if len(at) else length
        return cls(n, lists, np.column_stack([low[at], high[at]]), shorter, listed.astype(np.int64))

    @classmethod
    def nearest(cls, index: Index, X: Numbers, k: int) -> Self:
        """The rows X of an index, each with its k nearest others; of equally near ones those that come first."""
        return cls.of(nearest_others(index, X, k))

    @classmethod
    def within(cls, index: Index, X: Numbers, radius: float) -> Self:
        """The rows X of an index, each with all others within a radius."""
        return cls.of(index.radius_neighbors(X, radius))

    @classmethod
    def of_distances(cls, D: Reals, k: int | None, radius: float | None = None) -> Self:
        """The same of a matrix (n, n) of all distances; a pair without one, NaN, has no edge."""
        if k is not None:
            return cls.of(nearest_others_of(D, k))
        return cls.of(within_of(D, np.inf if radius is None else radius))

    @classmethod
    def of_listed(cls, D: CSR, k: int | None, radius: float | None = None) -> Self:
        """The same of a sparse matrix (n, n) of the distances of those that each row lists."""
        return cls.of(listed(D, k, np.inf if radius is None else radius))

    # ---- what it says ----

    @cached_property
    def _pieces(self) -> tuple[int, Whole]:
        count, labels = connected_components(self.matrix("binary"), directed=False)
        return int(count), labels.astype(np.int64)

    @property
    def n_components(self) -> int:
        """In how many pieces it is."""
        return self._pieces[0]

    @property
    def component(self) -> Whole:
        """The piece of each row, (n,), numbered by their first rows."""
        return self._pieces[1]

    def degrees(self) -> Whole:
        """How many edges each row has, (n,)."""
        return np.bincount(self.edges.ravel(), minlength=self.n).astype(np.int64)

    def typical_length(self) -> float:
        """The root of the mean square of the lengths; 1 where there is no edge or all have length 0."""
        found = float(np.sqrt(np.mean(self.lengths**2))) if len(self.lengths) else 0.0
        return found if found > 0 else 1.0

    def matrix(self, weights: Weights = "distance", *, gamma: float | None = None, keep: Keep = "either") -> CSR:
        """The symmetric matrix (n, n) of the edges; lengths of 0 stand in it as edges.

        "distance" gives lengths, "binary" 1, and "heat" exp(−γ d²), with γ = 1 / the mean of d² where it is not given.
        An edge is kept where either row lists the other, or both do; "mean" halves the weight where one does.
        """
        kept = np.ones(len(self.edges), dtype=bool) if keep != "both" else self.listed != 1
        values = self._weights(weights, gamma)
        if keep == "mean":
            values = np.where(self.listed == 1, values / 2, values)
        (i, j), values = self.edges[kept].T, values[kept]
        pairs = np.concatenate([i, j]), np.concatenate([j, i])
        return _csr(*pairs, np.concatenate([values, values]), self.n)

    def _weights(self, weights: Weights, gamma: float | None) -> Floats:
        if weights == "distance":
            return self.lengths
        if weights == "binary":
            return np.ones(len(self.lengths))
        if weights != "heat":
            raise InvalidParameter(f"NeighborGraph: weights must be 'distance', 'heat' or 'binary'; got {weights!r}.")
        return np.asarray(np.exp(-(self.typical_length() ** -2 if gamma is None else gamma) * self.lengths**2))

    # ---- pieces ----

    def largest(self) -> Whole:
        """The rows of the largest piece, rising; of equally large ones the first."""
        return np.flatnonzero(self.component == np.argmax(np.bincount(self.component)))

    def part(self, rows: Whole) -> Self:
        """The graph of some rows alone, numbered anew in their order."""
        place = np.full(self.n, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        kept = (place[self.edges] >= 0).all(axis=1)
        own = np.sort(place[self.edges[kept]], axis=1)
        order = np.lexsort((own[:, 1], own[:, 0]))
        starts = np.concatenate([[0], self.lists.ends[:-1]])
        cells = [np.arange(starts[row], self.lists.ends[row]) for row in rows]
        some = [at[place[self.lists.rows[at]] >= 0] for at in cells]
        every = np.concatenate(some) if some else np.empty(0, dtype=np.int64)
        ends = np.cumsum([len(at) for at in some]).astype(np.int64)
        lists = Within(ends, self.lists.distances[every], place[self.lists.rows[every]])
        return type(self)(len(rows), lists, own[order], self.lengths[kept][order], self.listed[kept][order])

    def joined(self, distances: Between) -> Self:
        """In one piece: any two pieces get the shortest edge between them; `distances` are of some rows from others."""
        if self.n_components == 1:
            return self
        pairs, lengths = _between(self.component, self.n_components, distances)
        edges = np.concatenate([self.edges, np.sort(pairs, axis=1)])
        order = np.lexsort((edges[:, 1], edges[:, 0]))
        lengths = np.concatenate([self.lengths, lengths])[order]
        listed = np.concatenate([self.listed, np.zeros(len(pairs), dtype=np.int64)])[order]
        lists = _with_pairs(self.lists, pairs, lengths[np.argsort(order)][len(self.edges) :])
        found = replace(self, lists=lists, edges=edges[order], lengths=lengths, listed=listed)
        if found.n_components > 1:
            raise InvalidData(
                "NeighborGraph: no distance is known between some pieces; give the missing dissimilarities."
            )
        return found


def nearest_others(index: Index, X: Numbers, k: int) -> Within:
    """The lists alone: of the rows X of an index the k nearest others, nearest first."""
    return _without_own_of(index.kneighbors(X, min(k + 1, index.n_rows)), k)


def nearest_others_of(D: Reals, k: int) -> Within:
    """The same of a matrix (n, n) of all distances."""
    return _without_own_of(nearest_of(D, min(k + 1, len(D))), k)


def _csr(i: Whole, j: Whole, values: Floats, n: int) -> CSR:
    """A sparse matrix whose cells of 0 are kept, its columns rising."""
    kind = np.int32 if max(n, len(i)) < 2**31 else np.int64
    found = sparse.csr_array(sparse.coo_array((values, (i.astype(kind), j.astype(kind))), shape=(n, n)))
    found.sort_indices()
    return found


def _with_pairs(lists: Within, pairs: Whole, lengths: Floats) -> Within:
    """The lists, to whose ends the rows of some pairs (p, 2) come."""
    own, other = pairs.T.ravel(), pairs[:, ::-1].T.ravel()
    order = np.lexsort((other, np.append(lengths, lengths), own))
    at = lists.ends[own[order]]
    ends = lists.ends + np.cumsum(np.bincount(own, minlength=len(lists.ends)))
    distances = np.insert(lists.distances, at, np.append(lengths, lengths)[order])
    return Within(ends.astype(np.int64), distances, np.insert(lists.rows, at, other[order]))


def _without_own(lists: Within) -> Within:
    queries = lists.queries()
    kept = (lists.rows != queries) & (lists.rows >= 0)
    if kept.all():
        return lists
    ends = np.cumsum(np.bincount(queries[kept], minlength=len(lists.ends))).astype(np.int64)
    return Within(ends, lists.distances[kept], lists.rows[kept])


def _without_own_of(found: Nearest, k: int) -> Within:
    """Lists of one length without the row itself; of more equal rows than k the last is left out instead."""
    n, width = found.rows.shape
    own = found.rows == np.arange(n)[:, None]
    own[:, -1] |= ~own.any(axis=1) & (width > k)
    known = ~own & (found.rows >= 0) & np.isfinite(found.distances)
    return Within(np.cumsum(known.sum(axis=1)).astype(np.int64), found.distances[known], found.rows[known])


def _between(component: Whole, count: int, distances: Between) -> tuple[Whole, Floats]:
    """The shortest pair between any two pieces, (pairs, 2), and its length; of equals the first."""
    order = np.argsort(component, kind="stable")
    starts = np.searchsorted(component[order], np.arange(count + 1))
    best = np.full((count, count), np.inf)
    ends = np.zeros((count, count, 2), dtype=np.int64)
    for mine in range(count - 1):
        own, others = order[starts[mine] : starts[mine + 1]], order[starts[mine + 1] :]  # of this piece, and later ones
        cuts = starts[mine + 1 :] - starts[mine + 1]
        height = max(1, _BLOCK_CELLS // len(others))
        for first in range(0, len(own), height):
            rows = own[first : first + height]
            block = np.asarray(distances(rows, others))
            block = np.where(np.isnan(block), np.inf, block)
            nearest = np.minimum.reduceat(block, cuts[:-1], axis=1)  # (rows, later pieces)
            nearer = np.flatnonzero(nearest.min(axis=0) < best[mine, mine + 1 :])
            for at, row in zip(nearer, nearest[:, nearer].argmin(axis=0), strict=True):
                column = cuts[at] + np.argmin(block[row, cuts[at] : cuts[at + 1]])
                ends[mine, mine + 1 + at] = rows[row], others[column]
                best[mine, mine + 1 + at] = nearest[row, at]
    i, j = np.triu_indices(count, 1)
    known = np.isfinite(best[i, j])
    return ends[i, j][known], best[i, j][known]
