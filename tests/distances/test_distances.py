"""Distances equal those of SciPy, scikit-learn and R, on every instruction set."""

import importlib
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from scipy.special import rel_entr
from sklearn.metrics.pairwise import haversine_distances, nan_euclidean_distances
from sklearn.neighbors import NearestNeighbors
from suffice.backend._cpu import level

import suffice as sf
from suffice.backend import native
from suffice.distances import (
    BySciPy,
    Chebyshev,
    Correlation,
    Cosine,
    Euclidean,
    Function,
    Gower,
    Hamming,
    Haversine,
    Jaccard,
    JensenShannon,
    KullbackLeibler,
    Mahalanobis,
    Manhattan,
    Minkowski,
    SquaredEuclidean,
    StandardizedEuclidean,
    as_distance,
    names,
    require_metric,
)  # fmt: skip
from suffice.errors import InvalidData, InvalidParameter, SparseNotSupported

pytestmark = pytest.mark.native

LEVELS = ["v2", "v3", "v4"][: ["v2", "v3", "v4"].index(level()) + 1] if level() != "base" else ["base"]


@pytest.fixture(params=LEVELS)
def kernels(request, monkeypatch):
    module = importlib.import_module(f"suffice.backend._native_{request.param}")
    monkeypatch.setattr(native, "_kernels", module)


def rows(n, d=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) * 3 + 1


M = np.cov(rows(40, 6, 9).T)
PEERS = [
    (Euclidean(), "euclidean", {}),
    (SquaredEuclidean(), "sqeuclidean", {}),
    (Manhattan(), "cityblock", {}),
    (Chebyshev(), "chebyshev", {}),
    (Minkowski(1.7), "minkowski", {"p": 1.7}),
    (Minkowski(3), "minkowski", {"p": 3}),
    (Minkowski(7.5), "minkowski", {"p": 7.5}),
    (Cosine(), "cosine", {}),
    (Correlation(), "correlation", {}),
    (Mahalanobis(M), "mahalanobis", {"VI": M}),
    (Mahalanobis(), "mahalanobis", {}),
    (StandardizedEuclidean(), "seuclidean", {}),
    (BySciPy("canberra"), "canberra", {}),
]


@pytest.mark.parametrize(("ours", "name", "arguments"), PEERS, ids=lambda value: str(value))
@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 70), (131, 17), (300, 9)])
def test_equals_scipy(kernels, ours, name, arguments, n, m):
    X, Y = rows(n), rows(m, seed=1)
    if n == m == 1 and not arguments and name in ("mahalanobis", "seuclidean"):
        return  # two rows have no covariance to speak of
    np.testing.assert_allclose(ours.pairwise(X, Y), cdist(X, Y, name, **arguments), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("ours", "name", "arguments"), PEERS, ids=lambda value: str(value))
@pytest.mark.parametrize("n", [2, 30, 200])
def test_condensed_equals_scipy(kernels, ours, name, arguments, n):
    X = rows(n)
    if n <= X.shape[1] and name in ("mahalanobis", "seuclidean"):
        return
    expected = pdist(X, name, **arguments)
    np.testing.assert_allclose(ours.condensed(X), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.pairwise(X)[np.triu_indices(n, 1)], expected, rtol=1e-10, atol=1e-12)


def test_hamming_and_jaccard_equal_scipy(kernels):
    rng = np.random.default_rng(3)
    X, Y = rng.integers(0, 3, (40, 9)), rng.integers(0, 3, (77, 9))
    np.testing.assert_allclose(Hamming().pairwise(X, Y), cdist(X, Y, "hamming"))
    np.testing.assert_allclose(Jaccard().pairwise(X > 0, Y > 0), cdist(X > 0, Y > 0, "jaccard"))


def test_histograms_equal_scipy(kernels):
    rng = np.random.default_rng(3)
    X, Y = rng.integers(0, 5, (30, 7)) + np.eye(30, 7), rng.integers(0, 5, (41, 7)) + np.eye(41, 7, 3) + 0.1
    P, Q = X / X.sum(axis=1, keepdims=True), Y / Y.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(JensenShannon().pairwise(X, Y), cdist(P, Q, "jensenshannon"), rtol=1e-10)
    divergence = rel_entr(P[:, None], Q[None]).sum(axis=2)
    np.testing.assert_allclose(KullbackLeibler().pairwise(X, Y), divergence, rtol=1e-10, atol=1e-14)


