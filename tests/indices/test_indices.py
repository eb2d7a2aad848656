"""Every exact index finds what sorting all distances finds, on every instruction set."""

import importlib
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial import cKDTree
from suffice.backend._cpu import level

from suffice import backend
from suffice.backend import native
from suffice.backend.neighbors import nearest_of, within_of
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
from suffice.errors import InvalidData, InvalidParameter, SparseNotSupported
from suffice.indices import LSH, Brute, InvertedLists, KDTree, as_index, choose

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


def rows(n, d=3, seed=0, dtype=float):
    return (np.random.default_rng(seed).random((n, d)) + 0.1).astype(dtype)


def by_sorting(measure, Q, X, k):
    """Of distances in the ranking form, in double precision, the k least, of equals the first."""
    fitted = measure.fitted(X)
    D = fitted.pairwise(np.asarray(Q, dtype=float), np.asarray(X, dtype=float), ranking=True)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return fitted.to_true(np.take_along_axis(D, order, axis=1)), order


def assert_found(found, expected):
    np.testing.assert_array_equal(found.rows, expected[1])
    np.testing.assert_array_equal(found.distances, expected[0])


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
