"""Kernel k-means against scikit-learn's k-means, brute force and explicit features."""

from itertools import product

import numpy as np
import pytest
import sklearn.cluster as sk
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, MemoryNeeded, SufficeWarning
from suffice.models.cluster.kernel_kmeans import KernelKMeans

KERNELS = ["gaussian", "polynomial", "linear"]


def blobs(n, seed, k=3, d=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + 5 * rng.normal(size=(k, d))[rng.integers(0, k, n)]


def cost_of(K, labels, w):
    total = w @ np.diag(K)
    for c in set(labels):
        own = np.where(labels == c, w, 0.0)
        total -= own @ K @ own / own.sum()
    return total


@pytest.mark.parametrize("seed", range(5))
def test_linear_is_k_means(seed):
    rng = np.random.default_rng(seed)
    X, w = blobs(120, seed), rng.random(120)
    labels = rng.integers(0, 3, 120)
    centres = np.array([np.average(X[labels == c], axis=0, weights=w[labels == c]) for c in range(3)])
    theirs = sk.KMeans(3, init=centres, n_init=1, tol=0).fit(X, sample_weight=w)
    ours = KernelKMeans(3, kernel="linear", init=labels).fit(X, sample_weight=w)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-9)
    assert_allclose(ours.share_.T @ X, theirs.cluster_centers_, rtol=1e-9)
    new = blobs(50, seed + 100)
    assert_array_equal(ours.predict(new), theirs.predict(new))


def test_brute_force(rng):
    X, w = blobs(8, 1, k=2), rng.random(8) + 0.1
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    best = min(cost_of(K, np.array(labels), w) for labels in product(range(2), repeat=8))
    model = KernelKMeans(2, n_init=30, random_state=0).fit(X, sample_weight=w)
    assert_allclose(model.inertia_, best, rtol=1e-9)
    assert_allclose(model.inertia_, cost_of(K, model.labels_, w), rtol=1e-9)


def test_polynomial_is_k_means_on_its_features():
    X = blobs(80, 2)
    x, y = X.T
    features = np.column_stack([x**2, np.sqrt(2) * x * y, y**2, np.sqrt(2) * x, np.sqrt(2) * y, np.ones(80)])
    labels = np.arange(80) % 3
    ours = KernelKMeans(3, kernel="polynomial", degree=2, gamma=1.0, init=labels).fit(X)
    explicit = KernelKMeans(3, kernel="linear", init=labels).fit(features)
    assert_array_equal(ours.labels_, explicit.labels_)
    assert_allclose(ours.inertia_, explicit.inertia_, rtol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kept_and_made_again_and_given_are_the_same(kernel):
    X, setup = blobs(90, 3), {"kernel": kernel, "random_state": 1, "n_init": 2}
    kept = KernelKMeans(3, **setup).fit(X)
    again = KernelKMeans(3, memory=8, **setup).fit(X)
    assert_array_equal(kept.labels_, again.labels_)
    assert_allclose(kept.inertia_, again.inertia_, rtol=1e-9)
    assert np.all(np.diff(kept.history_.objective) <= 1e-9 * kept.history_.objective[1:])
    function = kept._function()
    for model, data in (
        (KernelKMeans(3, **{**setup, "kernel": "precomputed"}), function(X, X)),
        (KernelKMeans(3, **{**setup, "kernel": function}), X),
    ):
        assert_array_equal(model.fit(data).labels_, kept.labels_)
        assert_array_equal(model.predict(data), kept.labels_)
    assert_array_equal(kept.predict(X), kept.labels_)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_weights_are_repeated_rows(rng, init):
    X, w = blobs(60, 4), rng.integers(0, 4, 60)
    weighted = KernelKMeans(4, init=init, random_state=5).fit(X, sample_weight=w)
    repeated = KernelKMeans(4, init=init, random_state=5).fit(np.repeat(X, w, axis=0))
    assert_array_equal(weighted.predict(X), repeated.predict(X))
    assert_allclose(weighted.inertia_, repeated.inertia_, rtol=1e-9)


def test_rings_that_k_means_cannot_part():
    t = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = np.column_stack([np.cos(t), np.sin(t)])
    X = np.vstack([ring, 5 * ring])
    squares = lambda A, B: np.outer((A**2).sum(axis=1), (B**2).sum(axis=1))  # noqa: E731
    labels = KernelKMeans(2, kernel=squares, random_state=0).fit(X).labels_
    assert len(set(labels[:40])) == len(set(labels[40:])) == 1
    assert labels[0] != labels[40]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("X", [np.ones((7, 2)), np.ones((4, 2)), np.repeat([[0.1, 3.0], [5.0, 0.7]], 4, axis=0)])
def test_fewer_different_rows_than_clusters(X, kernel):
    distinct = len(np.unique(X, axis=0))
    with pytest.warns(SufficeWarning, match=f"n_clusters=4, but only {distinct} different rows"):
        model = KernelKMeans(4, kernel=kernel, random_state=0).fit(X)
    assert_allclose(model.inertia_, 0, atol=1e-9)
    assert len(set(model.labels_)) == distinct
    assert set(model.predict(blobs(30, 5))) <= set(model.labels_)


def test_one_cluster_and_a_cluster_for_each_row():
    X = blobs(10, 6)
    one = KernelKMeans(1, kernel="linear").fit(X)
    assert_allclose(one.inertia_, ((X - X.mean(axis=0)) ** 2).sum(), rtol=1e-9)
    assert_allclose(KernelKMeans(10, random_state=0).fit(X).inertia_, 0, atol=1e-9)


def test_empty_clusters_are_refilled():
    X = blobs(40, 7)
    model = KernelKMeans(4, init=np.zeros(40, dtype=int)).fit(X)
    assert len(set(model.labels_)) == 4
    assert np.all(np.diff(model.history_.objective) <= 1e-9)


def test_files(tmp_path):
    import pandas as pd

    X = blobs(50, 8)
    pd.DataFrame(X, columns=["a", "b"]).to_parquet(tmp_path / "rows.parquet")
    source = sf.scan(tmp_path / "rows.parquet")
    array = KernelKMeans(3, random_state=0).fit(X)
    files = KernelKMeans(3, random_state=0).fit(source)
    assert_array_equal(files.predict(source), array.labels_)
    with pytest.raises(MemoryNeeded, match="KernelKMeans needs all rows at once"):
        KernelKMeans(3, memory=64).fit(source)


def test_bad_input():
    X = blobs(20, 9)
    with pytest.raises(InvalidData, match=r"square matrix; got shape \(20, 2\)"):
        KernelKMeans(2, kernel="precomputed").fit(X)
    with pytest.raises(InvalidParameter, match="init must have a cluster from 0 to 1 for each of the 20 rows"):
        KernelKMeans(2, init=np.arange(20)).fit(X)
    with pytest.raises(InvalidParameter, match=r"got float64 of shape \(20,\)\."):
        KernelKMeans(2, init=np.zeros(20)).fit(X)
    with pytest.raises(InvalidData, match=r"shape \(20, 20\); got shape \(20,\)"):
        KernelKMeans(2, kernel=lambda A, B: A[:, 0]).fit(X)
    with pytest.raises(InvalidData, match="NaN or infinity for some pair"):
        KernelKMeans(2, kernel="polynomial", degree=400).fit(X * 1e3)
