"""The hierarchies of every linkage equal SciPy's, on every instruction set, and their definitions."""

import importlib
import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
from suffice.backend._cpu import level

import suffice as sf
from suffice import backend
from suffice.backend import linkage as kernels
from suffice.backend import native, threads
from suffice.backend.distances import Term
from suffice.backend.linkage import LANCE_WILLIAMS, LINKAGES, MAY_FALL, OF_SQUARES
from suffice.models.hierarchy import Hierarchy

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]
METRICS = ["euclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra"]


@pytest.fixture(params=LEVELS)
def instructions(request, monkeypatch):
    module = importlib.import_module(f"suffice.backend._native_{request.param}")
    monkeypatch.setattr(native, "_kernels", module)


def rows(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) + 1


def tied(n, seed=0):
    return np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float)


def adversarial(kind, n=70):
    k = np.arange(n, dtype=float)
    shapes = {
        "falling gaps": np.cumsum(n - k)[:, None],  # the chain runs through all rows
        "rising gaps": np.cumsum(k + 1)[:, None],
        "equal rows": np.ones((n, 3)),
        "two values": np.repeat([[0.0], [1.0]], n // 2, axis=0),
        "line": k[:, None],
        "powers": 1.5 ** np.minimum(k, 70)[:, None],
        "far away": rows(n) + 1e6,
        "star": np.vstack([np.zeros(n - 1), np.eye(n - 1)]),
    }
    return shapes[kind]


def same(found, expected):
    np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-10, atol=1e-10 * max(expected[:, 2].max(), 1e-300))
    np.testing.assert_array_equal(found[:, [0, 1, 3]], expected[:, [0, 1, 3]])


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("n", [2, 3, 30, 200])
def test_equals_scipy(instructions, method, n):
    X = rows(n)
    same(sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_, linkage(X, method))


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("seed", range(5))
def test_equals_scipy_with_ties(instructions, method, seed):
    X = tied(60 + seed, seed)
    same(sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_, linkage(X, method))


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize(
    "kind", ["falling gaps", "rising gaps", "equal rows", "two values", "line", "powers", "far away"]
)
def test_equals_scipy_on_adversarial_rows(method, kind):
    X = adversarial(kind)
    found, expected = sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_, linkage(X, method)
    if kind == "far away":
        np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-7)
        return
    same(found, expected)


def test_ties_of_squares_that_only_rounding_breaks():
    """All merges of a star are tied; any order is right, and the heights are those of the definition."""
    X = adversarial("star")
    heights = sf.AgglomerativeClustering(1, linkage="ward").fit(X).distances_
    np.testing.assert_allclose(np.sum(heights**2) / 2, np.sum((X - X.mean(axis=0)) ** 2), rtol=1e-10)


@pytest.mark.parametrize("method", ["single", "complete", "average", "weighted"])
@pytest.mark.parametrize("metric", METRICS)
def test_equals_scipy_for_other_distances(method, metric):
    X = rows(80, 5)
    same(
        sf.AgglomerativeClustering(1, linkage=method, metric=metric).fit(X).linkage_matrix_, linkage(X, method, metric)
    )


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("form", ["square", "condensed"])
def test_equals_scipy_from_a_matrix(instructions, method, form):
    D = pdist(rows(90))
    given_distances = squareform(D) if form == "square" else D
    before = given_distances.copy()
    model = sf.AgglomerativeClustering(1, linkage=method, metric="precomputed").fit(given_distances)
    same(model.linkage_matrix_, linkage(D, method))
    np.testing.assert_array_equal(given_distances, before)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 2**32), st.sampled_from(LINKAGES), st.booleans())
def test_any_rows(n, d, seed, method, whole):
    X = rows(n, d, seed)
    X = np.round(2 * X) if whole else X
    found, expected = sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_, linkage(X, method)
    same(found, expected)
    assert is_valid_linkage(found)


# ---- the ways for many rows ----


@pytest.mark.parametrize("method", OF_SQUARES)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (50, 2), (700, 3), (2500, 4)])
def test_centroids_equal_scipy(instructions, method, n, d):
    X = rows(n, d, n)
    merges = kernels.from_centroids(X, np.ones(n), method)
    tree = Hierarchy.of(merges, np.ones(n))
    same(tree.linkage_matrix, linkage(X, method))


@pytest.mark.parametrize("method", OF_SQUARES)
@pytest.mark.parametrize(
    "make",
    [lambda: rows(4000, 6), lambda: tied(3000), lambda: np.ones((300, 2)), lambda: adversarial("line", 3000)],
    ids=["plain", "tied", "equal", "line"],
)
def test_centroids_do_not_depend_on_threads(method, make):
    X = make()
    found = []
    for n in (1, 2, 5):
        with threads(n):
            found.append(kernels.from_centroids(X, np.ones(len(X)), method))
    for other in found[1:]:
        np.testing.assert_array_equal(other.pairs, found[0].pairs)
        np.testing.assert_array_equal(other.heights, found[0].heights)
    tree = Hierarchy.of(found[0], np.ones(len(X))).linkage_matrix
    assert method in MAY_FALL or is_valid_linkage(tree)


