"""Rows of neighbours models: weighted, mixed, with missing values, in files, and coming and going."""

import numpy as np
import pandas as pd
import pytest
import sklearn.neighbors as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import suffice as sf
from suffice.distances import Mahalanobis
from suffice.errors import InvalidData, InvalidParameter
from suffice.indices import Brute, KDTree, Scanned

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(400, 4)), RNG.normal(size=(60, 4))
CLASSES = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, 400)]
TARGETS = X @ RNG.normal(size=(4, 2)) + 0.1 * RNG.normal(size=(400, 2))
ALGORITHMS = ["auto", "brute", "kd_tree"]


# ---- weights, missing values, mixed columns ----


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**20), st.sampled_from(["brute", "kd_tree"]))
def test_weights_are_repeated_rows(seed, algorithm):
    rng = np.random.default_rng(seed)
    rows, weight = np.round(rng.random((30, 2)) * 4), rng.integers(0, 4, 30)
    y, again = rng.integers(0, 3, 30), np.repeat(np.arange(30), weight)
    if weight.sum() < 5:
        return
    weighted = sf.KNeighborsClassifier(5, algorithm=algorithm).fit(rows, y, sample_weight=weight)
    repeated = sf.KNeighborsClassifier(5, algorithm=algorithm).fit(rows[again], y[again])
    np.testing.assert_allclose(weighted.predict_proba(rows), repeated.predict_proba(rows))


def test_fractions_of_rows_are_looked_for_farther_out():
    model = sf.KNeighborsRegressor(1).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0], [0.25, 0.5, 0.5, 0.25])
    np.testing.assert_allclose(model.predict([[0.0]]), 0.25 * 0 + 0.5 * 1 + 0.25 * 2)


def test_missing_values_in_rows_and_queries():
    missing = X.copy()
    missing[RNG.random(X.shape) < 0.1] = np.nan
    found = sf.NearestNeighbors().fit(missing).kneighbors(missing[:50])
    theirs = sk.NearestNeighbors(metric="nan_euclidean").fit(missing).kneighbors(missing[:50])
    np.testing.assert_allclose(found[0], theirs[0], atol=1e-7)
    with pytest.raises(InvalidData, match="KNeighborsClassifier: column 0, row 0 holds NaN"):
        sf.KNeighborsClassifier(algorithm="kd_tree").fit(np.full((9, 1), np.nan), np.zeros(9, dtype=int))


def test_mixed_columns():
    people = pd.DataFrame({"age": [20.0, 30.0, 60.0, 61.0], "town": ["Bath", "Bath", "York", "York"]})
    model = sf.KNeighborsClassifier(1, metric="gower").fit(people, ["young", "young", "old", "old"])
    new = pd.DataFrame({"age": [58.0, None], "town": ["York", "Bath"]})
    assert model.predict(new).tolist() == ["old", "young"]
    model.partial_fit(pd.DataFrame({"age": [5.0], "town": ["York"]}), ["child"])
    assert model.predict(pd.DataFrame({"age": [6.0], "town": ["York"]})).tolist() == ["child"]


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_what_a_distance_learns_counts_weights(metric, algorithm):
    weight = np.arange(len(X)) % 4
    again = np.repeat(np.arange(len(X)), weight)
    given = sf.NearestNeighbors(metric=metric, algorithm=algorithm).fit(X, sample_weight=weight)
    repeated = sf.NearestNeighbors(metric=metric, algorithm=algorithm).fit(X[again])
    np.testing.assert_allclose(given.score_samples(X), repeated.score_samples(X))
    alone = given.partial_fit(X[:9], sample_weight=np.full(9, 5)).kneighbors(X)[0][:, 0]
    more = repeated.partial_fit(np.repeat(X[:9], 5, axis=0)).kneighbors(X)[0][:, 0]
    np.testing.assert_allclose(alone, more, atol=1e-7)


# ---- ties ----


