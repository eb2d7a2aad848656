"""Kernels of graphs: SciPy's answers, bits, hard lengths."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

import suffice as sf
from suffice.backend.graphs import shortest_ways
from suffice.indices import Brute, NeighborGraph

pytestmark = pytest.mark.native
X = np.random.default_rng(0).normal(size=(400, 3))
GRAPH = NeighborGraph.nearest(Brute().built(X), X, 4).matrix()


def test_ways_from_all_and_from_some():
    assert_allclose(shortest_ways(GRAPH, np.arange(400)), dijkstra(GRAPH))
    some = np.array([7, 7, 399, 0, *[7] * 40])
    assert_allclose(shortest_ways(GRAPH, some), dijkstra(GRAPH, indices=some))
    assert shortest_ways(GRAPH, np.empty(0, dtype=np.int64)).shape == (0, 400)


def test_the_same_bits_for_any_threads_and_company():
    found = []
    for n in (1, 2, 3):
        with sf.threads(n):
            found.append(shortest_ways(GRAPH, np.arange(400)))
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])
    alone = [shortest_ways(GRAPH, np.array([i]))[0] for i in (0, 13, 399)]
    assert_array_equal(np.array(alone), found[0][[0, 13, 399]])


def test_lengths_that_make_the_first_order_wrong():
    """A comb of long and short edges, where the ways from one node say little of those from another."""
    rng = np.random.default_rng(1)
    n = 120
    i, j = np.triu_indices(n, 1)
    length = 10.0 ** rng.uniform(-8, 8, len(i)) * (j - i) ** rng.choice([-1.0, 3.0], len(i))
    D = np.zeros((n, n))
    D[i, j] = D[j, i] = length
    graph = sparse.csr_array(D)
    assert_allclose(shortest_ways(graph, np.arange(n)), dijkstra(graph))
