"""Input in memory: kinds, names, layouts, and what is refused."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import suffice as sf
from suffice import backend
from suffice.data import Needs, as_source, memory
from suffice.errors import InvalidData, SparseNotSupported

ANYTHING = Needs(missing=True, categories=True)
FRAME = pd.DataFrame(
    {"age": [1, 2, 3], "height": [1.5, None, 2.5], "sex": ["m", "f", None], "well": [True, False, True]}
)
FRAMES = {"pandas": FRAME, "polars": pl.from_pandas(FRAME), "pyarrow": pa.Table.from_pandas(FRAME)}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_keep_names_and_kinds(library):
    source = as_source(FRAMES[library], needs=ANYTHING)
    assert source.schema.names == ("age", "height", "sex", "well")
    assert [column.kind for column in source.schema.columns] == ["numeric", "numeric", "categorical", "boolean"]
    assert source.schema.columns[2].categories == ("f", "m")
    expected = [[1, 1.5, 1, 1], [2, np.nan, 0, 0], [3, 2.5, np.nan, 1]]
    np.testing.assert_array_equal(source.chunk.X, expected)


@pytest.mark.parametrize("library", FRAMES)
def test_models_learn_the_names(library):
    frame = FRAMES[library]
    numbers = frame[["age", "well"]] if library == "pandas" else frame.select(["age", "well"])
    model = sf.StandardScaler().fit(numbers)
    assert list(model.feature_names_in_) == ["age", "well"]
    assert model.transform(numbers).shape == (3, 2)


@pytest.mark.parametrize("library", FRAMES)
def test_a_category_is_refused_by_name(library):
    with pytest.raises(InvalidData, match=r"PCA: column 'sex' is categorical \(such as 'f', 'm'\); numbers"):
        as_source(FRAMES[library], needs=Needs("PCA", missing=True))


def test_dates_are_refused_by_name():
    frame = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=3)})
    with pytest.raises(InvalidData, match="column 'when'"):
        as_source(frame)


def test_column_names_that_stand_twice():
    with pytest.raises(InvalidData, match="'a' stands twice"):
        as_source(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_objects_that_are_numbers():
    frame = pd.DataFrame({"a": pd.Series([1, 2.5, None], dtype=object)})
    np.testing.assert_array_equal(as_source(frame, needs=ANYTHING).chunk.X[:, 0], [1, 2.5, np.nan])


def test_floats_are_not_copied():
    for dtype in (np.float32, np.float64):
        for order in "CF":
            X = np.asarray(np.ones((5, 2), dtype), order=order)
            assert as_source(X).chunk.X is X


def test_other_byte_orders_are_turned():
    assert as_source(np.ones((2, 2), ">f8")).chunk.X.dtype == np.dtype("=f8")


def test_sparse_is_refused_with_a_remedy():
    with pytest.raises(SparseNotSupported, match=r"PCA: X is a sparse matrix.*toarray"):
        as_source(scipy.sparse.eye_array(3), needs=Needs("PCA"))


def test_a_source_brings_its_own_target():
    source = as_source([[1.0], [2.0]], [0.0, 1.0], needs=Needs(target="numbers"))
    with pytest.raises(InvalidData, match="brings its own target"):
        as_source(source, [1.0, 2.0])
    assert sf.LinearRegression().fit(source).coef_ == pytest.approx([1.0])


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_large_arrays_are_searched_when_the_result_shows_something_bad(bad):
    X = np.ones((60_000, 3)) * np.arange(60_000)[:, None]
    X[:, 1] **= 0.5
    X[:, 2] **= 1.5
    model = sf.PCA(2).fit(X)
    regression = sf.LinearRegression().fit(X, X[:, 0])
    X[41_234, 1] = bad
    for use in (sf.PCA(2).fit, model.transform, regression.predict, lambda X: sf.Ridge().fit(X, np.ones(60_000))):
        with pytest.raises(InvalidData, match="column 1, row 41234 holds"):
            use(X)


@pytest.mark.parametrize("n", [10, 60_000])
def test_numbers_too_large_to_square(n):
    X = np.full((n, 2), 1e300)
    X[::2] *= -1
    for model in (sf.StandardScaler(), sf.PCA(), sf.Whiten()):
        with pytest.raises(InvalidData, match="so large that their squares overflow"):
            model.fit(X)


def test_columns_of_another_source_are_found_by_name():
    model = sf.StandardScaler().fit(FRAME[["age", "well"]])
    source = as_source(FRAME[["well", "age"]], needs=ANYTHING)
    np.testing.assert_allclose(model.transform(source)[:, 0], model.transform(FRAME[["age", "well"]])[:, 0])
    with pytest.raises(InvalidData, match="there is no column 'age'"):
        model.transform(as_source(FRAME[["well"]], needs=ANYTHING))


@pytest.mark.parametrize("model", [sf.KMeans(2), sf.NearestNeighbors(), sf.GaussianMixture(2)])
def test_huge_numbers_and_weights_are_refused_in_one_sentence(model):
    X = np.arange(12.0).reshape(6, 2)
    name = type(model).__name__
    with pytest.raises(InvalidData, match=rf"^{name}: X holds numbers up to 1\.1e\+201, so large that their squares"):
        model.fit(X * 1e200)
    with pytest.raises(InvalidData, match=f"^{name}: sample_weight is so large that its sum is infinite; scale"):
        model.fit(X, sample_weight=np.full(6, 1e308))
    with pytest.raises(InvalidData, match=rf"^{name}: the weights are so large \(up to 1e\+308\) that sums of X"):
        model.fit(X, sample_weight=[1, 1, 1e308, 1, 1, 1])


def test_numbers_that_can_be_squared_are_taken():
    X = np.arange(12.0).reshape(6, 2)
    model = sf.KMeans(2, random_state=0).fit(X * 1e150)
    np.testing.assert_allclose(model.cluster_centers_ / 1e150, sf.KMeans(2, random_state=0).fit(X).cluster_centers_)
    X[2, 1] = np.nan
    assert np.isfinite(sf.KMeans(2, random_state=0).fit(X * 1e150).inertia_)


def test_huge_weights_from_files_and_dask(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,w\n" + "".join(f"{i},1e308\n" for i in range(6)))
    with pytest.raises(InvalidData, match="so large that its sum is infinite"):
        sf.StandardScaler().fit(sf.scan(path, weight="w"))
    da = pytest.importorskip("dask.array")
    with pytest.raises(InvalidData, match="so large that its sum is infinite"):
        sf.StandardScaler().fit(da.ones((6, 1), chunks=2), sample_weight=da.full(6, 1e308, chunks=2))


def test_many_cells_are_mapped_by_all_threads_in_order(monkeypatch):
    monkeypatch.setattr(memory, "_MANY_CELLS", 1000)
    monkeypatch.setattr(memory, "_SHARED_CELLS", 64)
    monkeypatch.setattr(memory, "_LEAST_ROWS", 16)
    X = np.random.default_rng(3).normal(size=(5003, 4))
    seen = []

    def squares(chunk):
        seen.append((chunk.start, len(chunk), backend.thread_count(), threading.current_thread().name))
        return np.stack([chunk.X[:, 0] ** 2, np.arange(chunk.start, chunk.start + len(chunk))], axis=1)

    with backend.threads(4):
        found = memory.from_memory(X, None, None, Needs()).map(squares)
    np.testing.assert_array_equal(found, np.stack([X[:, 0] ** 2, np.arange(5003)], axis=1))
    assert sorted(start for start, *_ in seen) == list(range(0, 5003, 16))
    assert len({name for *_, name in seen}) > 1
    assert all(threads == 1 for start, _, threads, _ in seen if start)


def test_the_first_error_in_the_order_of_rows_is_raised_and_no_thread_is_left(monkeypatch):
    monkeypatch.setattr(memory, "_MANY_CELLS", 1000)

    def fail(chunk):
        if chunk.start >= 1024:
            raise ValueError(chunk.start)
        return chunk.X[:, 0]

    monkeypatch.setattr(memory, "_SHARED_CELLS", 64)
    with backend.threads(4), pytest.raises(ValueError, match=r"^1024$"):
        memory.from_memory(np.ones((20_000, 4)), None, None, Needs()).map(fail)
    assert not [one for one in threading.enumerate() if one.name.startswith("suffice-worker")]