def test_heights_by_ward_of_tied_rows():
    """The heights are those of the clusters merged, also where many distances are equal."""
    X = tied(300)
    merges = kernels.from_centroids(X, np.ones(len(X)), "ward")
    tree = Hierarchy.of(merges, np.ones(len(X))).linkage_matrix
    members = [[i] for i in range(len(X))]
    for a, b, height, _ in tree:
        one, other = X[members[int(a)]], X[members[int(b)]]
        n, m = len(one), len(other)
        expected = np.sqrt(2 * n * m / (n + m)) * np.linalg.norm(one.mean(axis=0) - other.mean(axis=0))
        np.testing.assert_allclose(height, expected, rtol=1e-9, atol=1e-12)
        members.append(members[int(a)] + members[int(b)])


@pytest.mark.parametrize(("n", "d"), [(2, 1), (17, 2), (500, 3), (3000, 2), (900, 5), (300, 8)])
@pytest.mark.parametrize("by_tree", [True, False])
def test_spanning_trees_equal_scipy(instructions, n, d, by_tree):
    X = rows(n, d, n)
    merges = kernels.spanning_tree(X, Term("squared"), by_tree)
    expected = linkage(X, "single")
    np.testing.assert_allclose(np.sqrt(merges.heights), expected[:, 2], rtol=1e-10)
    np.testing.assert_array_equal(kernels.numbered(merges.pairs), expected[:, :2])


@pytest.mark.parametrize("make", [lambda: tied(3000), lambda: np.ones((3000, 2)), lambda: adversarial("line", 3000)])
def test_spanning_tree_with_ties(instructions, make):
    X = make()
    merges = kernels.spanning_tree(X, Term("squared"), True)
    np.testing.assert_allclose(np.sqrt(merges.heights), linkage(X, "single")[:, 2], rtol=1e-12)


@pytest.mark.parametrize("method", ["complete", "average", "weighted"])
def test_near_rows_put_together_change_nothing(instructions, method):
    X = rows(5000, 4)
    merges = kernels.from_rows(X, Term("squared", "root"), np.ones(5000), method)
    expected = linkage(X, method)
    np.testing.assert_allclose(merges.heights, expected[:, 2], rtol=1e-10)
    np.testing.assert_array_equal(kernels.numbered(merges.pairs), expected[:, :2])


def test_ward_with_ties_merges_the_nearest_two():
    """From centroids ties may fall otherwise; every merge is still of two clusters that no two others beat."""
    X = tied(80)
    merges = kernels.from_centroids(X, np.ones(80), "ward")
    members = [frozenset([i]) for i in range(80)]
    active = set(members)
    for (a, b), height in zip(kernels.numbered(merges.pairs), merges.heights, strict=True):
        least = min(ward(X, u, v) for u, v in itertools.combinations(active, 2))
        assert height == pytest.approx(least, abs=1e-9)
        active -= {members[a], members[b]}
        members.append(members[a] | members[b])
        active.add(members[-1])


def ward(X, a, b):
    apart = X[list(a)].mean(axis=0) - X[list(b)].mean(axis=0)
    return np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * np.linalg.norm(apart)


