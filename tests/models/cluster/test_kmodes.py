"""k-modes against brute force and the kmodes package."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, SufficeWarning
from suffice.models.cluster.kmodes import KModes

INITIALISERS = ["huang", "cao", "random"]


def table(n, d, k, seed, keep=0.6, categories=5):
    rng = np.random.default_rng(seed)
    common = rng.integers(0, categories, (k, d))[rng.integers(0, k, n)]
    return np.where(rng.random((n, d)) < keep, common, rng.integers(0, categories, (n, d)))


def cost_of(X, labels):
    return sum(len(c) - np.unique(c, return_counts=True)[1].max() for g in set(labels) for c in X[labels == g].T)


def letters(X):
    return pd.DataFrame({f"c{j}": np.array(list("abcdefgh"))[column] for j, column in enumerate(X.T)})


def test_brute_force():
    X = table(9, 4, 2, 0)
    best = min(cost_of(X, np.array(labels)) for labels in product(range(2), repeat=9))
    model = KModes(2, n_init=30, random_state=0).fit(X)
    assert model.cost_ == model.inertia_ == best == cost_of(X, model.labels_)


@pytest.mark.parametrize("init", INITIALISERS)
def test_costs_of_the_kmodes_package(init):
    peer = pytest.importorskip("kmodes.kmodes")
    X = table(500, 10, 4, 1)
    name = init if init == "random" else init.title()
    theirs = peer.KModes(4, init=name, n_init=5, random_state=0).fit(X).cost_
    assert KModes(4, init=init, n_init=5, random_state=0).fit(X).cost_ <= theirs


def test_from_the_same_modes_as_the_kmodes_package():
    peer = pytest.importorskip("kmodes.kmodes")
    ours, theirs = [], []
    for seed in range(5):
        X = table(400, 12, 5, seed, keep=0.7)
        init = X[np.random.default_rng(seed).choice(400, 5, replace=False)]
        ours.append(KModes(5, init=init).fit(X).cost_)
        theirs.append(peer.KModes(5, init=init, n_init=1).fit(X).cost_)
    assert sum(ours) <= sum(theirs)


@pytest.mark.parametrize("init", INITIALISERS)
def test_text_numbers_and_files_are_the_same(init, tmp_path):
    X = table(200, 5, 3, 2)
    frame = letters(X)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    setup = {"init": init, "n_init": 2, "random_state": 4}
    numbers, text = KModes(3, **setup).fit(X), KModes(3, **setup).fit(frame)
    files = KModes(3, **setup).fit(sf.scan(tmp_path / "rows.csv"))
    assert_array_equal(numbers.labels_, text.labels_)
    assert_array_equal(np.array(list("abcdefgh"))[numbers.cluster_centers_.astype(int)], text.cluster_centers_)
    assert_array_equal(files.cluster_centers_, text.cluster_centers_)
    assert files.inertia_ == text.inertia_ == numbers.inertia_
    assert_array_equal(files.predict(frame), text.labels_)
    assert not hasattr(files, "labels_")


@pytest.mark.parametrize("init", INITIALISERS)
def test_dask(init):
    dd = pytest.importorskip("dask.dataframe")
    frame = letters(table(150, 4, 3, 3))
    whole = KModes(3, init=init, random_state=0).fit(frame)
    parts = KModes(3, init=init, random_state=0).fit(dd.from_pandas(frame, npartitions=4))
    assert_array_equal(parts.cluster_centers_, whole.cluster_centers_)
    assert_array_equal(np.asarray(parts.predict(dd.from_pandas(frame, npartitions=3))), whole.labels_)


@pytest.mark.parametrize("init", INITIALISERS)
def test_weights_are_repeated_rows(rng, init):
    X, w = table(80, 5, 3, 5), rng.integers(0, 4, 80)
    weighted = KModes(4, init=init, random_state=1).fit(X, sample_weight=w)
    repeated = KModes(4, init=init, random_state=1).fit(np.repeat(X, w, axis=0))
    assert_array_equal(weighted.cluster_centers_, repeated.cluster_centers_)
    assert weighted.inertia_ == repeated.inertia_


@pytest.mark.parametrize("init", INITIALISERS)
def test_missing_cells_match_everything_and_count_nowhere(rng, init):
    X = table(120, 6, 3, 6).astype(float)
    X[rng.random(X.shape) < 0.25] = np.nan
    model = KModes(3, init=init, random_state=0).fit(X)
    differ = (X[:, None] != model.cluster_centers_) & ~np.isnan(X[:, None])
    assert model.inertia_ == differ.sum(axis=2).min(axis=1).sum()
    assert np.all(np.diff(model.history_.objective) <= 0)
    for c in range(3):
        for j in range(6):
            values, counts = np.unique(X[(model.labels_ == c) & ~np.isnan(X[:, j]), j], return_counts=True)
            assert model.cluster_centers_[c, j] == values[counts.argmax()]  # the smallest among equals


def test_missing_text_and_a_column_without_values():
    frame = pd.DataFrame({"a": ["x", None, "y", "y"], "b": [None] * 4})
    model = KModes(2, init="cao").fit(frame)
    assert model.inertia_ == 0
    assert set(model.cluster_centers_[:, 0]) == {"x", "y"}


def test_categories_that_the_fit_did_not_see():
    frame = pd.DataFrame({"a": ["p", "p", "q", "q"], "b": ["r", "r", "s", "s"]})
    model = KModes(2, init="cao").fit(frame)
    new = pd.DataFrame({"a": ["zebra", "q", "ant"], "b": ["s", "ant", "r"]})  # codes differ from those of the fit
    assert_array_equal(model.predict(new), [model.labels_[2], model.labels_[2], model.labels_[0]])


def test_a_column_that_changes_its_kind():
    model = KModes(2, init="cao").fit(pd.DataFrame({"a": ["p", "q"]}))
    with pytest.raises(InvalidData, match="KModes: column 'a' holds numbers, but held text at the fit"):
        model.predict(pd.DataFrame({"a": [1.0, 2.0]}))


@pytest.mark.parametrize("init", INITIALISERS)
@pytest.mark.parametrize("X", [np.ones((7, 2)), np.ones((4, 2)), np.repeat([[0], [5]], 4, axis=0)])
def test_fewer_different_rows_than_clusters(X, init):
    distinct = len(np.unique(X, axis=0))
    with pytest.warns(SufficeWarning, match=f"n_clusters=4, but only {distinct} different rows"):
        model = KModes(4, init=init, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert len(set(model.labels_)) == distinct


@pytest.mark.parametrize("init", INITIALISERS)
def test_one_cluster_and_a_cluster_for_each_row(init):
    X = np.array(list(product(range(3), repeat=2)))
    assert KModes(9, init=init, random_state=0).fit(X).inertia_ == 0
    assert_array_equal(KModes(1, init=init, random_state=0).fit(X).cluster_centers_, [[0, 0]])


@pytest.mark.parametrize("seed", range(5))
def test_the_objective_falls_also_when_clusters_get_empty(seed):
    X = table(60, 4, 3, seed)
    start = np.repeat(X[:1], 5, axis=0)
    model = KModes(5, init=start).fit(X)
    assert np.all(np.diff(model.history_.objective) <= 0)
    assert len(set(model.labels_)) == 5


def test_bad_init():
    X = table(20, 3, 2, 0)
    with pytest.raises(InvalidParameter, match=r"KModes: init must hold categories of the data; column 1 .* 99"):
        KModes(1, init=[[0, 99, 0]]).fit(X)
    with pytest.raises(InvalidParameter, match="init must have one row a cluster"):
        KModes(2, init=X[:1]).fit(X)
    frame = letters(X)
    assert KModes(2, init=frame.iloc[:2]).fit(frame).n_iter_ >= 1


def test_many_clusters_of_heavy_rows_do_not_take_long():
    X = np.arange(10)[:, None]
    with pytest.warns(SufficeWarning, match="only 10 different rows"):
        model = KModes(100_000, random_state=0).fit(X, sample_weight=np.full(10, 1e6))
    assert len(set(model.labels_)) == 10


def _cost(X, labels):
    """The mismatches with the modes of these clusters."""
    return sum(len(own) - np.bincount(own.astype(int)).max() for c in np.unique(labels) for own in X[labels == c].T)


@pytest.mark.parametrize("seed", range(6))
def test_no_row_alone_can_lower_the_cost(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (60, 5)).astype(float)
    model = sf.KModes(4, init="random", random_state=seed).fit(X)
    labels, objective = model.labels_, model.history_.objective
    assert model.inertia_ == objective[-1] <= _cost(X, labels)
    assert np.all(np.diff(objective) <= 0)
    for row in np.unique(X, axis=0):  # equal rows go together
        for cluster in range(4):
            moved = np.where((row == X).all(axis=1), cluster, labels)
            assert _cost(X, moved) >= model.inertia_


def test_moves_of_single_rows_are_the_same_from_pieces(rng, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    X = rng.integers(0, 3, (500, 6)).astype(float)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({f"c{j}": X[:, j] for j in range(6)}), path, row_group_size=64)
    whole, pieces = (sf.KModes(5, init=X[:5], random_state=0).fit(rows) for rows in (X, sf.scan(path)))
    np.testing.assert_array_equal(whole.cluster_centers_, pieces.cluster_centers_)
    assert whole.inertia_ == pieces.inertia_
