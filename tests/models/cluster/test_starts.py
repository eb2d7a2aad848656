"""Where k-means begins: by name, as an object, an array or a function, and how rows are drawn."""

import numpy as np
import pytest
import sklearn.cluster
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import chisquare

import suffice as sf
from suffice.backend import kmeans
from suffice.data import as_source
from suffice.errors import InvalidParameter, NotConverged
from suffice.models.cluster import initialisation as starts
from suffice.models.cluster.initial_rows import Rows

pytestmark = pytest.mark.native

OBJECTS = [
    starts.KMeansPlusPlus(), starts.KMeansPlusPlus(candidates=1, sample=None), starts.KMeansParallel(oversampling=1.0),
    starts.RandomRows(), starts.RandomAssignment(), starts.FarthestPoint(), starts.PrincipalAxis(),
]  # fmt: skip


@pytest.fixture
def blobs(rng):
    """Rows around four corners far apart, and the corner of each."""
    corner = rng.integers(0, 4, 400)
    return rng.normal(size=(400, 3)) + 40 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])[corner], corner


def is_found(model, corner):
    return len({(a, b) for a, b in zip(model.labels_, corner, strict=True)}) == 4


@pytest.mark.parametrize("init", [*starts.INITIALISERS, *OBJECTS], ids=str)
def test_every_start_finds_what_is_plain(blobs, init):
    X, corner = blobs
    for dtype in (np.float32, np.float64):
        model = sf.KMeans(4, init=init, n_init=20, random_state=0).fit(X.astype(dtype))
        assert is_found(model, corner)
        assert len(model.history_.finals) == 20


@pytest.mark.parametrize("init", [*starts.INITIALISERS, *OBJECTS], ids=str)
def test_the_same_seed_gives_the_same(blobs, init):
    first, again, other = (sf.KMeans(5, init=init, random_state=seed).fit(blobs[0]) for seed in (7, 7, 8))
    assert_array_equal(first.cluster_centers_, again.cluster_centers_)
    if init in ("pca", starts.PrincipalAxis()):
        assert_array_equal(first.cluster_centers_, other.cluster_centers_)


@pytest.mark.parametrize("init", [*starts.INITIALISERS, *OBJECTS], ids=str)
def test_rows_that_weigh_nothing_are_not_drawn(rng, init):
    X, weight = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 1e3]), np.repeat([1.0, 0.0], 30)
    start = starts.as_initialiser(init)
    source = as_source(X, None, weight)
    for seed in range(5):
        found = start(source, starts.Rows(X, weight), 4, np.random.default_rng(seed))
        assert found.shape == (4, 2)
        assert np.all(np.abs(found) < 10)


@pytest.mark.parametrize("init", [*starts.INITIALISERS, *OBJECTS], ids=str)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_weights_are_repeated_rows(init, k):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, weight = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
        weighted = sf.KMeans(k, init=init, n_init=1, random_state=0).fit(X, sample_weight=weight)
        repeated = sf.KMeans(k, init=init, n_init=1, random_state=0).fit(np.repeat(X, weight, axis=0))
        assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-8, atol=1e-10)


def test_principal_axis_of_rows_without_spread():
    for X in (np.full((9, 3), 5.0), np.full((9, 3), 5.0) + 1e-200 * np.arange(27.0).reshape(9, 3)):
        with pytest.warns(NotConverged):
            model = sf.KMeans(3, init="pca").fit(X)
        assert np.allclose(model.cluster_centers_, 5)


def test_random_rows_are_different_while_there_are_enough(rng):
    X = np.repeat(rng.normal(size=(6, 2)), [500, 1, 1, 1, 1, 1], axis=0)
    found = starts.RandomRows()(None, starts.Rows(X, None), 6, rng)
    assert len(np.unique(found, axis=0)) == 6
    assert starts.RandomRows()(None, starts.Rows(X, None), 9, rng).shape == (9, 2)


