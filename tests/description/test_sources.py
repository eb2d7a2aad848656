"""`describe` gives the same from arrays, frames, files cut in any way, and dask."""

from __future__ import annotations

import dataclasses
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

from suffice.backend import threads
from suffice.data.table import as_table
from suffice.description import Description, describe
from suffice.errors import InvalidData

N = 6_000  # quantiles are exact up to 8,192 values


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    missing = rng.random(N) < 0.1
    return pd.DataFrame({
        "x": np.where(missing, np.nan, rng.normal(size=N)),
        "count": rng.integers(0, 50, N),
        "row": np.arange(N),
        "word": pd.array(np.where(missing, None, rng.choice(list("abc"), N)), dtype="string"),
        "flag": rng.random(N) < 0.3,
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), unit="D"),
    })  # fmt: skip


def same(one: Description, other: Description) -> None:
    assert (one.rows, one.warnings) == (other.rows, other.warnings)
    for a, b in zip(one.columns, other.columns, strict=True):
        left, right = dataclasses.asdict(a), dataclasses.asdict(b)
        for name, value in left.items():
            expected = pytest.approx(right[name], rel=1e-12) if isinstance(value, float) else right[name]
            assert value == expected, (a.name, name)


def test_frames_files_and_dask_give_the_same(frame: pd.DataFrame, tmp_path: Any) -> None:
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.to_parquet(tmp_path / "all.parquet", index=False, row_group_size=700)
    frame[:1234].to_parquet(tmp_path / "part-1.parquet", index=False)
    frame[1234:].to_parquet(tmp_path / "part-2.parquet", index=False)
    whole = describe(frame)
    assert whole.warnings == ("column 'row' has a different value in every row, like an id",)
    for data in (
        pl.from_pandas(frame),
        dd.from_pandas(frame, npartitions=7),
        dd.from_pandas(frame, npartitions=1),
        *(str(tmp_path / name) for name in ("all.csv", "all.parquet", "part-*.parquet")),
    ):
        same(describe(data), whole)


def test_arrays_give_what_their_frame_gives(frame: pd.DataFrame) -> None:
    values = frame[["x", "count"]].to_numpy(float)
    whole = describe(pd.DataFrame(values, columns=["x0", "x1"]))
    for data in (values, np.asfortranarray(values), da.from_array(values, chunks=(1000, 1))):
        same(describe(data), whole)
    same(describe(da.from_array(values, chunks=500)[:, :2]), whole)


def test_parquet_is_read_in_parts_whose_sum_does_not_depend_on_the_threads(frame: pd.DataFrame, tmp_path: Any) -> None:
    long = pd.concat([frame] * 30, ignore_index=True)
    long.to_parquet(tmp_path / "long.parquet", index=False, row_group_size=20_000)
    assert len(as_table(str(tmp_path / "long.parquet")).parts) > 1  # type: ignore[attr-defined]
    with threads(1):
        one = describe(str(tmp_path / "long.parquet")).to_dict()
    with threads(4):
        assert describe(str(tmp_path / "long.parquet")).to_dict() == one
    assert one["columns"][1]["rank_error"] > 0


def test_numbers_of_a_large_array_are_not_copied_as_a_whole() -> None:
    import pyarrow as pa

    values = np.zeros((400_000, 10))
    before = pa.total_allocated_bytes()
    for chunk in as_table(values).chunks():
        assert pa.total_allocated_bytes() - before < values.nbytes / 4
        assert chunk.X.num_rows < 100_000


def test_dask_objects_are_looked_at() -> None:
    mixed = pd.DataFrame(
        {"a": pd.Series([None, None, "x", "y"], dtype=object), "b": pd.Series([1, 2, 3, 4], dtype=object)}
    )
    import dask

    with dask.config.set({"dataframe.convert-string": False}):
        found = describe(dd.from_pandas(mixed, npartitions=2, sort=False))
    assert [(column.kind, column.missing) for column in found.columns] == [("categorical", 2), ("numeric", 0)]
    same(found, describe(mixed))


def test_dask_cells_of_two_kinds_are_refused() -> None:
    import dask

    mixed = pd.DataFrame({"a": pd.Series([1, 2, "x", "y"], dtype=object)})
    with (
        dask.config.set({"dataframe.convert-string": False}),
        pytest.raises(InvalidData, match="column 'a' of the dask dataframe are not of one type"),
    ):
        describe(dd.from_pandas(mixed, npartitions=2, sort=False))


def test_tables_without_rows() -> None:
    nothing = pd.DataFrame({"a": pd.Series(dtype=float), "w": pd.Series(dtype="string")})
    for data in (nothing, dd.from_pandas(nothing, npartitions=1), np.empty((0, 2))):
        assert describe(data).rows == 0
        assert len(describe(data).columns) == 2


def test_a_model_refuses_a_table_of_batches(frame: pd.DataFrame) -> None:
    import suffice as sf

    for data in (frame, dd.from_pandas(frame, npartitions=2)):
        with pytest.raises(InvalidData, match=r"PCA: the .*frame is a table with columns of all kinds"):
            sf.PCA().fit(as_table(data))
