"""KMeans from files and Dask, with missing values, and with other metrics."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice.distances import Mahalanobis, as_distance
from suffice.errors import InvalidData, InvalidParameter


@pytest.fixture(scope="module")
def many():
    """More rows than a start looks at, with weights."""
    rng = np.random.default_rng(5)
    corner = rng.integers(0, 5, 24_000)
    X = rng.normal(size=(24_000, 7)) + 8 * rng.normal(size=(5, 7))[corner]
    return X, rng.integers(1, 4, 24_000).astype(float)


@pytest.fixture(scope="module")
def files(many, tmp_path_factory):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("rows")
    frame = pd.DataFrame(many[0], columns=list("abcdefg")).assign(weight=many[1])
    for name, rows in {"a": slice(0, 5000), "b": slice(5000, 5001), "c": slice(5001, None)}.items():
        frame[rows].to_parquet(folder / f"{name}.parquet", row_group_size=3000)
    return f"{folder}/*.parquet"


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "mahalanobis"])
def test_files_and_dask_give_what_an_array_gives(many, files, metric):
    da = pytest.importorskip("dask.array")
    X, weight = many
    init = X[:5] / np.linalg.norm(X[:5], axis=1, keepdims=True)
    options = {"init": init, "metric": metric, "tol": 0, "max_iter": 12}
    inside = sf.KMeans(5, **options).fit(X, sample_weight=weight)
    source, labels = sf.scan(files, weight="weight"), inside.labels_
    outside = [
        (sf.KMeans(5, **options).fit(source), source),
        (
            sf.KMeans(5, **options).fit(
                da.from_array(X, chunks=(7000, 7)), sample_weight=da.from_array(weight, chunks=7000)
            ),
            da.from_array(X, chunks=(5000, 7)),
        ),
    ]
    for model, rows in outside:
        assert_allclose(model.cluster_centers_, inside.cluster_centers_, rtol=1e-8, atol=1e-9)
        assert_allclose(model.inertia_, inside.inertia_, rtol=1e-9)
        assert_allclose(model.history_.objective[:5], inside.history_.objective[:5], rtol=1e-9)
        assert_array_equal(np.asarray(model.predict(rows)), labels)
        assert not hasattr(model, "labels_")


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "farthest", "pca", "random"])
def test_a_sample_starts_as_well_as_all_rows(many, files, init):
    X, weight = many
    model = sf.KMeans(5, init=init, n_init=3, random_state=0).fit(sf.scan(files, weight="weight"))
    again = sf.KMeans(5, init=init, n_init=3, random_state=0).fit(sf.scan(files, weight="weight"))
    inside = sf.KMeans(5, n_init=5, random_state=0).fit(X, sample_weight=weight)
    assert_array_equal(model.cluster_centers_, again.cluster_centers_)
    assert_allclose(model.inertia_, -model.score(sf.scan(files, weight="weight")), rtol=1e-9)
    if init in ("k-means++", "k-means||"):
        assert model.inertia_ < 1.01 * inside.inertia_


def test_too_few_rows_in_a_file(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "few.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(InvalidData, match=r"n_samples=2 should be >= n_clusters=3"):
        sf.KMeans(3).fit(sf.scan(tmp_path / "few.csv"))


def with_missing(rng, n, d, share):
    X = rng.normal(size=(n, d)) + 4 * rng.integers(0, 3, (n, 1))
    missing = rng.random((n, d)) < share
    missing[np.arange(n), rng.integers(0, d, n)] = False  # no row without a value
    missing[rng.integers(0, n, d), np.arange(d)] = False  # nor a column
    return np.where(missing, np.nan, X)


def cost_of(X, labels, k):
    """The least cost of a partition: every cell about the mean of its cluster and column."""
    means = [np.nanmean(X[labels == c], axis=0) if (labels == c).any() else None for c in range(k)]
    return sum(np.nansum((X[labels == c] - m) ** 2) for c, m in enumerate(means) if m is not None)


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_missing_values_against_brute_force(rng):
    X = with_missing(rng, 8, 3, 0.3)
    best = min(cost_of(X, np.array(labels), 2) for labels in product(range(2), repeat=8))
    model = sf.KMeans(2, n_init=60, random_state=0, tol=0).fit(X)
    assert_allclose(model.inertia_, best, rtol=1e-9)
    assert_allclose(cost_of(X, model.labels_, 2), best, rtol=1e-9)


@given(st.integers(0, 2**32), st.integers(2, 60), st.integers(2, 8), st.floats(0.05, 0.6))
@settings(max_examples=80, deadline=None)
def test_the_objective_falls_with_missing(seed, n, d, share):
    rng = np.random.default_rng(seed)
    X, k = with_missing(rng, n, d, share), int(rng.integers(1, max(2, n // 4)))
    model = sf.KMeans(k, random_state=0, tol=0).fit(X)
    steps = np.column_stack([model.history_.metric("assigned"), model.history_.objective]).ravel()
    assert np.all(np.diff(steps) <= 1e-9 * (1 + steps[0])), steps
    partial = np.stack([np.nansum((X - c) ** 2, axis=1) for c in model.cluster_centers_], axis=1)
    assert_allclose(partial[np.arange(n), model.labels_], partial.min(axis=1), rtol=1e-9, atol=1e-9)
    assert_allclose(model.inertia_, partial.min(axis=1).sum(), rtol=1e-9, atol=1e-9)
    assert_allclose(model.transform(X) ** 2, partial, rtol=1e-9, atol=1e-12)
    assert_array_equal(model.predict(X), model.labels_)


def test_as_many_missing_values_in_every_column():
    """Nothing is filled in, wherever values are missing."""
    X = np.array([[0, np.nan], [np.nan, 0], [0, 0], [9, 9], [9, 8], [np.nan, 9], [8, np.nan]])
    model = sf.KMeans(2, init=[[0.0, 0.0], [9.0, 9.0]]).fit(X)
    assert_array_equal(model.labels_, [0, 0, 0, 1, 1, 1, 1])
    assert_allclose(model.cluster_centers_, [[0, 0], [26 / 3, 26 / 3]])
    assert_allclose(model.inertia_, 4 / 3)


def test_one_gap_changes_little(rng):
    X = rng.normal(size=(300, 4)) + 9 * rng.integers(0, 3, (300, 1))
    holes = X.copy()
    holes[5, 2] = np.nan
    whole, holed = (sf.KMeans(3, init=X[:3], tol=0).fit(rows) for rows in (X, holes))
    assert_array_equal(whole.labels_, holed.labels_)
    assert_allclose(whole.cluster_centers_, holed.cluster_centers_, atol=0.1)


def test_missing_values_from_a_file(rng, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    X = with_missing(rng, 200, 4, 0.2)
    pd.DataFrame(X, columns=list("abcd")).to_parquet(tmp_path / "rows.parquet", row_group_size=60)
    init = np.nan_to_num(X[:3])
    inside, outside = (sf.KMeans(3, init=init).fit(s) for s in (X, sf.scan(tmp_path / "rows.parquet")))
    assert_allclose(outside.cluster_centers_, inside.cluster_centers_, rtol=1e-9)


def test_nothing_but_missing_values_is_refused(rng):
    X = rng.normal(size=(20, 3))
    row, column = X.copy(), X.copy()
    row[7], column[:, 1] = np.nan, np.nan
    with pytest.raises(InvalidData, match=r"row 7 has only missing values"):
        sf.KMeans(2).fit(row)
    with pytest.raises(InvalidData, match=r"column 1.* has only missing values"):
        sf.KMeans(2).fit(column)
    row[7, 0] = np.inf
    with pytest.raises(InvalidData, match="row 7"):
        sf.KMeans(2).fit(row)
    for metric in ("cosine", "mahalanobis"):
        row[7] = [np.nan, 1, 2]
        with pytest.raises(InvalidData, match="NaN"):
            sf.KMeans(2, metric=metric).fit(row)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mahalanobis_is_k_means_on_whitened_rows(rng, dtype):
    X = (rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4)) * [1, 10, 100, 0.1] + 7).astype(dtype)
    model = sf.KMeans(3, metric="mahalanobis", n_init=5, random_state=0).fit(X)
    whiten = sf.Whiten("pca").fit(X.astype(float))
    plain = sf.KMeans(3, n_init=5, random_state=0).fit(whiten.transform(X.astype(float)))
    close = 1e-3 if dtype is np.float32 else 1e-8
    assert_allclose(model.inertia_, plain.inertia_, rtol=close)
    assert np.mean(model.labels_ == plain.labels_) > (0.99 if dtype is np.float32 else 1 - 1e-9)
    back = np.array([X[model.labels_ == c].mean(axis=0, dtype=float) for c in range(3)])
    assert_allclose(model.cluster_centers_, back, rtol=1e-2 if dtype is np.float32 else 1e-6, atol=1e-3)
    assert_array_equal(model.predict(X), model.labels_)
    assert_allclose(np.min(model.transform(X), axis=1).astype(float) ** 2 @ np.ones(200), model.inertia_, rtol=1e-3)


def test_units_do_not_matter_to_mahalanobis(rng):
    X = rng.normal(size=(100, 3)) + 3 * rng.integers(0, 2, (100, 1))
    one, other = (sf.KMeans(2, metric="mahalanobis", init="pca").fit(rows) for rows in (X, X * [1, 1000, 0.01]))
    assert_allclose(one.inertia_, other.inertia_, rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cosine_is_k_means_on_the_sphere(rng, dtype):
    X = (rng.normal(size=(200, 6)) + 3 * rng.normal(size=(3, 6))[rng.integers(0, 3, 200)]).astype(dtype)
    model = sf.KMeans(3, metric="cosine", n_init=3, random_state=0, tol=0).fit(X)
    unit = X.astype(float) / np.linalg.norm(X.astype(float), axis=1, keepdims=True)
    assert_allclose(np.linalg.norm(model.cluster_centers_, axis=1), 1, rtol=1e-6)
    cosine = unit @ model.cluster_centers_.T
    assert_array_equal(model.labels_, np.argmax(cosine, axis=1))
    assert_allclose(model.inertia_, np.sum(2 - 2 * cosine.max(axis=1)), rtol=1e-5)
    sums = np.array([unit[model.labels_ == c].sum(axis=0) for c in range(3)])
    assert_allclose(model.cluster_centers_, sums / np.linalg.norm(sums, axis=1, keepdims=True), atol=1e-5)
    steps = np.column_stack([model.history_.metric("assigned"), model.history_.objective]).ravel()
    assert np.all(np.diff(steps) <= 1e-6 * steps[0])
    longer = X * rng.uniform(0.1, 9, (200, 1)).astype(dtype)
    assert_array_equal(model.predict(longer), model.labels_)


@pytest.mark.parametrize("name", ["sqeuclidean", "l2", "seuclidean", "correlation"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_distance_that_has_centres(rng, name, dtype):
    X = (rng.normal(size=(150, 5)) + 4 * rng.normal(size=(3, 5))[rng.integers(0, 3, 150)]).astype(dtype)
    X *= np.array([1, 100, 0.01, 1, 1], dtype=dtype)
    model = sf.KMeans(3, metric=name, n_init=3, random_state=0).fit(X)
    measure = as_distance(name).fitted(X)
    apart = measure.pairwise(X, model.cluster_centers_.astype(dtype)).astype(float)
    assert_array_equal(np.argmin(apart, axis=1), model.labels_)
    assert_array_equal(model.predict(X), model.labels_)
    squares = {"correlation": 2 * apart, "sqeuclidean": apart}.get(name, apart**2)
    assert_allclose(np.sum(squares.min(axis=1)), model.inertia_, rtol=1e-3)
    again = sf.KMeans(3, metric=measure, n_init=3, random_state=0).fit(X)
    assert_allclose(again.inertia_, model.inertia_, rtol=1e-3)


def test_a_given_matrix_measures(rng):
    X = rng.normal(size=(80, 2)) * [1, 50]
    given = sf.KMeans(2, metric=Mahalanobis(np.diag([1.0, 1 / 2500])), n_init=5, random_state=0).fit(X)
    scaled = sf.KMeans(2, n_init=5, random_state=0).fit(X / [1, 50])
    assert_allclose(given.inertia_, scaled.inertia_, rtol=1e-8)
    assert_allclose(given.cluster_centers_, scaled.cluster_centers_ * [1, 50], rtol=1e-6)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("units", [[1.0, 1.0, 1.0], [1e-3, 1.0, 1e4]])
def test_any_semidefinite_matrix_measures(rng, rank, units, tmp_path):
    """(x − μ)ᵀ M (x − μ) with M = L Lᵀ of any rank is k-means of the rows xᵀ L, and centres are means of their rows."""
    units = np.array(units)
    X = (rng.normal(size=(90, 3)) + 6 * rng.integers(0, 3, (90, 1))) * units
    L = rng.normal(size=(3, rank)) / units[:, None]
    weight = rng.integers(1, 4, 90).astype(float)
    measure = Mahalanobis(L @ L.T)
    model = sf.KMeans(3, metric=measure, tol=0, n_init=5, random_state=0).fit(X, sample_weight=weight)
    reduced = sf.KMeans(3, tol=0, n_init=5, random_state=0).fit(X @ L, sample_weight=weight)
    assert_allclose(model.inertia_, reduced.inertia_, rtol=1e-8)
    assert sf.align(model.labels_, reduced.labels_).accuracy == 1
    for k, centre in enumerate(model.cluster_centers_):
        own = model.labels_ == k
        mean = np.average(X[own], axis=0, weights=weight[own])
        assert_allclose(centre / units, mean / units, rtol=1e-6, atol=1e-6)
    apart = measure.pairwise(X, model.cluster_centers_)
    assert_array_equal(apart.argmin(axis=1), model.predict(X))
    assert_allclose(model.transform(X), apart, rtol=1e-5, atol=1e-5)
    sf.save(model, tmp_path / "model.suffice")
    assert_array_equal(sf.load(tmp_path / "model.suffice").predict(X), model.predict(X))


def test_distances_without_centres_are_refused_with_the_reason(rng):
    for metric in ("jaccard", "cityblock", "gower", as_distance("haversine")):
        with pytest.raises(InvalidParameter, match="has no centres that means of rows lead to; use `KMedoids`"):
            sf.KMeans(2, metric=metric).fit(rng.normal(size=(9, 2)))
    with pytest.raises(InvalidParameter, match=r"'cosin'\. Did you mean 'cosine'"):
        sf.KMeans(2, metric="cosin").fit(rng.normal(size=(9, 2)))


def test_columns_that_others_determine_do_not_count_for_mahalanobis(rng):
    X = rng.normal(size=(90, 2)) + 5 * rng.integers(0, 2, (90, 1))
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    one, other = (sf.KMeans(2, metric="mahalanobis", n_init=5, random_state=0).fit(rows) for rows in (X, twice))
    assert_allclose(one.inertia_, other.inertia_, rtol=1e-8)
    back = np.array([twice[other.labels_ == c].mean(axis=0) for c in range(2)])
    assert_allclose(other.cluster_centers_, back, rtol=1e-6)


def test_a_row_without_direction_is_refused(rng):
    X = rng.normal(size=(9, 3))
    model = sf.KMeans(2, metric="cosine", random_state=0).fit(X)
    X[4] = 0
    for use in (sf.KMeans(2, metric="cosine").fit, model.predict):
        with pytest.raises(InvalidData, match=r"row 4 is all zeros"):
            use(X)


@pytest.mark.parametrize("model", [sf.KMeans, sf.SoftKMeans])
def test_given_centres_need_no_sample_of_a_large_file(rng, tmp_path, monkeypatch, model):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("suffice.models.cluster.centre_based._SAMPLE", 10)
    X = rng.normal(size=(1000, 2)) + 6 * rng.integers(0, 2, (1000, 1))
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1]}), tmp_path / "t.parquet", row_group_size=300)
    init = np.array([[0.0, 1.0], [5.0, 6.0]])
    file, memory = (model(2, init=init).fit(rows) for rows in (sf.scan(tmp_path / "t.parquet"), X))
    np.testing.assert_allclose(file.cluster_centers_, memory.cluster_centers_, rtol=1e-9)
    with pytest.raises(sf.errors.InvalidParameter, match=r"shape \(2, 2\); got shape \(2, 5\)"):
        model(2, init=np.ones((2, 5))).fit(sf.scan(tmp_path / "t.parquet"))


@pytest.mark.parametrize(
    "model",
    [
        sf.KMeans(5, init="k-means||", random_state=0), sf.KMeans(5, metric="cosine", random_state=0),
        sf.SoftKMeans(5, beta=4.0, random_state=0), sf.MiniBatchKMeans(5, random_state=0), sf.DPMeans(3e4),
    ],
    ids=repr,
)  # fmt: skip
def test_inertia_from_files_counts_weights(many, files, model):
    weight = many[1]
    model.fit(sf.scan(files, weight="weight"))
    squares = np.min(np.asarray(model.transform(sf.scan(files, columns=list("abcdefg")))), axis=1) ** 2
    assert_allclose(model.inertia_, weight @ squares, rtol=1e-9)
    assert_allclose(model.inertia_, -model.score(sf.scan(files, weight="weight")), rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_batches_with_weights_are_batches_of_repeated_rows(many, metric):
    X, weight = many[0][:900], many[1][:900]
    weighted, repeated = (sf.MiniBatchKMeans(4, metric=metric, random_state=0) for _ in range(2))
    for rows in (slice(0, 300), slice(300, 500), slice(500, 900)):
        weighted.partial_fit(X[rows], sample_weight=weight[rows])
        repeated.partial_fit(np.repeat(X[rows], weight[rows].astype(int), axis=0))
        assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-9)
        assert_allclose(weighted.counts_, repeated.counts_)
        assert_allclose(weighted.inertia_, repeated.inertia_, rtol=1e-9)
