"""k-medoids against brute force, against the kmedoids package, and on input it must refuse."""

import itertools
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from suffice import scan
from suffice.distances import DISTANCES, as_distance, asymmetry
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, NotConverged
from suffice.models.cluster.kmedoids import KMedoids


def blobs(rng, n, k=5, d=3, far=4.0):
    return rng.normal(size=(n, d)) + far * rng.normal(size=(k, d))[rng.integers(0, k, n)]


def cost(D, medoids, weight=None):
    return float(np.average(D[medoids].min(axis=0), weights=weight) * (len(D) if weight is None else weight.sum()))


def assert_no_swap_is_left(D, model):
    assert model.inertia_ == pytest.approx(cost(D, model.medoid_indices_), abs=1e-9)
    for slot, row in itertools.product(range(model.n_clusters), range(len(D))):
        other = model.medoid_indices_.copy()
        other[slot] = row
        assert cost(D, other) >= model.inertia_ * (1 - 1e-9)


def brute_force(D, k, weight=None):
    return min(cost(D, list(some), weight) for some in itertools.combinations(range(len(D)), k))


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_brute_force(rng, k, weighted):
    X = blobs(rng, 18, 3)
    weight = rng.integers(0, 4, 18).astype(float) if weighted else None
    D = cdist(X, X)
    allowed = np.arange(18) if weight is None else np.flatnonzero(weight)
    least = brute_force(D[np.ix_(allowed, allowed)], k, None if weight is None else weight[allowed])
    model = KMedoids(k, init="random", n_init=20, random_state=0).fit(X, sample_weight=weight)
    assert model.inertia_ == pytest.approx(least)
    assert set(model.medoid_indices_) <= set(allowed.tolist())
    assert len(model.history_.finals) == 20


