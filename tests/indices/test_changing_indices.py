"""Rows of an index come and go, and hash tables find the share of neighbours that they state."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from index_rows import assert_found, by_sorting, rows
from suffice.distances import (
    Euclidean,
)
from suffice.errors import InvalidParameter
from suffice.indices import LSH, Brute, InvertedLists, KDTree

pytestmark = pytest.mark.native


# ---- rows come and go ----


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 40)), min_size=1, max_size=8), st.integers(0, 2**16))
@pytest.mark.parametrize("index", [Brute(), KDTree()])
def test_inserted_and_removed_equals_rebuilt(index, changes, seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((50, 2)) * 6)
    live = index.built(X)
    for insert, count in changes:
        if insert:
            more = np.round(rng.random((count, 2)) * 6)
            live, X = live.insert(more), np.vstack([X, more])
        else:
            gone = rng.choice(len(X), min(count, len(X) - 1), replace=False)
            live, X = live.remove(gone), np.delete(X, gone, axis=0)
        assert live.n_rows == len(X)
        k, Q = min(6, len(X)), rng.random((5, 2)) * 6
        assert_found(live.kneighbors(Q, k), by_sorting(Euclidean(), Q, X, k))
        ours, fresh = live.radius_neighbors(Q, 2.0), index.built(X).radius_neighbors(Q, 2.0)
        np.testing.assert_array_equal(ours.rows, fresh.rows)


def test_many_changes_build_the_tree_anew():
    X = rows(3000)
    index = KDTree().built(X[:1000]).insert(X[1000:])
    assert index.in_tree == 3000
    kept = index.remove(np.arange(2500))
    assert kept.in_tree == 500
    assert_found(kept.kneighbors(X[:10], 3), by_sorting(Euclidean(), X[:10], X[2500:], 3))


def test_sparse_rows_come_and_go():
    X = sparse.csr_array(np.eye(6) + np.eye(6, k=1))
    index = InvertedLists().built(X[:4]).insert(X[4:]).remove([0])
    assert_found(index.kneighbors(X, 3), InvertedLists().built(X[1:]).kneighbors(X, 3))


def test_the_old_index_stays_as_it_was():
    index = KDTree().built(rows(40))
    before = index.kneighbors(rows(5, seed=1), 3)
    index.remove([0, 1, 2]).insert(rows(9, seed=3))
    assert_found(index.kneighbors(rows(5, seed=1), 3), (before.distances, before.rows))


# ---- hash tables ----


def clusters(n, d=16, seed=0):
    rng = np.random.default_rng(seed)
    return 4 * rng.normal(size=(50, d))[rng.integers(0, 50, n)] + rng.normal(size=(n, d))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "mahalanobis"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lsh_finds_the_share_that_it_states(metric, dtype):
    X = clusters(6000).astype(dtype)
    X, Q = X[:5500], X[5500:]
    index = LSH(recall=0.9).built(X, metric)
    exact = Brute().built(X, metric).kneighbors(Q, 10)
    found = index.kneighbors(Q, 10)
    share = np.mean([len(np.intersect1d(a, b)) / 10 for a, b in zip(found.rows, exact.rows, strict=True)])
    assert index.measured_recall >= 0.9
    assert share > 0.85
    hit = found.rows == exact.rows
    np.testing.assert_array_equal(found.distances[hit], exact.distances[hit])


def test_lsh_within_a_radius_finds_no_strangers():
    X = clusters(2000)
    found, exact = (index.built(X).radius_neighbors(X[:50], 4.0) for index in (LSH(), Brute()))
    assert len(found.rows) > 0.8 * len(exact.rows)
    assert np.all(found.distances <= 4.0)


def test_lsh_same_seed_same_answer():
    X = clusters(1000)
    one, other = (LSH(seed=3).built(X).kneighbors(X[:20], 5) for _ in range(2))
    assert_found(one, (other.distances, other.rows))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_lsh_of_few_or_equal_rows(n):
    index = LSH().built(np.ones((n, 3)))
    assert index.kneighbors(np.zeros((2, 3)), n).rows.shape == (2, n)
    assert index.insert(np.ones((3, 3))).remove([0]).n_rows == n + 2


def test_lsh_refuses():
    with pytest.raises(InvalidParameter, match="recall must be"):
        LSH(recall=0.0)
    with pytest.raises(InvalidParameter, match="n_tables must be"):
        LSH(n_tables=0)
    with pytest.raises(InvalidParameter, match="not for Manhattan"):
        LSH().built(rows(10), "manhattan")