@pytest.mark.parametrize("make", [rows, lambda n: np.round(2 * rows(n))], ids=["rows", "ties"])
@pytest.mark.parametrize("method", ["single", "ward", "average", "complete", "weighted"])
def test_same_tree_for_any_number_of_threads(method, make):
    X, found = make(4000), []
    for n in (1, 2, 5):
        with threads(n):
            found.append(sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_.tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_tree_of_a_matrix_for_any_number_of_threads(dtype):
    D, found = squareform(pdist(rows(3200))).astype(dtype), []
    for n in (1, 2, 5):
        with threads(n):
            model = sf.AgglomerativeClustering(1, linkage="average", metric="precomputed").fit(D)
            found.append(model.linkage_matrix_.tobytes())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("method", LINKAGES)
def test_single_precision(method):
    X = rows(300).astype(np.float32)
    single = sf.AgglomerativeClustering(1, linkage=method).fit(X).distances_
    np.testing.assert_allclose(
        single, sf.AgglomerativeClustering(1, linkage=method).fit(X.astype(float)).distances_, rtol=1e-4
    )


@pytest.mark.parametrize("method", LINKAGES)
def test_native_equals_portable(method):
    X = rows(60)
    native_tree = sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_
    with backend.using("portable"):
        same(sf.AgglomerativeClustering(1, linkage=method).fit(X).linkage_matrix_, native_tree)


# ---- definitions ----


def definition(method, X, a, b):
    """The distance of two clusters of rows, from all their members."""
    D = np.linalg.norm(X[a][:, None] - X[b], axis=2)
    apart = np.linalg.norm(X[a].mean(axis=0) - X[b].mean(axis=0))
    return {
        "single": D.min(),
        "complete": D.max(),
        "average": D.mean(),
        "centroid": apart,
        "ward": np.sqrt(2 * len(a) * len(b) / (len(a) + len(b))) * apart,
    }[method]


@pytest.mark.parametrize("method", ["single", "complete", "average", "centroid", "ward"])
@pytest.mark.parametrize("seed", range(5))
def test_the_table_is_the_definition(method, seed):
    X, power = rows(12, 3, seed), 2 if method in OF_SQUARES else 1
    x, y, z = [0, 1, 2], [3, 4], [5, 6, 7, 8, 9]
    dx, dy, dxy = (definition(method, X, a, b) ** power for a, b in ((x, z), (y, z), (x, y)))
    ax, ay, beta, gamma = LANCE_WILLIAMS[method](len(x), len(y), len(z))
    union = ax * dx + ay * dy + beta * dxy + gamma * abs(dx - dy)
    assert union == pytest.approx(definition(method, X, x + y, z) ** power)


@pytest.mark.parametrize("seed", range(5))
def test_the_table_of_midpoints_and_of_halves(seed):
    """Median: the distance from the midpoint of two points. Weighted: the mean of the two distances."""
    x, y, z = rows(3, 4, seed)
    dx, dy, dxy = (np.sum((a - b) ** 2) for a, b in ((x, z), (y, z), (x, y)))
    ax, ay, beta, gamma = LANCE_WILLIAMS["median"](3.0, 1.0, 2.0)
    assert ax * dx + ay * dy + beta * dxy == pytest.approx(np.sum(((x + y) / 2 - z) ** 2))
    assert gamma == 0
    assert LANCE_WILLIAMS["weighted"](3.0, 1.0, 2.0) == (0.5, 0.5, 0.0, 0.0)


@pytest.mark.parametrize("method", [m for m in LINKAGES if m not in MAY_FALL])
def test_heights_never_fall_where_theory_says_so(method):
    tree = sf.AgglomerativeClustering(1, linkage=method).fit(rows(500)).tree_
    assert np.all(np.diff(tree.heights) >= 0)
    assert len(tree.inversions) == 0


def test_heights_of_centroids_fall_and_it_shows():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.9]])
    tree = sf.AgglomerativeClustering(1, linkage="centroid").fit(X).tree_
    np.testing.assert_allclose(tree.heights, [1.0, 0.9])
    assert tree.inversions.tolist() == [1]
    assert tree.cut(height=0.95).tolist() == [0, 1, 2]


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("precomputed", [False, True])
def test_weights_equal_repeated_rows(method, precomputed):
    rng = np.random.default_rng(2)
    X, weight = rows(40, 2), rng.integers(1, 5, 40).astype(float)
    again = np.repeat(np.arange(40), weight.astype(int))
    first = np.concatenate([[0], np.cumsum(weight).astype(int)[:-1]])
    D = squareform(pdist(X))
    metric = "precomputed" if precomputed else "euclidean"
    one = sf.AgglomerativeClustering(5, linkage=method, metric=metric).fit(
        D if precomputed else X, sample_weight=weight
    )
    many = sf.AgglomerativeClustering(5, linkage=method, metric=metric).fit(
        D[np.ix_(again, again)] if precomputed else X[again]
    )
    np.testing.assert_allclose(one.distances_, many.distances_[-39:], rtol=1e-8)
    np.testing.assert_array_equal(one.labels_, many.labels_[first])
    together = squareform(cophenet(many.linkage_matrix_))[np.ix_(first, first)]
    np.testing.assert_allclose(squareform(one.tree_.cophenetic()), together, rtol=1e-8, atol=1e-12)


@pytest.mark.unsanitized
@pytest.mark.parametrize(("method", "n", "d"), [("average", 12_000, 5), ("ward", 60_000, 12), ("single", 60_000, 12)])
def test_ctrl_c_stops_a_fit(method, n, d):
    X, began = rows(n, d), []

    def press():
        began.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def fit_for_a_minute():
        end = time.perf_counter() + 60
        while time.perf_counter() < end:
            sf.AgglomerativeClustering(2, linkage=method).fit(X)

    timer = threading.Timer(0.4, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fit_for_a_minute()
    assert time.perf_counter() - began[0] < 3.0
    timer.join()


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "weighted", "single"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_kept_or_computed_anew_give_the_same(rng, linkage, dtype):
    X = rng.integers(0, 4, size=(150, 140)).astype(dtype)  # many ties
    stored = sf.AgglomerativeClustering(3, linkage=linkage).fit(X)
    anew = sf.AgglomerativeClustering(3, linkage=linkage, memory=X.itemsize * 150**2).fit(X)
    np.testing.assert_array_equal(stored.children_, anew.children_)
    np.testing.assert_array_equal(stored.distances_, anew.distances_)