@pytest.mark.parametrize("far", [0.0, 3.0])
def test_not_worse_than_the_kmedoids_package(rng, far):
    kmedoids = pytest.importorskip("kmedoids")
    for k in (2, 10, 40):
        X = blobs(rng, 600, k, far=far)
        D = cdist(X, X)
        for init in ("build", "random"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = kmedoids.fasterpam(D, k, init=init, random_state=0).loss
            ours = KMedoids(k, metric="precomputed", init="build").fit(D)
            assert ours.inertia_ <= theirs * 1.01
        same_start = kmedoids.fasterpam(D, np.arange(k, dtype=np.uint64), n_cpu=1)
        ours = KMedoids(k, metric="precomputed", init=np.arange(k)).fit(D)
        assert ours.inertia_ == pytest.approx(same_start.loss, rel=1e-9)


@pytest.mark.parametrize("init", ["build", "lab", "random", [3, 1, 4, 15, 9]])
def test_precomputed_equals_rows(rng, init):
    X = blobs(rng, 150)
    rows = KMedoids(5, init=init, random_state=0).fit(X)
    pairs = KMedoids(5, init=init, metric="precomputed", random_state=0).fit(cdist(X, X))
    np.testing.assert_array_equal(rows.medoid_indices_, pairs.medoid_indices_)
    np.testing.assert_array_equal(rows.labels_, pairs.labels_)
    assert rows.inertia_ == pytest.approx(pairs.inertia_)
    assert pairs.cluster_centers_ is None
    np.testing.assert_array_equal(rows.cluster_centers_, X[rows.medoid_indices_])
    new = blobs(rng, 20)
    np.testing.assert_array_equal(rows.predict(new), pairs.predict(cdist(new, X)))
    np.testing.assert_allclose(rows.transform(new), pairs.transform(cdist(new, X)))
    np.testing.assert_array_equal(rows.predict(X), rows.labels_)
    assert rows.transform(X).min(axis=1).sum() == pytest.approx(rows.inertia_)


@pytest.mark.parametrize("metric", DISTANCES.only(asymmetry))
def test_every_metric(rng, metric):
    X = type(as_distance(metric)).example(rng, 40)
    if metric in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"):
        X = (X > 0.6).astype(float)
        X[:, 0] = 1.0  # these say nothing of two empty sets
    model = KMedoids(3, metric=metric).fit(X)
    assert np.isfinite(model.inertia_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert_no_swap_is_left(as_distance(metric).fitted(X).pairwise(X), model)


def test_rows_of_numbers_text_and_gaps(rng):
    town = np.array(["Bath", "York"])[np.arange(40) % 2]
    age = np.where(town == "Bath", 20.0, 60.0) + rng.normal(size=40)
    people = pd.DataFrame({"age": np.where(np.arange(40) == 5, np.nan, age), "town": town})
    model = KMedoids(2, metric="gower").fit(people)
    assert len(set(zip(model.labels_, town, strict=True))) == 2
    np.testing.assert_array_equal(model.predict(people), model.labels_)
    D = as_distance("gower").pairwise(people)
    assert_no_swap_is_left(D, model)
    sampled = KMedoids(2, metric=as_distance("gower"), method="clara").fit(people)
    assert sampled.inertia_ == pytest.approx(model.inertia_)


def test_rows_without_a_common_column_are_shown():
    with pytest.raises(InvalidData, match=r"KMedoids: the rows \[1.0, nan\] and \[nan, 2.0\] have no column in common"):
        KMedoids(1, metric="gower").fit(np.array([[1.0, np.nan], [np.nan, 2.0], [1.0, 1.0]]))


def test_a_distance_that_is_not_symmetric_is_refused_with_the_reason():
    with pytest.raises(InvalidParameter, match=r"metric must be .*; got 'kl': KullbackLeibler from x to y is not"):
        KMedoids(1, metric="kl").fit([[1.0, 2.0]])
    with pytest.raises(InvalidParameter, match=r"got 'euclidian'\. Did you mean 'euclidean'"):
        KMedoids(1, metric="euclidian").fit([[1.0, 2.0]])


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_metrics_that_learn_use_all_rows(rng, metric):
    X = blobs(rng, 90) * [1, 10, 100]
    model = KMedoids(4, metric=metric).fit(X)
    reference = cdist(X, X, metric, **({"V": X.var(axis=0, ddof=1)} if metric == "seuclidean" else {}))
    if metric == "mahalanobis":
        reference = cdist(X, X, metric, VI=np.linalg.inv(np.cov(X, rowvar=False)))
    np.testing.assert_allclose(model.transform(X), reference[:, model.medoid_indices_], atol=1e-9)
    np.testing.assert_allclose(model.transform(X[:1]), model.transform(X)[:1])


def test_a_function_as_metric(rng):
    X = blobs(rng, 60)
    own = KMedoids(3, metric=lambda x, y: float(np.abs(x - y).sum())).fit(X)
    assert own.inertia_ == pytest.approx(KMedoids(3, metric="cityblock").fit(X).inertia_)


def test_weights_are_repetition_with_clara(rng):
    X = blobs(rng, 400)
    weight = rng.integers(0, 4, 400)
    again = np.repeat(np.arange(400), weight)
    one = KMedoids(5, method="clara", random_state=3).fit(X, sample_weight=weight)
    two = KMedoids(5, method="clara", random_state=3).fit(X[again])
    np.testing.assert_allclose(one.cluster_centers_, two.cluster_centers_)
    assert one.inertia_ == pytest.approx(two.inertia_)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_clara_is_almost_as_good(rng, metric):
    X = blobs(rng, 3000, 6)
    given = cdist(X, X) if metric == "precomputed" else X
    exact = KMedoids(6, metric=metric).fit(given)
    sampled = KMedoids(6, metric=metric, method="clara", random_state=0).fit(given)
    assert exact.inertia_ <= sampled.inertia_ <= 1.02 * exact.inertia_
    assert np.all(np.diff(sampled.history_.objective) <= 0)
    assert sampled.history_.objective[-1] == pytest.approx(sampled.inertia_)
    assert sampled.history_.status == "converged"
    assert 5 < sampled.n_iter_ <= 15


def test_memory_decides_the_method(rng):
    X = blobs(rng, 300)
    small = {"memory": 300 * 300 * 8 - 1, "random_state": 0, "sample_size": 100}
    with pytest.raises(MemoryNeeded, match=r"needs 720,000 bytes .* 300 rows, more than memory=719,999\. Use"):
        KMedoids(3, method="fasterpam", **small).fit(X)
    np.testing.assert_array_equal(
        KMedoids(3, **small).fit(X).medoid_indices_,
        KMedoids(3, method="clara", random_state=0, sample_size=100).fit(X).medoid_indices_,
    )
    KMedoids(3, method="fasterpam", **small).fit(X.astype(np.float32))
    with pytest.raises(MemoryNeeded, match="a sample of 400 rows need 1,280,000 bytes, more than memory=719,999"):
        KMedoids(3, **{**small, "sample_size": 400}).fit(X)


def test_files_are_read_into_memory_if_they_fit(rng, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for name in "ab":
        pd.DataFrame(blobs(rng, 500), columns=list("xyz")).to_parquet(tmp_path / f"{name}.parquet")
    source = scan(f"{tmp_path}/*.parquet")
    model = KMedoids(3).fit(source)
    assert model.labels_.shape == (1000,)
    np.testing.assert_array_equal(model.predict(source), model.labels_)
    with pytest.raises(MemoryNeeded, match=r"KMedoids needs all rows at once.* more than memory=13,000"):
        KMedoids(3, memory=13_000).fit(source)


PEAK = """
import numpy as np
import pandas as pd
from suffice.models.cluster.kmedoids import KMedoids

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

X = np.random.default_rng(0).normal(size=(100_000, 8))
KMedoids(2).fit(X[:50])
before = peak()
model = KMedoids(10, random_state=0).fit(X)
assert model.labels_.shape == (100_000,)
print((peak() - before) / 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_many_rows_take_little_memory():
    done = subprocess.run([sys.executable, "-c", PEAK], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 500  # megabytes; the matrix would have 80,000


def bad(change):
    D = cdist(np.arange(5.0)[:, None], np.arange(5.0)[:, None])
    change(D)
    return D


def put(i, j, value):
    return lambda D: D.__setitem__((i, j), value)


@pytest.mark.parametrize(
    ("D", "words"),
    [
        (np.ones((4, 5)), r"needs a square matrix, .* X has shape \(4, 5\)"),
        (bad(put(1, 2, -1.0)), r"X\[1, 2\] is -1\.0; precomputed dissimilarities must be finite and not negative"),
        (bad(put(1, 2, np.nan)), "column 2, row 1 holds NaN"),
        (bad(put(1, 2, 7.0)), r"X\[1, 2\] is 7\.0 but X\[2, 1\] is 1\.0; .* must be symmetric"),
        (bad(put(3, 3, 0.5)), r"X\[3, 3\] is 0\.5; the dissimilarity of a row to itself must be 0"),
    ],
)
def test_bad_matrices(D, words):
    with pytest.raises(InvalidData, match=f"^KMedoids: .*{words}"):
        KMedoids(2, metric="precomputed").fit(D)


def test_bad_cell_of_a_large_matrix():
    D = np.zeros((400, 400))
    D[3, 7] = np.nan
    with pytest.raises(InvalidData, match=r"KMedoids: X\[3, 7\] is nan"):
        KMedoids(2, metric="precomputed").fit(D)


@pytest.mark.parametrize("method", ["fasterpam", "clara"])
def test_missing_values_are_left_out_of_distances(rng, method):
    X = rng.normal(size=(60, 4)) + 9 * (np.arange(60)[:, None] % 3)
    X[::7, 1] = np.nan
    model = KMedoids(3, method=method, random_state=0).fit(X)
    D = as_distance("euclidean").pairwise(X)
    assert len(set(model.labels_[:3])) == 3
    np.testing.assert_allclose(model.inertia_, D[:, model.medoid_indices_].min(axis=1).sum())
    np.testing.assert_allclose(model.transform(X), D[:, model.medoid_indices_])


def test_metric_without_an_answer():
    with pytest.raises(InvalidData, match=r"KMedoids: Cosine: row 1 is all zeros and has no direction"):
        KMedoids(1, metric="cosine").fit([[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(InvalidData, match=r"gives -1\.0 for the rows"):
        KMedoids(1, metric=lambda x, y: -1.0).fit([[1.0, 1.0], [0.0, 0.0]])


@pytest.mark.parametrize("init", [[0, 0], [0, 9], [-1, 0], [0.5, 1.5], [0, 1, 2], [[0, 1]], [0, 3]])
def test_bad_row_numbers(init):
    weight = [1, 1, 1, 0, 1]
    with pytest.raises(InvalidParameter, match="KMedoids: init must be 2 different row numbers from 0 to 4"):
        KMedoids(2, init=init).fit(np.arange(10.0).reshape(5, 2), sample_weight=weight)


def test_more_clusters_than_rows():
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(InvalidData, match=r"n_clusters=4 is more than the rows of X \(n_samples=3\)"):
        KMedoids(4).fit(X)
    with pytest.raises(InvalidData, match=r"with a weight above 0 \(n_samples=2\)"):
        KMedoids(3).fit(X, sample_weight=[1, 0, 1])


@pytest.mark.parametrize("method", ["fasterpam", "clara"])
@pytest.mark.parametrize("init", ["build", "lab", "random"])
def test_as_many_clusters_as_rows_or_more_than_different_rows(method, init):
    X = np.arange(8.0).reshape(4, 2)
    every = KMedoids(4, method=method, init=init, random_state=0).fit(X)
    assert every.inertia_ == 0
    assert sorted(every.labels_) == [0, 1, 2, 3]
    twice = np.repeat(X[:2], 5, axis=0)
    model = KMedoids(3, method=method, init=init, random_state=0).fit(twice)
    assert model.inertia_ == 0
    assert len(set(model.medoid_indices_.tolist())) == 3
    assert KMedoids(1, method=method, init=init, random_state=0).fit(X[:1]).inertia_ == 0


def test_max_iter_warns(rng):
    X = blobs(rng, 500, far=0.0)
    with pytest.warns(NotConverged, match="after max_iter=1 passes"):
        model = KMedoids(20, init="random", max_iter=1, random_state=0).fit(X)
    assert model.n_iter_ == 1


def test_matrix_in_any_layout(rng):
    D = cdist(*[blobs(rng, 120)] * 2)
    wide = np.repeat(np.repeat(D, 2, axis=0), 3, axis=1)[::2, ::3]
    for given in (D, np.asfortranarray(D), wide, D.astype(np.float32)):
        np.testing.assert_array_equal(
            KMedoids(4, metric="precomputed").fit(given).labels_, KMedoids(4, metric="precomputed").fit(D).labels_
        )
