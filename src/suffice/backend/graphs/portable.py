"""Graphs in plain array code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from ...typing import CSR, Floats, Whole


def shortest_ways(graph: CSR, sources: Whole) -> Floats:
    """The lengths (s, n) of the shortest ways from some nodes to all; infinite where there is none.

    `graph` is symmetric, and has the lengths of its edges, none below 0.
    """
    lengths = csr_array((graph.data.astype(np.float64), graph.indices, graph.indptr), shape=graph.shape)
    return np.asarray(dijkstra(lengths, indices=sources)).reshape(len(sources), graph.shape[0])