@pytest.mark.parametrize("name", ["k-means++", "random", "farthest"])
def test_starts_are_rows(rng, name):
    X = rng.normal(size=(50, 6))
    found = starts.INITIALISERS[name](None, starts.Rows(X, None), 12, rng)
    assert {tuple(row) for row in found} <= {tuple(row) for row in X}
    assert len(np.unique(found, axis=0)) == 12


def test_given_centres_and_functions(blobs):
    X, corner = blobs
    init = X[[np.flatnonzero(corner == c)[0] for c in range(4)]]
    by_array = sf.KMeans(4, init=init).fit(X)
    by_list = sf.KMeans(4, init=init.tolist()).fit(X)
    asked = []

    def function(rows, k, random_state):
        asked.append((rows.shape, k))
        assert isinstance(random_state, np.random.RandomState)
        return init

    by_function = sf.KMeans(4, init=function).fit(X)
    assert asked == [((400, 3), 4)] * 10  # a function may give others each time
    for model in (by_list, by_function):
        assert_array_equal(model.cluster_centers_, by_array.cluster_centers_)
    assert not np.may_share_memory(by_array.cluster_centers_, init)
    with pytest.raises(InvalidParameter, match="init"):
        sf.KMeans(2, init="k-means+").fit(X)


def test_auto_is_ten_random_starts_and_one_other(rng):
    X = rng.normal(size=(60, 2))
    runs = {name: len(sf.KMeans(3, init=name, random_state=0).fit(X).history_.finals) for name in starts.INITIALISERS}
    assert runs == {"random": 10, "random_assignment": 10} | dict.fromkeys(
        ("k-means++", "k-means||", "farthest", "pca"), 1
    )
    best = sf.KMeans(3, init="random", random_state=0).fit(X)
    assert_allclose(min(best.history_.finals), best.history_.objective[-1])


@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 0.0, 1.0]])
def test_plus_plus_draws_by_squared_distance(weight):
    """The chances of all pairs of one row and the next, drawn 4,000 times."""
    X, weight = np.array([[0.0], [1.0], [3.0], [7.0]]), None if weight is None else np.array(weight)
    w = np.ones(4) if weight is None else weight
    expected = np.zeros((4, 4))
    for i in range(4):
        chance = w * (X[:, 0] - X[i, 0]) ** 2
        expected[i] = w[i] / w.sum() * chance / chance.sum()
    rng, start, times = np.random.default_rng(1), starts.KMeansPlusPlus(candidates=1), 4000
    place = {0.0: 0, 1.0: 1, 3.0: 2, 7.0: 3}
    counts = np.zeros((4, 4))
    for _ in range(times):
        first, second = start(None, starts.Rows(X, weight), 2, rng)[:, 0]
        counts[place[first], place[second]] += 1
    possible = expected > 0
    assert not counts[~possible].any()
    assert chisquare(counts[possible], times * expected[possible]).pvalue > 1e-3


def test_plus_plus_takes_the_best_candidate(rng):
    X = np.vstack([rng.normal(size=(99, 2)), [[1e3, 0.0]]])
    found = starts.KMeansPlusPlus(candidates=5)(None, starts.Rows(X, None), 2, np.random.default_rng(0))
    assert found[:, 0].max() == 1e3


