"""Arguments to try the operations of graphs with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from ..examples import Arguments, Case


def shortest_ways(case: Case) -> Iterator[Arguments]:
    """Graphs with few and with many edges, some of length 0, in pieces; all nodes, some and one twice."""
    rng = case.rng()
    for share in (0.05, 0.5):
        cells = np.triu(rng.random((case.n, case.n)) + (rng.random((case.n, case.n)) > share) * 1e9, 1)
        i, j = np.nonzero((cells > 0) & (cells < 2))
        length = np.where(np.arange(len(i)) % 7 == 0, 0.0, cells[i, j])
        order = np.lexsort((np.append(j, i), np.append(i, j)))
        starts = np.concatenate([[0], np.cumsum(np.bincount(np.append(i, j), minlength=case.n))])
        columns, lengths = np.append(j, i)[order], np.append(length, length)[order].astype(case.dtype)
        graph = sparse.csr_array((lengths, columns, starts), shape=(case.n, case.n))
        yield graph, np.arange(case.n)
        if case.n:
            yield graph, np.array([case.n - 1, 0, 0])