def test_haversine_equals_scikit_learn(kernels):
    X, Y = (Haversine.example(np.random.default_rng(seed), 30) for seed in (0, 1))
    np.testing.assert_allclose(Haversine().pairwise(X, Y), haversine_distances(X, Y), rtol=1e-12)
    np.testing.assert_allclose(Haversine(6371).condensed(X), 6371 * Haversine().condensed(X), rtol=1e-14)
    poles = np.array([[np.pi / 2, 1.0], [-np.pi / 2, 2.0], [0.0, 0.0], [0.0, np.pi]])
    np.testing.assert_allclose(Haversine().pairwise(poles)[[0, 2], [1, 3]], np.pi)


def test_neighbours_by_the_great_circle():
    X = Haversine.example(np.random.default_rng(0), 200)
    ours = sf.NearestNeighbors(n_neighbors=5, metric="haversine").fit(X).kneighbors(X[:20])
    theirs = NearestNeighbors(n_neighbors=5, metric="haversine").fit(X).kneighbors(X[:20])
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-7)
    within = sf.NearestNeighbors(radius=0.2, metric="haversine").fit(X).radius_neighbors(X[:20])[1]
    expected = NearestNeighbors(radius=0.2, metric="haversine").fit(X).radius_neighbors(X[:20], sort_results=True)[1]
    assert [set(a) for a in within] == [set(b) for b in expected]


def test_nearly_equal_histograms_keep_their_digits(kernels):
    p, e = np.array([0.25, 0.25, 0.25, 0.25]), 1e-9
    q = p + e * np.array([1, -1, 1, -1])
    assert JensenShannon().pairwise([p], [q])[0, 0] == pytest.approx(math.sqrt(4 * (e**2 / 8 / 0.25)), rel=1e-6)


def test_missing_values_equal_scikit_learn(kernels):
    X = rows(60)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    np.testing.assert_allclose(Euclidean().pairwise(X), nan_euclidean_distances(X), rtol=1e-10, atol=1e-7)


def test_gower_equals_daisy_of_r(kernels):
    """The values of cluster::daisy(frame, "gower"), R 4.2.2."""
    ages, towns = [20.0, 30.0, 60.0, None, 45.0], ["Bath", "Bath", "York", None, "Ayr"]
    frame = pd.DataFrame({"age": ages, "town": towns, "pay": [1.5, 2.0, 8.0, 4.0, None]})
    expected = [0.108974358974359, 1.0, 0.384615384615385, 0.8125, 0.891025641025641, 0.307692307692308, 0.6875]
    expected += [0.615384615384615, 0.6875, np.nan]
    np.testing.assert_allclose(Gower().condensed(frame), expected, rtol=1e-13)


SIZES = pd.DataFrame(
    {
        "size": pd.Categorical(["S", "L", "M", None, "XL"], categories=["S", "M", "L", "XL"], ordered=True),
        "weight": [1.0, 5.0, 3.0, 2.0, 4.0],
    }
)
# (|i − j| / 3 + |x − y| / 4) / 2 by hand, the first term left out where a size is missing, as cluster::daisy does.
SIZES_APART = [
    (2 / 3 + 1) / 2, (1 / 3 + 2 / 4) / 2, 1 / 4, (1 + 3 / 4) / 2,
    (1 / 3 + 2 / 4) / 2, 3 / 4, (1 / 3 + 1 / 4) / 2,
    1 / 4, (2 / 3 + 1 / 4) / 2,
    2 / 4,
]  # fmt: skip


def test_gower_ranks_ordered_levels(kernels):
    np.testing.assert_allclose(Gower().condensed(SIZES), SIZES_APART, rtol=1e-13)
    codes = np.column_stack([np.where(SIZES["size"].isna(), np.nan, SIZES["size"].cat.codes), SIZES["weight"]])
    np.testing.assert_allclose(Gower(ordinal={0: 4}).condensed(codes), SIZES_APART, rtol=1e-13)
    unordered = Gower(categorical=("size",)).condensed(SIZES)
    assert unordered[0] == 1.0


def test_gower_ranks_in_models_and_files(tmp_path):
    D = Gower().pairwise(SIZES)
    near = sf.NearestNeighbors(n_neighbors=5, metric="gower").fit(SIZES)
    sf.save(near, tmp_path / "near.suffice")
    text = SIZES.astype({"size": "str"})  # the codes of the fit, whatever the order of these
    for model, rows in ((near, SIZES), (sf.load(tmp_path / "near.suffice"), text)):
        np.testing.assert_allclose(model.kneighbors(rows)[0], np.sort(D, axis=1), rtol=1e-12, atol=1e-15)
    medoids = sf.KMedoids(2, metric="gower", random_state=0).fit(SIZES.dropna())
    tree = sf.AgglomerativeClustering(2, metric="gower", linkage="complete").fit(SIZES.dropna())
    assert len(set(medoids.labels_)) == len(set(tree.labels_)) == 2


