"""k-medians against brute force, and what its kernels promise."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from suffice import backend
from suffice.backend import columns
from suffice.errors import InvalidParameter, MemoryNeeded, NotConverged, SufficeWarning
from suffice.models.cluster.kmedians import KMedians

pytestmark = pytest.mark.native


def cost_of(X, labels, k):
    return sum(
        np.abs(X[labels == c] - np.median(X[labels == c], axis=0)).sum() for c in range(k) if (labels == c).any()
    )


def test_brute_force(rng):
    X = np.vstack([rng.normal(size=(5, 2)), rng.normal(size=(4, 2)) + 6])
    best = min(cost_of(X, np.array(labels), 2) for labels in product(range(2), repeat=len(X)))
    model = KMedians(2, n_init=20, random_state=0).fit(X)
    assert_allclose(model.inertia_, best, rtol=1e-12)
    assert_allclose(model.inertia_, cost_of(X, model.labels_, 2), rtol=1e-12)


def test_one_cluster_is_the_median(rng):
    X = rng.normal(size=(51, 3))
    model = KMedians(1).fit(X)
    assert_array_equal(model.cluster_centers_[0], np.median(X, axis=0))
    assert_allclose(model.transform(X)[:, 0], np.abs(X - np.median(X, axis=0)).sum(axis=1), rtol=1e-12)
    assert_allclose(model.transform(X).sum(), model.inertia_, rtol=1e-12)


def test_a_cluster_for_each_row(rng):
    X = rng.normal(size=(9, 2))
    model = KMedians(9, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(set(model.labels_)) == 9


@pytest.mark.parametrize("X", [np.ones((7, 2)), np.ones((4, 2)), np.repeat([[0.0], [5.0]], 4, axis=0)])
def test_fewer_different_rows_than_clusters(X):
    distinct = len(np.unique(X, axis=0))
    with pytest.warns(SufficeWarning, match=f"n_clusters=4, but only {distinct} different rows"):
        model = KMedians(4, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(set(model.labels_)) == distinct


@pytest.mark.parametrize("init", ["k-medians++", "random"])
def test_weights_are_repeated_rows(rng, init):
    X, w = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
    weighted = KMedians(4, init=init, n_init=3, random_state=1).fit(X, sample_weight=w)
    repeated = KMedians(4, init=init, n_init=3, random_state=1).fit(np.repeat(X, w, axis=0))
    assert_array_equal(weighted.cluster_centers_, repeated.cluster_centers_)
    assert_allclose(weighted.inertia_, repeated.inertia_, rtol=1e-12)
    assert_array_equal(weighted.labels_, weighted.predict(X))


def test_missing_cells_are_left_out(rng):
    X = np.vstack([rng.normal(size=(40, 3)), rng.normal(size=(40, 3)) + 8])
    X[rng.random(X.shape) < 0.2] = np.nan
    model = KMedians(2, random_state=0, n_init=3).fit(X)
    apart = np.nansum(np.abs(X[:, None] - model.cluster_centers_), axis=2)
    assert_allclose(model.transform(X), apart, rtol=1e-12)
    assert_allclose(model.inertia_, apart.min(axis=1).sum(), rtol=1e-12)
    assert np.all(np.diff(model.history_.objective) <= 0)


@pytest.mark.parametrize("seed", range(10))
def test_the_objective_falls_also_when_clusters_get_empty(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (30, 2)).astype(float)
    start = np.vstack([np.full((3, 2), 50.0), X[:2]])
    with np.errstate(all="raise"):
        model = KMedians(5, init=start).fit(X)
    assert np.all(np.diff(model.history_.objective) <= 0)
    assert len(set(model.labels_)) == 5


def test_files_and_too_little_memory(rng, tmp_path):
    import pandas as pd

    import suffice as sf

    X = rng.normal(size=(50, 2))
    pd.DataFrame(X, columns=["a", "b"]).to_parquet(tmp_path / "rows.parquet")
    source = sf.scan(tmp_path / "rows.parquet")
    model = KMedians(3, random_state=0).fit(source)
    assert_array_equal(model.cluster_centers_, KMedians(3, random_state=0).fit(X).cluster_centers_)
    with pytest.raises(MemoryNeeded, match=r"KMedians needs all rows at once, and those of .*KMeans"):
        KMedians(3, memory=100).fit(source)


def test_bad_parameters(rng):
    X = rng.normal(size=(10, 2))
    with pytest.raises(InvalidParameter, match=r"KMedians: init must have .* shape \(3, 2\); got shape \(2, 2\)"):
        KMedians(3, init=X[:2]).fit(X)
    with pytest.raises(InvalidParameter, match="finite"):
        KMedians(1, init=[[np.nan, 0.0]]).fit(X)
    with pytest.warns(NotConverged, match="max_iter=1"):
        KMedians(3, max_iter=1, random_state=0).fit(rng.normal(size=(300, 2)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("n", "d", "k"), [(0, 3, 2), (1, 1, 1), (300, 5, 3), (1000, 7, 19)])
def test_kernels_equal_the_portable_code(rng, dtype, order, n, d, k):
    X = np.array(rng.integers(0, 4, (n, d)), dtype=dtype, order=order)
    X[rng.random((n, d)) < 0.1] = np.nan
    centres, w = rng.integers(0, 4, (k, d)).astype(float), rng.random(n)
    centres[0, 0] = np.nan
    group, offsets = rng.integers(0, k, n), np.arange(d + 1, dtype=np.int64) * 4
    found = []
    for name in ("native", "portable"):
        with backend.using(name):
            for numbers, squared in ((d, False), (d, True), (0, False), (d // 2, True)):
                found.append(columns.column_distances(X, centres, numbers, squared, 0.7))
                found += columns.column_nearest(X, centres, numbers, squared, 0.75) if n else ()
            found.append(columns.category_counts(X, group, k, offsets, w))
            found.append(columns.category_counts(X, group, k, offsets))
            found.append(columns.group_medians(X, columns.column_order(X), group, k, w))
    half = len(found) // 2
    for native, portable in zip(found[:half], found[half:], strict=True):
        assert_allclose(native, portable, rtol=1e-12, atol=1e-12)


def test_kernels_give_the_same_bits_for_any_threads(rng):
    X, w, group = rng.integers(0, 50, (70_000, 6)).astype(float), rng.random(70_000), rng.integers(0, 5, 70_000)
    order, offsets = columns.column_order(X), np.arange(7, dtype=np.int64) * 50
    found = []
    for n in (1, 2, 3):
        with backend.threads(n):
            label, distance = columns.column_nearest(X, X[:9], 3, True, 0.3)
            counts = columns.category_counts(X, group, 5, offsets, w)
            medians = columns.group_medians(X, order, group, 5, w)
            found.append(tuple(a.tobytes() for a in (label, distance, counts, medians)))
    assert found[0] == found[1] == found[2]
