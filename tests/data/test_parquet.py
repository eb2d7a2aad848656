"""Parquet files: types, batches, what cannot be read, and how little memory a large one takes."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from suffice.data import Needs
from suffice.data.scan import FileSource, scan
from suffice.errors import InvalidData

NAN = float("nan")
ANY = Needs(owner="PCA", missing=True, categories=True)


def write(folder: Path, columns: dict[str, Any], name: str = "t.parquet", **options: Any) -> Path:
    path = folder / name
    pq.write_table(pa.table(columns), path, **options)
    return path


def cells(source: FileSource) -> Any:
    return source.suited_to(ANY).map(lambda chunk: chunk.X)


def small_batches(source: FileSource, rows: int) -> FileSource:
    """The source with batches of about so many rows."""
    width = 8 * len(source.schema)
    files = tuple(dataclasses.replace(file, batch_bytes=rows * width, batches_a_chunk=1) for file in source.files)  # type: ignore[type-var]
    return dataclasses.replace(source, files=files)


def test_all_kinds_of_numbers_become_doubles(tmp_path: Path) -> None:
    columns = {
        "i8": pa.array([1, None], pa.int8()),
        "u64": pa.array([2, 3], pa.uint64()),
        "f32": pa.array([0.5, None], pa.float32()),
        "f64": pa.array([0.1, NAN]),
        "dec": pa.array([1, None], pa.decimal128(5, 2)),
        "bool": pa.array([True, None]),
        "none": pa.nulls(2),
        "text": pa.array(["b", "a"]),
        "dict": pa.array(["q", None]).dictionary_encode(),
    }
    source = scan(write(tmp_path, columns))
    assert source.n_rows == 2
    X = cells(source)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    np.testing.assert_equal(X[0], [1, 2, 0.5, 0.1, 1, 1, NAN, 1, 0])
    np.testing.assert_equal(X[1], [NAN, 3, NAN, NAN, NAN, NAN, NAN, 0, NAN])


def test_columns_that_are_all_single_stay_single(tmp_path: Path) -> None:
    source = scan(write(tmp_path, {"a": pa.array([1, None], pa.float32()), "b": pa.array([3, 4], pa.float32())}))
    X = cells(source)
    assert X.dtype == np.float32
    np.testing.assert_equal(X, [[1, 3], [NAN, 4]])


def test_rows_come_in_order_across_row_groups(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": np.arange(1000.0), "b": -np.arange(1000.0)}, row_group_size=170)
    source = small_batches(scan(path), 64)
    chunks = list(source.chunks())
    assert len(chunks) > 10
    assert [chunk.start for chunk in chunks] == np.cumsum([0, *map(len, chunks[:-1])]).tolist()
    np.testing.assert_equal(np.concatenate([chunk.X for chunk in chunks])[:, 0], np.arange(1000.0))


def test_types_that_the_user_says(tmp_path: Path) -> None:
    path = write(tmp_path, {"zip": [123, 45], "x": ["1.5", "2"], "y": ["1", "x"]})
    source = scan(path, types={"zip": "categorical", "x": "numeric"}, columns=["zip", "x"]).suited_to(ANY)
    assert source.schema.columns[0].categories == ("123", "45")
    assert cells(source).tolist() == [[0, 1.5], [1, 2]]
    with pytest.raises(InvalidData, match=r"t.parquet: column 'y', row 2 holds 'x', which cannot be read as double"):
        cells(scan(path, types={"y": "numeric"}))


def test_an_index_of_pandas_is_no_column(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"a": [1.0, 2.0]}, index=["p", "q"]).to_parquet(tmp_path / "t.parquet")
    assert scan(tmp_path / "t.parquet").schema.names == ("a",)


def test_times_of_day_are_text(tmp_path: Path) -> None:
    source = scan(write(tmp_path, {"t": pa.array([3600, 60], pa.time32("s"))})).suited_to(ANY)
    assert source.schema.columns[0].categories == ("00:01:00.000", "01:00:00.000")
    assert cells(source).tolist() == [[1], [0]]


def test_lists_are_refused_unless_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": [1.0], "l": [[1, 2]]})
    with pytest.raises(InvalidData, match=r"Column 'l' of .*t.parquet is of type list.*columns="):
        scan(path)
    assert cells(scan(path, columns=["a"])).tolist() == [[1]]


def test_no_rows(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"t.parquet has columns but no rows"):
        scan(write(tmp_path, {"a": pa.array([], pa.float64())}))


def test_a_file_that_is_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_text("a,b\n1,2\n" * 10)
    with pytest.raises(InvalidData, match=r"t.parquet cannot be read as Parquet .*write or fetch it again"):
        scan(path)


def test_a_file_that_is_cut_short(tmp_path: Path) -> None:
    path = write(tmp_path, {"a": np.arange(1000.0)})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InvalidData, match="corrupt, cut short"):
        scan(path)


def test_a_file_with_a_hole(tmp_path: Path) -> None:
    """The footer is good, so that the damage shows only when the rows are read."""
    path = write(tmp_path, {"a": np.random.default_rng(0).standard_normal(100_000)})
    content = bytearray(path.read_bytes())
    content[1000:200_000] = bytes(199_000)
    path.write_bytes(content)
    source = scan(path)
    with pytest.raises(InvalidData, match=r"t.parquet cannot be read as Parquet"):
        cells(source)


def test_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InvalidData, match=r"columns 1 and 2 of .*t.parquet are both named 'a'"):
        scan(tmp_path / "t.parquet")


MEASURE = """
import resource, sys
from suffice.backend import moments
from suffice.data.scan import scan

class Sum:
    def __init__(self, n): self.n = n
    def __add__(self, other): return Sum(self.n + other.n)

def summarise(chunk):
    moments(chunk.X)
    return Sum(len(chunk))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

source = scan(sys.argv[1])
before = peak()
assert source.reduce(summarise).n == source.n_rows
assert source.reduce(summarise).n == source.n_rows
sys.stdout.write(str(peak() - before))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no resource module")
def test_a_large_file_takes_little_memory(tmp_path: Path) -> None:
    """200 MB of doubles in two row groups: held at once are some pages of each column and a few batches."""
    rng = np.random.default_rng(0)
    n, d = 625_000, 20
    schema = pa.schema([(f"x{j}", pa.float64()) for j in range(d)])
    with pq.ParquetWriter(tmp_path / "t.parquet", schema) as writer:
        for _ in range(2):
            columns = {f"x{j}": rng.standard_normal(n) for j in range(d)}
            writer.write_table(pa.table(columns, schema=schema), row_group_size=n)
    assert (tmp_path / "t.parquet").stat().st_size > 190e6
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "t.parquet")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 170  # MB