def test_gower_leaves_out_a_level_without_a_rank():
    fitted = Gower().fitted(SIZES)
    new = pd.DataFrame({"size": ["XXL"], "weight": [5.0]})
    with pytest.raises(InvalidData, match="column 0 holds 0 to 7, but has 4 levels, of which the codes are 0 to 3"):
        Gower(ordinal={0: 4}).pairwise([[0.0], [7.0]])
    np.testing.assert_allclose(fitted.pairwise(new, SIZES), [[1.0, 0.0, 0.5, 0.75, 0.25]])
    near = sf.NearestNeighbors(n_neighbors=5, metric="gower").fit(SIZES)
    np.testing.assert_allclose(near.kneighbors(new)[0], [[0.0, 0.25, 0.5, 0.75, 1.0]])


def test_gower_weighs_columns(kernels):
    X, weight = rows(40, 4), np.array([1.0, 2.0, 0.5, 3.0])
    X[:, 3] = np.round(X[:, 3])
    apart = np.abs(X[:, None] - X) / np.ptp(X, axis=0)
    apart[..., 3] = X[:, None, 3] != X[:, 3]
    np.testing.assert_allclose(Gower((3,), weight).pairwise(X), apart @ weight / weight.sum(), rtol=1e-12, atol=1e-15)


def test_gower_reads_categories_of_both_tables_alike():
    left = pd.DataFrame({"age": [0.0, 10.0], "town": ["York", "Bath"]})
    right = pd.DataFrame({"age": [10.0, None], "town": ["Bath", "Ayr"]})
    np.testing.assert_allclose(Gower().pairwise(left, right), [[1.0, 1.0], [0.0, 1.0]])
    fitted = Gower().fitted(left)
    np.testing.assert_allclose(fitted.pairwise(right), [[0.0, 1.0], [1.0, 0.0]])


def test_gower_leaves_missing_values_out():
    X = np.array([[0.0, 1.0, np.nan], [10.0, np.nan, 3.0], [5.0, 1.0, 3.0], [np.nan, 2.0, np.nan]])
    D = Gower(categorical=(1, 2)).pairwise(X)
    np.testing.assert_allclose(D[0], [0.0, 1.0, 0.25, 1.0])
    assert np.isnan(D[1, 3])


def test_sparse_rows_that_are_nearly_equal_keep_their_digits():
    X = np.array([[1e6, 0.0, 1.0], [1e6, 0.0, 1.0 + 1e-6]])
    np.testing.assert_allclose(Euclidean().pairwise(sparse.csr_array(X))[0, 1], 1e-6, rtol=1e-4)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 20), st.integers(1, 9)), elements=st.floats(-1e6, 1e6)))
