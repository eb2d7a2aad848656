"""k-prototypes against brute force, its limits, and the kmodes package."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn.cluster as sk
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, SufficeWarning
from suffice.models.cluster.kmodes import KModes
from suffice.models.cluster.kprototypes import KPrototypes


def table(n, seed, k=3):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, k, n)
    numbers = rng.normal(size=(n, 2)) + 4 * rng.normal(size=(k, 2))[group]
    codes = np.where(rng.random((n, 3)) < 0.7, rng.integers(0, 4, (k, 3))[group], rng.integers(0, 4, (n, 3)))
    return np.column_stack([codes[:, :1], numbers, codes[:, 1:]])  # categories at 0, 3 and 4


CODES, NUMBERS = [0, 3, 4], [1, 2]


def as_frame(X):
    frame = pd.DataFrame({"x": X[:, 1], "y": X[:, 2]})
    for name, j in (("p", 0), ("q", 3), ("r", 4)):
        frame[name] = np.array(list("abcd"))[X[:, j].astype(int)]
    return frame[["p", "x", "y", "q", "r"]]


def cost_of(X, labels, gamma):
    total = 0.0
    for g in set(labels):
        own = X[labels == g]
        total += ((own[:, NUMBERS] - own[:, NUMBERS].mean(axis=0)) ** 2).sum()
        total += gamma * sum(len(own) - np.unique(own[:, j], return_counts=True)[1].max() for j in CODES)
    return total


def test_brute_force():
    X = table(9, 0, k=2)
    best = min(cost_of(X, np.array(labels), 1.5) for labels in product(range(2), repeat=9))
    model = KPrototypes(2, gamma=1.5, categorical=CODES, n_init=30, random_state=0).fit(X)
    assert_allclose(model.inertia_, best, rtol=1e-10)
    assert_allclose(model.inertia_, cost_of(X, model.labels_, 1.5), rtol=1e-10)


def test_gamma_zero_is_k_means_on_the_numbers():
    X = table(200, 1)
    init = X[:3]
    ours = KPrototypes(3, gamma=0, categorical=CODES, init=init).fit(X)
    theirs = sk.KMeans(3, init=init[:, NUMBERS], n_init=1, tol=0).fit(X[:, NUMBERS])
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-10)
    assert_allclose(ours.cluster_centers_[:, NUMBERS], theirs.cluster_centers_, rtol=1e-10)


def test_no_categories_is_k_means(rng):
    X = rng.normal(size=(150, 3))
    theirs = sk.KMeans(4, init=X[:4], n_init=1, tol=0).fit(X)
    assert_allclose(KPrototypes(4, init=X[:4]).fit(X).inertia_, theirs.inertia_, rtol=1e-10)


def test_a_large_gamma_is_k_modes():
    X = table(200, 2)
    ours = KPrototypes(3, gamma=1e12, categorical=CODES, init=X[:3]).fit(X)
    modes = KModes(3, init=X[:3][:, CODES]).fit(X[:, CODES])
    mismatches = (X[:, None][:, :, CODES] != ours.cluster_centers_[:, CODES]).sum(axis=2).min(axis=1).sum()
    assert mismatches <= modes.inertia_
    alone = KPrototypes(3, categorical=range(3), init=X[:3][:, CODES]).fit(X[:, CODES])
    assert alone.gamma_ == 1
    assert alone.inertia_ == modes.inertia_


def test_costs_of_the_kmodes_package():
    peer = pytest.importorskip("kmodes.kprototypes")
    for seed in range(3):
        X = table(150, seed)
        theirs = peer.KPrototypes(3, gamma=2.0, n_init=5, random_state=seed).fit(X, categorical=CODES)
        ours = KPrototypes(3, gamma=2.0, categorical=CODES, n_init=5, random_state=seed).fit(X)
        assert ours.inertia_ <= theirs.cost_ * (1 + 1e-9)


def test_gamma_by_default():
    X = table(100, 3)
    model = KPrototypes(3, categorical=CODES, random_state=0).fit(X)
    assert_allclose(model.gamma_, X[:, NUMBERS].std(axis=0).mean() / 2, rtol=1e-10)


def test_frames_files_and_dask_are_the_array(tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    X, setup = table(180, 4), {"n_init": 2, "random_state": 3}
    frame = as_frame(X)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=50)
    array = KPrototypes(3, categorical=CODES, **setup).fit(X)
    for data in (frame, sf.scan(tmp_path / "rows.parquet"), dd.from_pandas(frame, npartitions=3)):
        model = KPrototypes(3, **setup).fit(data)
        assert_allclose(model.inertia_, array.inertia_, rtol=1e-10)
        assert_allclose(model.cluster_centers_[:, NUMBERS].astype(float), array.cluster_centers_[:, NUMBERS])
        assert_array_equal(
            model.cluster_centers_[:, 0], np.array(list("abcd"))[array.cluster_centers_[:, 0].astype(int)]
        )
        assert_array_equal(np.asarray(model.predict(data)), array.labels_)


def test_names_of_columns():
    X = table(60, 5)
    frame = pd.DataFrame(X, columns=list("pxyqr"))
    by_name = KPrototypes(2, categorical=["p", "q", "r"], random_state=0).fit(frame)
    assert_array_equal(by_name.labels_, KPrototypes(2, categorical=CODES, random_state=0).fit(X).labels_)
    with pytest.raises(InvalidData, match="KPrototypes: there is no column 'z'"):
        KPrototypes(2, categorical=["z"]).fit(frame)
    with pytest.raises(InvalidParameter, match=r"KPrototypes: categorical must be .* from 0 to 4; got 7"):
        KPrototypes(2, categorical=[7]).fit(X)


def test_weights_are_repeated_rows(rng):
    X, w = table(80, 6), rng.integers(0, 4, 80)
    weighted = KPrototypes(3, categorical=CODES, random_state=2).fit(X, sample_weight=w)
    repeated = KPrototypes(3, categorical=CODES, random_state=2).fit(np.repeat(X, w, axis=0))
    assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-10)
    assert_allclose(weighted.gamma_, repeated.gamma_, rtol=1e-12)


def test_missing_cells_are_left_out(rng):
    X = table(150, 7)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = KPrototypes(3, gamma=2.0, categorical=CODES, random_state=0).fit(X)
    centres = model.cluster_centers_
    apart = np.nansum((X[:, None][:, :, NUMBERS] - centres[:, NUMBERS]) ** 2, axis=2)
    differ = (X[:, None][:, :, CODES] != centres[:, CODES]) & ~np.isnan(X[:, None][:, :, CODES])
    assert_allclose(model.inertia_, (apart + 2.0 * differ.sum(axis=2)).min(axis=1).sum(), rtol=1e-10)
    assert np.all(np.diff(model.history_.objective) <= 1e-9)


def test_categories_that_the_fit_did_not_see():
    frame = pd.DataFrame({"x": [0.0, 0.1, 9.0, 9.1], "c": ["m", "m", "n", "n"]})
    model = KPrototypes(2, random_state=0).fit(frame)
    new = pd.DataFrame({"x": [0.0, 9.0], "c": ["aa", "zz"]})
    assert_array_equal(model.predict(new), model.labels_[[0, 2]])


@pytest.mark.parametrize("X", [np.ones((6, 3)), np.ones((3, 3))])
def test_equal_rows(X):
    with pytest.warns(SufficeWarning, match="only 1 different rows"):
        model = KPrototypes(3, categorical=[0], random_state=0).fit(X)
    assert model.inertia_ == 0
    assert set(model.labels_) == {0}


def test_one_cluster_and_a_cluster_for_each_row():
    X = table(12, 8)
    assert_allclose(KPrototypes(12, categorical=CODES, random_state=0).fit(X).inertia_, 0, atol=1e-12)
    one = KPrototypes(1, gamma=1.0, categorical=CODES).fit(X)
    assert_allclose(one.inertia_, cost_of(X, np.zeros(12, dtype=int), 1.0), rtol=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_empty_clusters_are_refilled(seed):
    X = table(60, seed)
    model = KPrototypes(4, categorical=CODES, init=np.repeat(X[:1], 4, axis=0)).fit(X)
    assert len(set(model.labels_)) == 4
    assert np.all(np.diff(model.history_.objective) <= 1e-9)


def test_bad_init():
    X = table(20, 9)
    with pytest.raises(InvalidParameter, match="KPrototypes: init must be real numbers"):
        KPrototypes(1, categorical=CODES, init=[[0, "x", 1.0, 0, 0]]).fit(X)
