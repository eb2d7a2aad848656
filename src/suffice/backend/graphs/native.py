"""The kernels of graphs; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import CSR, Floats, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles


def shortest_ways(graph: CSR, sources: Whole) -> Floats:
    """The lengths (s, n) of the shortest ways from some nodes to all; infinite where there is none."""
    out = np.empty((len(sources), graph.shape[0]))
    starts, columns, nodes = (np.ascontiguousarray(a, dtype=np.int64) for a in (graph.indptr, graph.indices, sources))
    kernels().shortest_ways(starts, columns, doubles(graph.data), nodes, thread_count(), out)
    return out