def test_rows_as_near_as_the_last_share_its_votes():
    rows, labels = np.array([[0.0], [1.0], [-1.0], [1.0], [5.0]]), np.array(["a", "b", "b", "c", "c"])
    model = sf.KNeighborsClassifier(2).fit(rows, labels)  # one vote for row 0, one for the three rows at distance 1
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[1 / 2, 1 / 3, 1 / 6]])
    np.testing.assert_allclose(sf.KNeighborsRegressor(2).fit(rows, [3, 6, 9, 0, 7]).predict([[0.0]]), [(3 + 5) / 2])
    assert model.kneighbors([[0.0]])[1].tolist() == [[0, 1]]
    weighted = sf.KNeighborsClassifier(3).fit(rows, labels, sample_weight=[1, 3, 1, 4, 9])
    np.testing.assert_allclose(weighted.predict_proba([[0.0]]), [[1 / 3, 2 / 3 / 2, 2 / 3 / 2]])
    nearest = sf.KNeighborsClassifier(3, ties="nearest").fit([[1.0], [1.0], [-1.0], [2.0], [2.0]], list("cbbcc"))
    assert nearest.predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("ties", ["first", "nearest", "prior", "random"])
def test_the_order_of_the_rows_does_not_matter(rng, algorithm, weights, ties):
    rows, labels = rng.integers(0, 3, (900, 3)).astype(float), rng.integers(0, 3, 900)
    given, order = rng.integers(0, 3, 900), rng.permutation(900)
    for weight in (None, given):
        model = sf.KNeighborsClassifier(7, algorithm=algorithm, weights=weights, ties=ties)
        first = clone(model).fit(rows, labels, sample_weight=weight)
        other = clone(model).fit(rows[order], labels[order], sample_weight=None if weight is None else weight[order])
        np.testing.assert_allclose(first.predict_proba(rows), other.predict_proba(rows), atol=1e-12)
        np.testing.assert_array_equal(first.predict(rows), other.predict(rows))
    empty = [sf.ParzenClassifier(0.5).fit(rows[i], labels[i]) for i in (np.arange(900), order)]
    np.testing.assert_allclose(empty[0].predict_proba(rows + 0.5), empty[1].predict_proba(rows + 0.5), atol=1e-12)


def test_ties_among_rows_with_few_columns_in_common():
    rows = np.array([[0.0, np.nan], [0.0, np.nan], [np.nan, 1.0], [3.0, np.nan]])
    model = sf.KNeighborsRegressor(2).fit(rows, [1.0, 2.0, 3.0, 4.0])
    assert model.predict([[0.0, np.nan]]).tolist() == [1.5]  # row 2 has no distance from it, and none is needed
    with pytest.raises(InvalidData, match="query 1 has a distance from fewer rows"):
        model.predict([[0.0, np.nan], [np.nan, 1.0]])


# ---- rows come and go ----

