"""Every exact index finds what sorting all distances finds, on every instruction set."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial import cKDTree
from suffice.backend._cpu import level

from index_rows import assert_found, by_sorting, rows
from suffice import backend
from suffice.backend import native
from suffice.backend.neighbors import within_of
from suffice.distances import (
    Chebyshev,
    Correlation,
    Cosine,
    Euclidean,
    Function,
    Gower,
    Hamming,
    Jaccard,
    JensenShannon,
    KullbackLeibler,
    Mahalanobis,
    Manhattan,
    Minkowski,
    SquaredEuclidean,
)
from suffice.errors import InvalidParameter
from suffice.indices import LSH, Brute, InvertedLists, KDTree, choose

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]
MINKOWSKI = [Euclidean(), Manhattan(), Chebyshev(), Minkowski(3.0)]
TREE_DISTANCES = [Euclidean(), SquaredEuclidean(), Manhattan(), Chebyshev(), Minkowski(3.0), Minkowski(0.5), Cosine(),
                  Correlation(), Mahalanobis(np.diag([1.0, 2.0, 0.5]))]  # fmt: skip
OTHER_DISTANCES = [Hamming(), Jaccard(), JensenShannon(), KullbackLeibler(), Gower((1,)),
                   Function(lambda x, y: float(abs(x - y).sum()))]  # fmt: skip


@pytest.fixture(params=LEVELS)
def kernels(request, monkeypatch):
    module = importlib.import_module(f"suffice.backend._native_{request.param}")
    monkeypatch.setattr(native, "_kernels", module)


CELLS = st.sampled_from([0.0, 1.0, 2.0, -1.0, 0.5, 1e-9, 1e6])  # few values: duplicates and ties


@st.composite
def tables(draw):
    d = draw(st.integers(1, 9))
    n, m = draw(st.integers(1, 90)), draw(st.integers(1, 6))
    X = draw(arrays(float, (n, d), elements=CELLS))
    constant = draw(st.booleans())
    if constant:
        X[:, 0] = 3.0
    return X, draw(arrays(float, (m, d), elements=CELLS)), draw(st.integers(1, n))


@settings(max_examples=150, deadline=None)
@given(
    tables(),
    st.sampled_from([Euclidean(), Manhattan(), Chebyshev(), Minkowski(3.0)]),
    st.sampled_from([Brute(), KDTree()]),
)
def test_equal_to_sorting_with_duplicates_and_ties(table, measure, index):
    X, Q, k = table
    assert_found(index.built(X, measure).kneighbors(Q, k), by_sorting(measure, Q, X, k))


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from(["euclidean", "sqeuclidean"]))
def test_inverted_lists_equal_comparing_all(table, metric):
    X, Q, k = (sparse.csr_array(table[0]), sparse.csr_array(table[1]), table[2])
    found = InvertedLists().built(X, metric).kneighbors(Q, k)
    expected = Brute().built(X, metric).kneighbors(Q, k)
    assert_found(found, expected)


@pytest.mark.parametrize("n", [1, 2, 16, 17, 33, 500])
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 20])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("index", [Brute(), KDTree()])
def test_equal_to_sorting(kernels, index, n, d, dtype):
    X, Q = rows(n, d, dtype=dtype), rows(41, d, 1, dtype)
    for k in {1, min(n, 7), n}:
        assert_found(index.built(X).kneighbors(Q, k), by_sorting(Euclidean(), Q, X, k))


@settings(max_examples=100, deadline=None)
@given(tables(), st.sampled_from([Brute(), KDTree()]), st.booleans())
def test_the_nearest_and_those_as_near_as_the_last(table, index, weighted):
    X, Q, k = table
    weight = np.arange(len(X)) % 3 + 0.5 if weighted else None
    found = index.built(X).tied_neighbors(Q, k, weight)
    D = Euclidean().pairwise(Q, X, ranking=True)
    for i, (end, own) in enumerate(zip(found.ends, np.split(found.rows, found.ends[:-1]), strict=True)):
        order = np.argsort(D[i], kind="stable")
        total = np.cumsum(np.ones(len(X)) if weight is None else weight[order])
        radius = D[i][order[min(np.searchsorted(total, k * (1 - 1e-12)), len(X) - 1)]]
        assert sorted(own.tolist()) == np.flatnonzero(D[i] <= radius).tolist()
        assert found.distances[end - 1] == np.sqrt(radius)


@pytest.mark.parametrize("index", [Brute(), KDTree()])
def test_without_ties_there_are_the_nearest_alone(index):
    X, Q = rows(200), rows(30, seed=1)
    searches = []
    built = index.built(X)
    nearest = type(built)._nearest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(built), "_nearest", lambda self, Q, k: searches.append(k) or nearest(self, Q, k))
        found = built.tied_neighbors(Q, 5)
    wanted = built.kneighbors(Q, 5)
    assert searches == [6]
    assert found.ends.tolist() == list(range(5, 151, 5))
    assert found.queries().tolist() == np.repeat(np.arange(30), 5).tolist()
    np.testing.assert_array_equal(found.rows.reshape(30, 5), wanted.rows)
    np.testing.assert_array_equal(found.distances.reshape(30, 5), wanted.distances)


@pytest.mark.parametrize("measure", TREE_DISTANCES, ids=repr)
@pytest.mark.parametrize("index", [Brute(), KDTree()])
def test_every_distance(index, measure):
    X, Q = rows(300), rows(30, seed=1)
    assert_found(index.built(X, measure).kneighbors(Q, 9), by_sorting(measure, Q, X, 9))


@pytest.mark.parametrize("measure", OTHER_DISTANCES, ids=lambda m: type(m).__name__)
def test_distances_that_only_brute_force_knows(measure):
    X, Q = np.round(rows(60) * 3), np.round(rows(20, seed=1) * 3)
    assert_found(Brute().built(X + 1, measure).kneighbors(Q + 1, 5), by_sorting(measure, Q + 1, X + 1, 5))
    with pytest.raises(InvalidParameter, match=r"KDTree: .*Use Brute"):
        KDTree().built(X + 1, measure)


@pytest.mark.parametrize("d", [3, 12])
@pytest.mark.parametrize("spread", [1e-160, 1e-30, 1.0, 1e30, 1e140])
def test_any_scale(d, spread):
    X, Q = rows(200, d) * spread, rows(20, d, 1) * spread
    assert_found(Brute().built(X).kneighbors(Q, 5), by_sorting(Euclidean(), Q, X, 5))


def test_rows_far_from_zero_and_outliers_are_decided_exactly():
    X = rows(2000, 16) * 1e-4 + 1e4
    X[7] = 1e8
    Q = np.vstack([X[:30], rows(5, 16, 2) * 1e9])
    assert_found(Brute().built(X).kneighbors(Q, 12), by_sorting(Euclidean(), Q, X, 12))


def test_missing_values_are_left_out():
    X, Q = rows(100, 8), rows(20, 8, 1)
    X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    Q[0, 3] = np.nan
    index = choose(X).built(X)
    assert isinstance(index, Brute)
    np.testing.assert_array_equal(index.kneighbors(Q, 4).rows, by_sorting(Euclidean(), Q, X, 4)[1])
    tree = KDTree().built(rows(100, 3))
    Q = np.array([[0.5, np.nan, 0.5]])
    assert_found(tree.kneighbors(Q, 4), by_sorting(Euclidean(), Q, rows(100, 3), 4))


@pytest.mark.parametrize("index", [Brute(), KDTree()])
@pytest.mark.parametrize("measure", [Euclidean(), Manhattan(), Minkowski(3.0)], ids=repr)
@pytest.mark.parametrize("radius", [0.0, 0.3, 10.0])
def test_within_a_radius(kernels, index, measure, radius):
    X, Q = rows(300), np.vstack([rows(20, seed=1), rows(2)])
    found = index.built(X, measure).radius_neighbors(Q, radius)
    D = measure.pairwise(Q, X, ranking=True)
    expected = within_of(D, measure.to_ranking(np.float64(radius)))
    np.testing.assert_array_equal(found.ends, expected.ends)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_array_equal(found.distances, measure.to_true(expected.distances))


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
def test_sparse_rows(metric):
    X = sparse.random_array((200, 60), density=0.1, rng=np.random.default_rng(0), format="csr")
    X = X[np.diff(X.indptr) > 0]
    Q = X[:40]
    lists, brute = InvertedLists().built(X, metric), Brute().built(X, metric)
    assert isinstance(choose(X, metric), InvertedLists)
    for k in (1, 10, X.shape[0]):
        assert_found(lists.kneighbors(Q, k), brute.kneighbors(Q, k))
    ours, theirs = (index.radius_neighbors(Q, 0.9) for index in (lists, brute))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)
    dense = Brute().built(X.toarray(), metric).kneighbors(Q.toarray(), 10)
    np.testing.assert_allclose(lists.kneighbors(Q, 10).distances, dense.distances, atol=1e-7)


def test_scipy_agrees():
    X, Q = np.random.default_rng(0).normal(size=(5000, 3)), np.random.default_rng(1).normal(size=(500, 3))
    distances, found = cKDTree(X).query(Q, 10)
    index = KDTree().built(X).kneighbors(Q, 10)
    np.testing.assert_array_equal(index.rows, found)
    np.testing.assert_allclose(index.distances, distances, rtol=1e-12)


def test_the_portable_code_agrees():
    X, Q = rows(300), rows(30, seed=1)
    sparse_too = [sparse.csr_array(np.where(values > 0.5, values, 0.0)) for values in (X, Q)]
    for index in (Brute(), KDTree(), LSH(), InvertedLists()):
        own, queries = sparse_too if isinstance(index, InvertedLists) else (X, Q)
        native_way = index.built(own).kneighbors(queries, 5)
        with backend.using("portable"):
            portable = index.built(own).kneighbors(queries, 5)
        np.testing.assert_array_equal(native_way.rows, portable.rows)
        np.testing.assert_allclose(native_way.distances, portable.distances, rtol=1e-10)


@pytest.mark.parametrize("index", [Brute(), KDTree()])
def test_the_same_bits_for_any_threads(index):
    X, Q = rows(3000, 6), rows(500, 6, 1)
    found = []
    for n in (1, 3):
        with backend.threads(n):
            found.append(index.built(X).kneighbors(Q, 8))
    assert_found(found[0], (found[1].distances, found[1].rows))
