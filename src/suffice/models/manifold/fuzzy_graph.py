"""Graphs of neighbours as fuzzy sets: to what degree each pair is an edge (McInnes, Healy and Melville, 2018)."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ...backend.neighbors import Within
from ...indices import NeighborGraph
from ...typing import CSR, Flags, Floats

_NARROWEST = 1e-3  # of the mean distance in a list: no membership falls by e sooner
_MOST = 60  # steps of Newton's method
_NEAR = 1e-12  # of the number of neighbours, in its logarithm


def memberships(lists: Within, n_neighbors: float, local_connectivity: float) -> Floats:
    """To what degree the neighbours of each list are such, exp(−max(0, d − ρ) / σ), in the order of the lists.

    ρ is the distance of the neighbour of that number, other than 0, between two of them by interpolation, and σ such
    that the memberships of a list sum to log₂ of the number of neighbours.
    """
    m, sizes = len(lists.ends), np.diff(lists.ends, prepend=0)
    known = np.arange(sizes.max(initial=0)) < sizes[:, None]  # (m, width)
    distance = np.full(known.shape, np.inf)
    distance[known] = lists.distances
    beyond = np.where(known, np.maximum(distance - _rho(distance, local_connectivity)[:, None], 0.0), 0.0)
    mean = np.sum(distance, axis=1, where=known) / np.maximum(sizes, 1)
    unit = np.where(mean > 0, mean, 1.0)[:, None]
    steep = _steepness(beyond / unit, known, float(np.log(np.log2(n_neighbors))))
    return np.asarray(np.exp(-steep[:, None] * (beyond / unit))[known]) if m else np.empty(0)


def _rho(distance: Floats, number: float) -> Floats:
    """The distance of the neighbour of that number, which may lie between two; (m,)."""
    ascending = np.sort(np.where(distance > 0, distance, np.inf), axis=1)
    last = np.max(ascending, axis=1, where=np.isfinite(ascending), initial=0.0)
    with_none = np.column_stack([np.zeros(len(distance)), np.where(np.isfinite(ascending), ascending, last[:, None])])
    below = min(int(number), with_none.shape[1] - 1)
    above = min(below + 1, with_none.shape[1] - 1)
    return np.asarray(with_none[:, below] + (number - int(number)) * (with_none[:, above] - with_none[:, below]))


def _steepness(beyond: Floats, known: Flags, log_sum: float) -> Floats:
    """1 / σ of each list: from 0 on, Newton's method rises to it, as the logarithm of the sum is convex."""
    steep = np.zeros(len(beyond))
    for _ in range(_MOST):
        own = np.where(known, np.exp(-steep[:, None] * beyond), 0.0)
        total = np.maximum(own.sum(axis=1), 1e-300)
        error = np.log(total) - log_sum
        slope = np.sum(own * beyond, axis=1) / total
        going = (error > _NEAR) & (steep < 1 / _NARROWEST)
        if not going.any():
            break
        step = np.where(slope * 1e6 > error, error / np.maximum(slope, 1e-300), 1e6)
        steep = np.where(going, np.minimum(steep + step, 1 / _NARROWEST), steep)
    return steep


def fuzzy_graph(graph: NeighborGraph, n_neighbors: float, local_connectivity: float, mix: float) -> CSR:
    """The memberships of pairs (m, m), symmetric: for mix = 1 those of the union of what both ends say, for 0 of the
    intersection. An edge that joins pieces belongs to it entirely.
    """
    m, joined = graph.n, graph.listed == 0
    lists = _without(graph)
    one = sparse.csr_array(
        (memberships(lists, n_neighbors, local_connectivity), lists.rows, np.append(0, lists.ends)), shape=(m, m)
    )
    found = united(one, mix)
    if not joined.any():
        return found
    i, j = graph.edges[joined].T
    both = np.append(i, j), np.append(j, i)
    found = sparse.csr_array(found + sparse.csr_array((np.ones(2 * len(i)), both), shape=(m, m)))
    found.sort_indices()
    return found


def united(one: CSR, mix: float) -> CSR:
    """Memberships as both ends say it: the union a + b − ab, the intersection ab, or a mixture of them."""
    other = one.T.tocsr()
    both = one.multiply(other)
    found = sparse.csr_array(mix * (one + other - both) + (1 - mix) * both)
    found.eliminate_zeros()
    found.sort_indices()
    return found


def _without(graph: NeighborGraph) -> Within:
    """The lists without what joins pieces."""
    joined = graph.edges[graph.listed == 0]
    if not len(joined):
        return graph.lists
    row, other = graph.lists.queries(), graph.lists.rows
    kept = ~np.isin(np.minimum(row, other) * graph.n + np.maximum(row, other), joined @ np.array([graph.n, 1]))
    ends = np.cumsum(np.bincount(row[kept], minlength=graph.n)).astype(np.int64)
    return Within(ends, graph.lists.distances[kept], other[kept])
