"""Which index is chosen and why, what indices refuse, and corners."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from index_rows import assert_found, rows
from suffice.backend.neighbors import nearest_of
from suffice.errors import InvalidData, InvalidParameter, SparseNotSupported
from suffice.indices import LSH, Brute, InvertedLists, KDTree, as_index, choose

pytestmark = pytest.mark.native


# ---- choices and refusals ----


@pytest.mark.parametrize(
    ("X", "metric", "kind", "why"),
    [
        (rows(5000, 3), "euclidean", KDTree, "5,000 rows of 3 columns"),
        (rows(100, 3), "euclidean", Brute, "would not pay"),
        (rows(5000, 30), "euclidean", Brute, "would not pay"),
        (rows(5000, 3), "jensenshannon", Brute, "no boxes"),
        (sparse.eye_array(5, format="csr"), "cosine", InvertedLists, "sparse"),
        (sparse.eye_array(5, format="csr"), "jaccard", Brute, "Jaccard"),
    ],
)
def test_auto_says_why(X, metric, kind, why):
    index = choose(X, metric)
    assert type(index) is kind
    assert why in index.reason
    assert index.built(X, metric).reason == index.reason


def test_bad_questions_are_refused():
    index = KDTree().built(rows(10))
    for k in (0, 11):
        with pytest.raises(InvalidParameter, match=f"k={k} neighbours of 10 rows"):
            index.kneighbors(rows(1), k)
    with pytest.raises(InvalidData, match="columns"):
        index.kneighbors(rows(1, 2), 1)
    with pytest.raises(InvalidData, match="no row 10"):
        index.remove([10])
    with pytest.raises(InvalidParameter, match="built"):
        KDTree().kneighbors(rows(1), 1)
    with pytest.raises(InvalidParameter, match="algorithm must be"):
        as_index("ball")


def test_bad_rows_are_refused():
    with pytest.raises(InvalidData, match="row 3 has a missing value"):
        KDTree().built(np.where(np.arange(10)[:, None] == 3, np.nan, 1.0))
    with pytest.raises(InvalidData, match="all zeros and has no direction"):
        Brute().built(np.zeros((3, 2)), "cosine")
    with pytest.raises(InvalidData, match="infinite"):
        Brute().built([[1.0, 0.0]], "kl").kneighbors([[0.5, 0.5]], 1)
    with pytest.raises(InvalidData, match="no column in common"):
        Brute().built([[1.0, np.nan], [np.nan, 1.0]]).kneighbors([[1.0, np.nan]], 2)
    with pytest.raises(InvalidParameter, match="sparse rows"):
        InvertedLists().built(rows(3))
    with pytest.raises(SparseNotSupported):
        Brute().built(sparse.eye_array(3, format="csr"), "manhattan")


@pytest.mark.parametrize("index", [Brute(), KDTree(), LSH()])
def test_pickle_keeps_it(index):
    built = index.built(rows(300, 8))
    before = built.kneighbors(rows(5, 8, 1), 3)
    after = pickle.loads(pickle.dumps(built)).kneighbors(rows(5, 8, 1), 3)
    assert_found(after, (before.distances, before.rows))


def test_the_definition_sorts():
    found = nearest_of(np.array([[2.0, np.nan, 1.0, 1.0]]), 4)
    assert found.rows.tolist() == [[2, 3, 0, -1]]


# ---- corners ----


@pytest.mark.parametrize("index", [Brute(), KDTree(), LSH()], ids=lambda index: index.name)
def test_sparse_queries_of_dense_rows(index):
    X, Q = np.abs(rows(80)), np.abs(rows(9, seed=1))
    built = index.built(X)
    assert_found(built.kneighbors(sparse.csr_array(Q), 3), built.kneighbors(Q, 3))
    more, same = built.insert(sparse.csr_array(Q)), built.insert(Q)
    assert_found(more.kneighbors(Q, 3), same.kneighbors(Q, 3))
    dense = Brute().built(sparse.csr_array(X)).insert(Q)
    np.testing.assert_array_equal(dense.kneighbors(Q, 1).rows[:, 0], np.arange(80, 89))


@pytest.mark.parametrize("index", [Brute(), KDTree(), LSH()], ids=lambda index: index.name)
@pytest.mark.parametrize("k", [0, 1.5, True, "a", 10**400])
def test_numbers_of_neighbours_that_make_no_sense(index, k):
    with pytest.raises(InvalidParameter, match=r"k must be an integer, at least 1, at most 30"):
        index.built(rows(30)).kneighbors(rows(2), k)


@pytest.mark.parametrize("index", [Brute(), KDTree(), LSH()], ids=lambda index: index.name)
def test_radii_and_rows_that_make_no_sense(index):
    built = index.built(rows(30))
    for radius in (-1.0, np.nan, "a", True):
        with pytest.raises(InvalidParameter, match="radius must be a number, at least 0"):
            built.radius_neighbors(rows(2), radius)
    assert len(Brute().built(rows(30)).radius_neighbors(rows(2), 10**400).rows) == 60
    for wrong in ([1.5], ["a"], [10**400], [-1], [30]):
        with pytest.raises(InvalidData, match="from 0 to 29"):
            built.remove(wrong)


@pytest.mark.parametrize("index", [Brute(), KDTree(), LSH()], ids=lambda index: index.name)
@pytest.mark.parametrize("metric", ["euclidean", "seuclidean", "mahalanobis"])
def test_numbers_whose_squares_overflow(index, metric):
    with pytest.raises(InvalidData, match=r"so large.* that their squares overflow"):
        index.built(rows(30) * 1e300, metric).kneighbors(rows(2, seed=1) * 1e300, 1)


def test_sparse_numbers_whose_squares_overflow():
    X, Q = (sparse.csr_array(np.abs(rows(9, seed=seed)) * 1e200) for seed in (0, 1))
    for index in (Brute(), InvertedLists()):
        for queries in (Q, Q.toarray()):
            with pytest.raises(InvalidData, match="squares overflow"):
                index.built(X).kneighbors(queries, 1)


def test_hash_tables_of_rows_far_apart():
    X = rows(200)
    X[0] *= 1e15  # far more cells away than 32 bits number
    index = LSH().built(X)
    far = X[:1] * 1e3
    assert index.kneighbors(X[:1], 1).rows.tolist() == [[0]]
    for Q in (far, far * 1e20, -far * 1e100):
        assert_found(index.kneighbors(Q, 2), Brute().built(X).kneighbors(Q, 2))
        assert len(index.radius_neighbors(Q, 1.0).rows) == 0
    with pytest.raises(InvalidData, match="no rows are left"):
        index.remove(np.arange(200))


@pytest.mark.parametrize(
    "options", [{"n_tables": 10**9}, {"n_tables": 1.0}, {"seed": -1}, {"seed": "a"}, {"recall": "a"}, {"recall": True}]
)
def test_options_of_hash_tables_that_make_no_sense(options):
    with pytest.raises(InvalidParameter, match=f"LSH: {next(iter(options))} must be"):
        LSH(**options)
