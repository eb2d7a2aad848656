"""Graphs of neighbours: against scikit-learn's, weights, pieces, joined as scikit-learn joins them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph, radius_neighbors_graph

from suffice.errors import InvalidData, InvalidParameter
from suffice.indices import Brute, KDTree, NeighborGraph

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
PIECES = np.vstack([X[:20], X[20:35] + 50, X[35:] - [0, 90, 0]])


def near(rows, k, index=KDTree):
    return NeighborGraph.nearest(index().built(rows), rows, k)


@pytest.mark.parametrize("k", [1, 4, 59, 100])
def test_nearest_as_scikit_learn(k):
    theirs = kneighbors_graph(X, min(k, 59), mode="distance")
    assert_allclose(near(X, k).matrix().toarray(), theirs.maximum(theirs.T).toarray())
    assert_allclose(NeighborGraph.of_distances(cdist(X, X), k).matrix().toarray(), theirs.maximum(theirs.T).toarray())


def test_within_as_scikit_learn():
    theirs = radius_neighbors_graph(X, 0.9, mode="distance")
    graph = NeighborGraph.within(Brute().built(X), X, 0.9)
    assert_allclose(graph.matrix().toarray(), theirs.toarray())
    assert_allclose(NeighborGraph.of_distances(cdist(X, X), None, 0.9).matrix().toarray(), theirs.toarray())
    count, labels = connected_components(theirs)
    assert graph.n_components == count
    assert_array_equal(graph.component, labels)


def test_which_edges_and_what_they_weigh():
    graph, directed = near(X, 4), kneighbors_graph(X, 4).toarray()
    binary = graph.matrix("binary").toarray()
    assert_array_equal(binary, np.maximum(directed, directed.T))
    assert_array_equal(graph.matrix("binary", keep="both").toarray(), np.minimum(directed, directed.T))
    assert_array_equal(graph.matrix("binary", keep="mean").toarray(), (directed + directed.T) / 2)
    assert_array_equal(graph.degrees(), binary.sum(axis=1))
    assert_allclose(graph.matrix("heat", gamma=0.7).toarray(), binary * np.exp(-0.7 * cdist(X, X) ** 2))
    lengths = graph.lengths
    assert_allclose(graph.matrix("heat").data.min(), np.exp(-(lengths.max() ** 2) / np.mean(lengths**2)))
    with pytest.raises(InvalidParameter, match="weights must be 'distance', 'heat' or 'binary'; got 'cosine'"):
        graph.matrix("cosine")


def test_pieces_are_joined_by_their_shortest_edges():
    graph = near(PIECES, 4)
    assert graph.n_components == 3
    D = cdist(PIECES, PIECES)
    joined = graph.joined(lambda rows, others: D[np.ix_(rows, others)])
    assert joined.n_components == 1
    assert len(joined.edges) == len(graph.edges) + 3
    assert_allclose(
        np.sort(joined.lengths[joined.listed == 0]),
        np.sort([D[:20, 20:35].min(), D[:20, 35:].min(), D[20:35, 35:].min()]),
    )
    assert_array_equal(np.lexsort((joined.edges[:, 1], joined.edges[:, 0])), np.arange(len(joined.edges)))
    assert_allclose(NeighborGraph.of(joined.lists).matrix().toarray(), joined.matrix().toarray())
    assert joined.joined(lambda rows, others: D[np.ix_(rows, others)]) is joined
    D[:20, 20:], D[20:, :20] = np.nan, np.nan
    with pytest.raises(InvalidData, match="no distance is known between some pieces"):
        graph.joined(lambda rows, others: D[np.ix_(rows, others)])


def test_the_largest_piece_alone():
    graph = near(PIECES, 4)
    rows = graph.largest()
    assert_array_equal(rows, np.arange(35, 60))
    part = graph.part(rows)
    assert_allclose(part.matrix().toarray(), near(PIECES[35:], 4).matrix().toarray())
    assert_array_equal(part.lists.rows, near(PIECES[35:], 4).lists.rows)
    assert_array_equal(part.lists.ends, near(PIECES[35:], 4).lists.ends)


def test_equal_rows_and_few():
    same = near(np.zeros((7, 2)), 3)  # more equal rows than neighbours
    assert_array_equal(same.degrees() >= 3, np.ones(7, dtype=bool))
    assert same.matrix().nnz == 2 * len(same.edges)  # edges of length 0 stay
    assert same.typical_length() == 1
    one = near(X[:1], 3)
    assert (one.n_components, len(one.edges), len(one.lists.rows)) == (1, 0, 0)
    assert_array_equal(one.largest(), [0])