MODELS = [
    sf.KNeighborsClassifier(3),
    sf.KNeighborsClassifier(3, algorithm="kd_tree"),
    sf.KNeighborsClassifier(3, metric="mahalanobis"),
    sf.ParzenClassifier(1.0, window="gaussian"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_rows_added_and_removed_equal_a_fit(model):
    from sklearn.base import clone

    pieces = clone(model).partial_fit(X[:2], CLASSES[:2]).partial_fit(X[2:300], CLASSES[2:300])
    pieces.partial_fit(X[300:], CLASSES[300:])
    np.testing.assert_allclose(pieces.predict_proba(Q), clone(model).fit(X, CLASSES).predict_proba(Q))
    fewer = clone(model).fit(X[:250], CLASSES[:250])
    np.testing.assert_allclose(pieces.remove(X[250:], CLASSES[250:]).predict_proba(Q), fewer.predict_proba(Q))
    numbered = clone(model).fit(X, CLASSES).remove(rows=np.arange(250, 400))
    np.testing.assert_allclose(numbered.predict_proba(Q), fewer.predict_proba(Q))


def test_auto_changes_its_mind_as_rows_come():
    rows = RNG.normal(size=(3000, 2))
    model = sf.NearestNeighbors().partial_fit(rows[:50])
    assert isinstance(model.index_, Brute)
    model.partial_fit(rows[50:])
    assert isinstance(model.index_, KDTree)
    gap = np.array([[np.nan, 1.0]])
    model.partial_fit(gap)
    assert isinstance(model.index_, Brute)
    whole = sf.NearestNeighbors().fit(np.vstack([rows, gap]))
    np.testing.assert_array_equal(model.kneighbors(Q[:, :2])[1], whole.kneighbors(Q[:, :2])[1])


def test_removing_what_is_not_there():
    model = sf.KNeighborsClassifier(1).fit(X, CLASSES)
    with pytest.raises(InvalidData, match="row 0 is not among the rows of the fit"):
        model.remove(X[:1] + 1)
    with pytest.raises(InvalidData, match="no rows are left"):
        model.remove(rows=np.arange(400))
    assert model.n_samples_fit_ == 400


# ---- rows in files ----

NAMED = pd.DataFrame(Q, columns=list("abcd"))


@pytest.fixture
def table(tmp_path):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=CLASSES, value=TARGETS[:, 0], weight=np.arange(400) % 3)
    for i in range(4):
        frame[i * 100 : (i + 1) * 100].to_parquet(tmp_path / f"{i}.parquet", row_group_size=30)
    return str(tmp_path / "*.parquet"), frame


@pytest.mark.parametrize("weight", [None, "weight"])
def test_rows_that_stay_in_files(table, weight):
    path, frame = table
    w = None if weight is None else frame[weight]
    source = sf.scan(path, columns=list("abcd"), weight=weight)
    scanned, held = sf.NearestNeighbors(memory=1000).fit(source), sf.NearestNeighbors().fit(X, sample_weight=w)
    assert isinstance(scanned.index_, Scanned)
    assert "read for each question" in scanned.index_.reason
    for ours, theirs in zip(scanned.kneighbors(NAMED), held.kneighbors(Q), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(scanned.radius_neighbors(NAMED)[1], held.radius_neighbors(Q)[1], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(scanned.kneighbors(source)[1], held.kneighbors(X)[1])


def test_classes_of_rows_in_files(table):
    path, frame = table
    source = sf.scan(path, columns=list("abcd"), target="kind", weight="weight")
    scanned = sf.KNeighborsClassifier(memory=1).fit(source)
    held = sf.KNeighborsClassifier().fit(X, CLASSES, frame["weight"])
    np.testing.assert_allclose(scanned.predict_proba(NAMED), held.predict_proba(Q))
    window = sf.ParzenClassifier(1.0, memory=1).fit(source)
    inside = sf.ParzenClassifier(1.0).fit(X, CLASSES, frame["weight"])
    np.testing.assert_array_equal(window.predict(NAMED), inside.predict(Q))


def test_what_files_cannot_do(table):
    source = sf.scan(table[0], columns=list("abcd"))
    with pytest.raises(InvalidParameter, match="depends on all rows"):
        sf.NearestNeighbors(metric="mahalanobis", memory=1).fit(source)
    with pytest.raises(InvalidParameter, match="'auto' or 'brute'"):
        sf.NearestNeighbors(algorithm="kd_tree", memory=1).fit(source)
    model = sf.NearestNeighbors(metric=Mahalanobis(np.eye(4)), memory=1).fit(source)
    with pytest.raises(InvalidParameter, match="cannot be inserted"):
        model.partial_fit(pd.DataFrame(X, columns=list("abcd")))
    with pytest.raises(InvalidParameter, match="not in memory"):
        model.kneighbors()


def test_rows_on_dask(table):
    import dask.array as da
    import dask.dataframe as dd

    held = sf.NearestNeighbors().fit(X)
    known = sf.NearestNeighbors(memory=1).fit(da.from_array(X, chunks=((150, 1, 249), 4)))
    unknown = sf.NearestNeighbors(memory=1).fit(dd.from_pandas(table[1][list("abcd")], npartitions=3))
    for model, queries in ((known, Q), (unknown, NAMED)):
        np.testing.assert_array_equal(model.kneighbors(queries)[1], held.kneighbors(Q)[1])
    distances, rows = held.kneighbors(da.from_array(Q, chunks=(20, 4)))
    np.testing.assert_array_equal(rows.compute(), held.kneighbors(Q)[1])
    assert isinstance(distances, da.Array)