def test_plus_plus_looks_at_a_sample_of_many_rows(rng):
    corner = rng.integers(0, 30, 30_000)
    X = rng.normal(size=(30_000, 2)) + 100 * np.column_stack([corner % 6, corner // 6])
    found = starts.KMeansPlusPlus()(None, starts.Rows(X, None), 30, np.random.default_rng(0))
    nearest = np.argmin([np.sum((X - c) ** 2, axis=1) for c in found], axis=0)
    assert len({(a, b) for a, b in zip(nearest, corner, strict=True)}) == 30


def test_swaps_mend_a_start(rng):
    """Two centres in one group and one between two others: a swap makes it right, and never makes it worse."""
    corner = np.repeat([0, 1, 2], 50)
    X = rng.normal(size=(150, 2)) + 50 * np.array([[0, 0], [4, 0], [5, 0]])[corner]
    bad = np.array([[0.0, 1.0], [0.0, -1.0], [225.0, 0.0]])
    better = kmeans.swaps(X, bad, np.random.default_rng(0).random(20))
    cost = [np.min([np.sum((X - c) ** 2, axis=1) for c in centres], axis=0).sum() for centres in (bad, better)]
    assert cost[1] < cost[0] / 100


def test_farthest(rng):
    X = np.array([[0.0], [1.0], [2.0], [10.0], [5.5]])
    for seed in range(5):
        found = starts.FarthestPoint()(None, starts.Rows(X, None), 3, np.random.default_rng(seed))[:, 0]
        distance = np.abs(X[:, 0] - found[0])
        assert found[1] == X[np.argmax(distance), 0]
        assert found[2] == X[np.argmax(np.minimum(distance, np.abs(X[:, 0] - found[1]))), 0]


def test_principal_axis(rng):
    along = np.sort(rng.normal(size=60))
    X = np.outer(along, [3.0, 4.0]) + 1.5
    found = starts.PrincipalAxis()(None, starts.Rows(X, None), 3, rng)
    parts = np.array([part.mean(axis=0) for part in np.split(X, 3)])
    assert_allclose(found[np.argsort(found[:, 0])], parts, rtol=1e-12)


def test_random_assignment_is_near_the_mean(rng):
    X = rng.normal(size=(3000, 2)) + 5
    found = starts.RandomAssignment()(None, starts.Rows(X, None), 3, rng)
    assert_allclose(found, np.full((3, 2), 5.0), atol=0.3)


def test_parallel_from_files_and_dask(blobs, tmp_path):
    pd, da = pytest.importorskip("pandas"), pytest.importorskip("dask.array")
    pytest.importorskip("pyarrow")
    X, corner = blobs
    pd.DataFrame(X, columns=list("abc")).to_parquet(tmp_path / "rows.parquet", row_group_size=70)
    sources = {"file": sf.scan(tmp_path / "rows.parquet"), "dask": da.from_array(X, chunks=(90, 3)), "array": X}
    models = {name: sf.KMeans(4, init="k-means||", random_state=0).fit(source) for name, source in sources.items()}
    assert is_found(models["array"], corner)
    for model in models.values():
        assert_allclose(model.cluster_centers_, models["array"].cluster_centers_, rtol=1e-9)
        assert_allclose(model.inertia_, models["array"].inertia_, rtol=1e-9)


def heavy_tails(rng):
    return rng.standard_t(2.0, size=(60_000, 4))


def few_outliers(rng):
    X = 10 * rng.normal(size=(8, 4))[rng.integers(0, 8, 60_000)] + rng.normal(size=(60_000, 4))
    X[::6000] += 3000 * rng.normal(size=(10, 4))
    return X


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rows", [heavy_tails, few_outliers])
def test_rows_far_from_all_others_are_not_missed(rng, rows, as_rows):
    """An even sample of the rows would leave them out, and end up to 6 times as far from the rows."""
    X = rows(rng)
    theirs = [sklearn.cluster.KMeans(10, n_init=1, random_state=seed).fit(X).inertia_ for seed in range(3)]
    ours = [sf.KMeans(10, random_state=seed).fit(as_rows(X)).inertia_ for seed in range(7)]
    assert np.median(ours) <= 1.01 * np.median(theirs)


def test_a_sample_with_far_rows_keeps_sums_and_draws_weights_as_repeated_rows(rng):
    X, centre = heavy_tails(rng)[:5000], np.zeros(4)
    weight = rng.integers(1, 4, len(X)).astype(float)
    found = Rows(X, weight).far_and_near(1000, centre, np.random.default_rng(1))
    again = Rows(np.repeat(X, weight.astype(int), axis=0), None).far_and_near(1000, centre, np.random.default_rng(1))
    assert_allclose(found.X, again.X)
    assert_allclose(found.weight, again.weight, rtol=1e-9)
    inertia = weight @ np.sum(X**2, axis=1) / weight.sum()
    assert_allclose(found.weight @ np.sum(found.X**2, axis=1) / found.weight.sum(), inertia, rtol=0.05)