def test_any_rows(X):
    np.testing.assert_allclose(Euclidean().pairwise(X), cdist(X, X), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(Manhattan().condensed(X), pdist(X, "cityblock"), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(Chebyshev().pairwise(X.T), cdist(X.T, X.T, "chebyshev"), rtol=1e-12)


@pytest.mark.parametrize("layout", ["F", "reversed", "every second"])
def test_any_memory_order(kernels, layout):
    X = rows(90)
    view = {"F": np.asfortranarray(X), "reversed": X[::-1][::-1], "every second": np.repeat(X, 2, axis=1)[:, ::2]}[
        layout
    ]
    np.testing.assert_array_equal(Euclidean().pairwise(view), Euclidean().pairwise(X))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Cosine().pairwise([[1.0, 0.0], [0.0, 0.0]]), "Cosine: row 1 is all zeros"),
        (lambda: Cosine().pairwise(sparse.csr_array([[1.0, 0.0], [0.0, 0.0]])), "Cosine: row 1 is all zeros"),
        (lambda: Correlation().pairwise([[1.0, 2.0], [3.0, 3.0]]), "Correlation: row 1 has the same value 3"),
        (lambda: KullbackLeibler().pairwise([[1.0, 1.0]], [[1.0, 1.0], [1.0, 0.0]]), "row 1 of Y is 0 in column 1"),
        (
            lambda: Haversine().pairwise([[51.4, -2.4]]),
            "row 0 has the latitude 51.4, beyond ±π/2 radians. Use np.radians",
        ),
        (lambda: Haversine().pairwise([[1.0]]), "2 columns, latitude and longitude in radians; X has 1"),
        (lambda: JensenShannon().pairwise([[1.0, -1.0]]), "row 0 has -1 in column 1"),
        (lambda: JensenShannon().pairwise([[1.0, 1.0], [0.0, 0.0]]), "row 1 is all zeros"),
        (lambda: Euclidean().pairwise([[1.0, 2.0]], [[1.0]]), "X has 2 columns but Y has 1"),
        (lambda: Function(lambda x, y: -1.0).pairwise([[1.0], [2.0]]), "gives -1.0"),
        (lambda: Function(lambda x, y: "far").pairwise([[1.0], [2.0]]), "must return a number"),
        (lambda: BySciPy("yule").pairwise([[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0]]), None),
    ],
)
def test_rows_without_a_distance(call, words):
    if words is None:
        assert np.isfinite(call()).all()
        return
    with pytest.raises(InvalidData, match=words.replace("(", r"\(")):
        call()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Haversine(-1.0), "radius must be"),
        (lambda: Minkowski(-1), "p must be a number, at least 0; got -1"),
        (lambda: Minkowski("two"), "p must be"),
        (lambda: Mahalanobis([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (lambda: Mahalanobis([[1.0, 0.0], [0.0, -1.0]]), "negative eigenvalue"),
        (lambda: Mahalanobis([1.0, 2.0]), "square"),
        (lambda: Mahalanobis(np.eye(3)).pairwise([[1.0, 2.0]]), "for 3 columns, but X has 2"),
        (lambda: StandardizedEuclidean([1.0, 0.0]), "positive"),
        (lambda: StandardizedEuclidean([1.0]).pairwise([[1.0, 2.0]]), "V is for 1 columns, but X has 2"),
        (lambda: KullbackLeibler(-1), "smoothing"),
        (lambda: Gower(categorical=("age",)).pairwise([[1.0]]), "'age', which X does not have"),
        (lambda: Gower(weight=[1.0]).pairwise([[1.0, 2.0]]), "one a column"),
        (lambda: BySciPy("nonsense"), "canberra"),
        (lambda: as_distance("euclidian"), "Did you mean 'euclidean'"),
        (lambda: as_distance(3), "got 3"),
        (lambda: require_metric(Cosine(), "KDTree"), "KDTree: Cosine.. is no metric"),
        (lambda: KullbackLeibler().condensed([[1.0, 2.0]]), "JensenShannon"),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_sparse_is_refused_where_it_makes_no_sense():
    with pytest.raises(SparseNotSupported, match="Chebyshev: X is a sparse matrix"):
        Chebyshev().pairwise(sparse.csr_array(np.eye(2)))


@pytest.mark.parametrize("name", names())
def test_every_name_is_a_distance(name):
    distance = as_distance(name)
    X = type(distance).example(np.random.default_rng(0), 8)
    D = distance.fitted(X).pairwise(X)
    assert D.shape == (8, 8)
    assert as_distance(distance) is distance


def test_names_take_arguments_and_functions_are_wrapped():
    assert as_distance("minkowski", p=3) == Minkowski(3)
    assert as_distance(lambda x, y: 1.0).pairwise([[1.0], [2.0]])[0, 1] == 1.0
    assert not Minkowski(0.5).is_metric
    assert Minkowski(1).is_metric


def test_smoothing_makes_the_divergence_finite():
    assert np.isfinite(KullbackLeibler(smoothing=0.5).pairwise([[1.0, 1.0]], [[2.0, 0.0]])).all()


def test_squares_that_overflow_are_refused_by_mahalanobis():
    with pytest.raises(InvalidData, match="Mahalanobis: X holds numbers so large that their squares overflow"):
        Mahalanobis().pairwise(np.array([[1e200, 0.0], [0.0, 1e200], [1.0, 2.0]]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Mahalanobis("a"), "M must be a square matrix of finite numbers"),
        (lambda: Mahalanobis([[1, 2], [3]]), "M must be a square matrix of finite numbers"),
        (lambda: Mahalanobis(np.eye(2) * 1j), "M must be a square matrix of finite numbers"),
        (lambda: StandardizedEuclidean("a"), "V must be positive and finite"),
        (lambda: StandardizedEuclidean([1.0, np.inf]), "V must be positive and finite"),
        (lambda: StandardizedEuclidean([1, [2]]), "V must be positive and finite"),
        (lambda: Minkowski(10**400), "p must be at most 100"),
        (lambda: Minkowski(1e300), "Use Chebyshev"),
        (lambda: Gower(categorical=5), "categorical must be a tuple of names or numbers of columns"),
        (lambda: Gower(categorical=(1.5,)), "categorical must be a tuple of names or numbers of columns"),
        (lambda: Gower(ordinal=5), "ordinal must map names or numbers of columns to their numbers of levels; got 5"),
        (lambda: Gower(ordinal={"size": 0}), "ordinal must map names or numbers of columns"),
        (lambda: Gower(ordinal={7: 3}).pairwise(np.eye(2)), "ordinal names the column 7, which X does not have"),
        (lambda: Gower(weight="a").pairwise(np.eye(2)), "weight must have 2 finite numbers"),
        (lambda: Gower(weight=[0, 0]).pairwise(np.eye(2)), "not all 0"),
        (lambda: Gower(weight=[1e308, 1e308]).pairwise(np.eye(2)), "weight must have 2 finite numbers"),
        (lambda: list(Euclidean().chunked(np.eye(2), memory="a")), "memory must be an integer"),
        (lambda: as_distance("minkowski", q=3), "do not suit metric='minkowski'"),
    ],
)
def test_parameters_that_make_no_sense(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_gowers_distance_of_tables_that_do_not_go_together():
    frame = pd.DataFrame({"size": [1.0, 2.0, 4.0], "kind": ["x", "y", "z"]})
    measure = Gower().fitted(frame)
    with pytest.raises(InvalidData, match="holds text in one table and numbers in another"):
        measure.pairwise(np.array([[1.0, 0.0]]))
    with pytest.raises(InvalidData, match="all rows must have the same columns"):
        Gower()([1.0, 2.0], [1.0])
    with pytest.raises(InvalidData, match="overflow"):
        Gower().pairwise([[1e308], [-1e308]])
    weighted = Gower().fitted(frame, weight=[1, 1, 0])
    assert weighted.columns.ranges.tolist() == [1.0, 1.0]


def test_sparse_rows_of_any_size():
    X = np.abs(np.random.default_rng(0).normal(size=(6, 4))) + 0.1
    for scale in (1e-310, 1e-200, 1e200, 1e300):
        thin = sparse.csr_array(X * scale)
        np.testing.assert_allclose(Cosine().pairwise(thin), Cosine().pairwise(X), rtol=1e-9, atol=1e-12)
    for measure in (Euclidean(), as_distance("sqeuclidean")):
        with pytest.raises(InvalidData, match="squares overflow"):
            measure.pairwise(sparse.csr_array(X * 1e200))


@pytest.mark.parametrize("number", [np.int64(3), np.float32(3), np.float64(3), np.int8(3), 3])
def test_numbers_of_numpy_are_numbers(number, tmp_path):
    X = np.random.default_rng(0).uniform(0.1, 1, (12, 2))
    pairs = (Minkowski(p=number), Minkowski(p=3)), (Haversine(number), Haversine(3))
    for one, same in (*pairs, (KullbackLeibler(number), KullbackLeibler(3))):
        np.testing.assert_allclose(one.pairwise(X), same.pairwise(X))
        model = sf.NearestNeighbors(n_neighbors=2, metric=one, algorithm="brute").fit(X)
        sf.save(model, tmp_path / "model.sff")
        np.testing.assert_allclose(sf.load(tmp_path / "model.sff").kneighbors(X)[0], model.kneighbors(X)[0])
    for what in (True, "3", None, [3]):
        with pytest.raises(InvalidParameter, match="p must be a number"):
            Minkowski(p=what)


def test_text_without_an_order_has_no_levels():
    sizes = pd.DataFrame({"size": ["low", "mid", "high", "low"], "x": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(InvalidData, match="column 'size' holds text, whose order ordinal does not say"):
        Gower(ordinal={"size": 3}).pairwise(sizes)
    order = pd.Categorical(sizes["size"], categories=["low", "mid", "high"], ordered=True)
    codes = sizes.assign(size=order.codes.astype(float))
    ordered = Gower().pairwise(sizes.assign(size=order))
    np.testing.assert_allclose(Gower(ordinal={"size": 3}).pairwise(codes), ordered)
    with pytest.raises(InvalidParameter, match="is in categorical and in ordinal"):
        Gower(ordinal={"size": 3}, categorical=("size",)).pairwise(codes)
    with pytest.raises(InvalidParameter, match="is in categorical and in ordinal"):
        Gower(ordinal={0: 3}, categorical=(0,)).pairwise(codes.to_numpy())
