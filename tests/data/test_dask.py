"""Dask sources: the same answers as in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suffice.data import Chunk, Needs, as_source
from suffice.errors import InvalidData

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402

from dask_rows import CHUNKINGS, ROWS, TARGET, WEIGHT, A, array, assert_same, frame, sums  # noqa: E402


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@pytest.mark.parametrize("chunks", CHUNKINGS)
def test_array_gives_the_sums_of_numpy(chunks: Any, scheduler: str) -> None:
    needs = Needs(target="numbers")
    want = as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums)
    y, w = da.from_array(TARGET, chunks=17), da.from_array(WEIGHT, chunks=60)
    source = as_source(array(chunks), y, w, needs=needs)
    assert source.n_rows == ROWS
    assert not source.schema.named
    with dask.config.set(scheduler=scheduler):
        assert_same(source.reduce(sums), want)


def test_target_and_weight_in_memory_are_dealt_out() -> None:
    needs = Needs(target="numbers")
    want = as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums)
    assert_same(as_source(array(), TARGET.tolist(), pd.Series(WEIGHT), needs=needs).reduce(sums), want)


def test_one_number_as_weight() -> None:
    assert as_source(array(), None, 2).reduce(sums).weight == 2 * ROWS


def test_the_answer_is_the_same_to_the_last_bit_every_time() -> None:
    source = as_source(array((7, 3)))
    first = source.reduce(sums)
    assert all(np.array_equal(source.reduce(sums).X, first.X) for _ in range(5))


def test_unknown_chunk_sizes() -> None:
    X, y = array((13, 2)), da.from_array(TARGET, chunks=13)
    keep = X[:, 1] > 0
    source = as_source(X[keep], y[keep], needs=Needs(target="numbers"))
    kept = A[:, 1] > 0
    assert source.n_rows is None
    assert_same(source.reduce(sums), as_source(A[kept], TARGET[kept], needs=Needs(target="numbers")).reduce(sums))
    mapped = source.map(lambda chunk: chunk.X[:, 0])
    np.testing.assert_array_equal(mapped.compute(), A[kept, 0])
    assert np.isnan(mapped.shape[0])


def test_partitions_that_a_mask_leaves_empty_are_skipped() -> None:
    X = array((10, 3))
    few = X[da.from_array(np.arange(ROWS), chunks=10) >= 50]
    source = as_source(few)
    assert_same(source.reduce(sums), as_source(A[50:]).reduce(sums))
    np.testing.assert_array_equal(source.map(lambda chunk: chunk.X * 2).compute(), A[50:] * 2)


def test_no_rows() -> None:
    with pytest.raises(InvalidData, match="no rows"):
        as_source(array()[:0])
    with pytest.raises(InvalidData, match="the dask array has no rows; at least 1 is needed"):
        as_source(array()[array()[:, 0] > 1e9]).reduce(sums)


def test_chunks_come_in_order_with_their_first_row() -> None:
    X = array((25, 3))
    for table in (X, X[X[:, 0] > -1e9]):
        chunks = list(as_source(table, None, WEIGHT if table is X else None).chunks())
        assert [(chunk.start, len(chunk)) for chunk in chunks] == [(0, 25), (25, 25), (50, 10)]
        np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in chunks]), A)


# Mapped results


def test_map_is_lazy_and_keeps_blocks_and_types() -> None:
    calls = []

    def twice(chunk: Chunk) -> np.ndarray:
        calls.append(len(chunk))
        return (2 * chunk.X).astype(np.float32)

    mapped = as_source(array((25, 3))).map(twice)
    assert max(calls, default=1) == 1
    assert mapped.chunks == ((25, 25, 10), (3,))
    assert mapped.dtype == np.float32
    np.testing.assert_array_equal(mapped.compute(), (2 * A).astype(np.float32))


def test_map_keeps_single_precision() -> None:
    mapped = as_source(array().astype(np.float32)).map(lambda chunk: chunk.X.sum(axis=1))
    assert mapped.dtype == mapped.compute().dtype == np.float32


def test_map_uses_a_real_row_where_zeros_will_not_do() -> None:
    def picky(chunk: Chunk) -> np.ndarray:
        if not chunk.X.any(axis=1).all():
            raise ZeroDivisionError
        return np.array(["yes", "no"])[(chunk.X[:, 0] > 5).astype(int)]

    mapped = as_source(array()).map(picky)
    assert mapped.dtype == np.dtype("<U3")
    assert mapped.compute().tolist() == np.where(A[:, 0] > 5, "no", "yes").tolist()


def test_target_is_mapped_too() -> None:
    labels = np.where(TARGET > 0, "up", "down")
    source = as_source(array(), da.from_array(labels, chunks=9), needs=Needs(target="classes"))
    assert source.target().compute().tolist() == labels.tolist()


def test_mapping_a_frame_reads_nothing() -> None:
    def never(table: Any) -> Any:
        raise AssertionError("it was read")

    table = pd.DataFrame(A.astype(np.float32), columns=["a", "b", "c"])
    split = dd.from_pandas(table, npartitions=3).map_partitions(never, meta=table.iloc[:0])
    mapped = as_source(split).map(lambda chunk: chunk.X)
    assert mapped.dtype == np.float32
    with pytest.raises(AssertionError, match="it was read"):
        mapped.compute()


# Dataframes


def test_frame_with_mixed_kinds_is_what_it_is_in_memory() -> None:
    needs = Needs(categories=True, missing=True)
    memory = as_source(frame(), needs=needs)
    source = as_source(dd.from_pandas(frame(), npartitions=4), needs=needs)
    assert source.schema == memory.schema
    assert source.schema.columns[3].categories == ("blue", "green", "orange")
    np.testing.assert_array_equal(source.map(lambda chunk: chunk.X).compute(), memory.chunk.X)


def test_frame_target_and_weight_columns() -> None:
    table = pd.DataFrame(A, columns=["a", "b", "c"]).assign(y=TARGET, w=WEIGHT)
    split = dd.from_pandas(table, npartitions=3)
    needs = Needs(target="numbers")
    source = as_source(split[["a", "b", "c"]], split["y"], split["w"], needs=needs)
    assert source.n_rows is None
    assert source.schema.names == ("a", "b", "c")
    assert_same(source.reduce(sums), as_source(A, TARGET, WEIGHT, needs=needs).reduce(sums))
    some = source.suited_to(needs, ("c", "a"))
    np.testing.assert_allclose(some.reduce(sums).X, WEIGHT @ A[:, [2, 0]])


def test_known_categories_are_kept_and_unknown_ones_found() -> None:
    needs = Needs(categories=True)
    table = pd.DataFrame({"k": pd.Categorical(["b", "a", "b", "b"], categories=["c", "b", "a"])})
    split = dd.from_pandas(table, npartitions=2)
    source = as_source(split, needs=needs)
    assert source.schema.columns[0].categories == ("a", "b", "c")
    assert source.map(lambda chunk: chunk.X[:, 0]).compute().tolist() == [1, 0, 1, 1]
    unknown = as_source(split.assign(k=split["k"].cat.as_unknown()), needs=needs)
    assert unknown.schema.columns[0].categories == ("a", "b")


def test_objects_that_are_numbers_are_numbers() -> None:
    with dask.config.set({"dataframe.convert-string": False}):
        table = pd.DataFrame({"n": np.array([1, 2.5, None, 4], dtype=object), "t": [1.0, 2, 3, 4]})
        source = as_source(dd.from_pandas(table, npartitions=4, sort=False), needs=Needs(missing=True))
        assert source.schema == as_source(table, needs=Needs(missing=True)).schema
        np.testing.assert_array_equal(source.map(lambda chunk: chunk.X[:, 0]).compute(), [1, 2.5, np.nan, 4])


def test_text_is_refused_before_anything_is_read() -> None:
    split = dd.from_pandas(frame(), npartitions=2)
    with pytest.raises(InvalidData, match="LDA: column 'colour' is categorical; numbers are needed"):
        as_source(split, needs=Needs("LDA", missing=True))
    kept = as_source(split[["size", "old"]], needs=Needs("LDA"))
    assert kept.schema.names == ("size", "old")
    with pytest.raises(InvalidData, match=r"no column 'sice'.*Did you mean 'size'"):
        kept.suited_to(Needs("LDA"), ("sice",))


def test_kernels_use_one_thread_beside_others_and_all_when_alone() -> None:
    from suffice import backend

    def count(chunk: Chunk) -> int:
        return backend.thread_count()

    with backend.threads(2), dask.config.set(scheduler="sync"):
        assert as_source(array((20, 3))).reduce(count) == 3
        assert as_source(array((60, 3))).reduce(count) == 2


def test_columns_of_one_parquet_table_stay_together(tmp_path: Path) -> None:
    """Dask reads few columns in fewer partitions than many; the rows of X and y must match all the same."""
    import suffice as sf

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 12)), columns=[f"x{j}" for j in range(12)])
    frame["y"] = frame.sum(axis=1)
    for k in range(8):
        frame[50 * k : 50 * (k + 1)].to_parquet(tmp_path / f"{k}.parquet")
    table = dd.read_parquet(tmp_path)
    features = [f"x{j}" for j in range(12)]
    model = sf.LinearRegression().fit(table[features], table["y"])
    np.testing.assert_allclose(model.coef_, np.ones(12), rtol=1e-10)
    assert model.score(table[features], table["y"]) == pytest.approx(1.0)
