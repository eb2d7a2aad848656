"""`scan`: files as a source for models, the same as the data in memory, or an error that says what is wrong."""

from __future__ import annotations

import dataclasses
import os
import pickle
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suffice.data import Chunk, Needs
from suffice.data.scan import FileSource, scan
from suffice.errors import InvalidData, MissingExtra, SourceChanged
from suffice.observing import Observer, observe

GAPS = Needs(owner="PCA", missing=True)
CLASSES = Needs(owner="Lda", target="classes")
NUMBERS = Needs(owner="Ols", target="numbers")
CATEGORIES = Needs(owner="Tree", categories=True, missing=True)


@dataclass(frozen=True)
class Sums:
    """A small summary: rows, sums and sums of squares of the cells."""

    n: int
    first: Any
    second: Any

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.n + other.n, self.first + other.first, self.second + other.second)


def summarise(chunk: Chunk) -> Sums:
    return Sums(len(chunk), chunk.X.sum(axis=0), chunk.X.T @ chunk.X)


def with_blocks(source: FileSource, size: int) -> FileSource:
    """The source with other sizes of blocks, in bytes."""
    name = "block_bytes" if hasattr(source.files[0], "block_bytes") else "batch_bytes"
    files = tuple(dataclasses.replace(file, **{name: size, "batches_a_chunk": 1}) for file in source.files)  # type: ignore[type-var]
    return dataclasses.replace(source, files=files)


def cells(source: FileSource) -> Any:
    return source.map(lambda chunk: chunk.X)


def write(path: Path, columns: dict[str, Any]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.fixture(params=["t.csv", "t.parquet"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    columns = {
        "a": [1.0, 2.0, 3.0, 4.0],
        "color": ["red", "blue", "red", "green"],
        "b": [0.5, 0.25, 0.125, 8.0],
        "k": [3, 1, 3, 2],
        "w": [1.0, 0.0, 2.0, 1.0],
    }
    return write(tmp_path / request.param, columns)


# Reading.


def test_target_weight_and_columns(path: Path) -> None:
    source = scan(path, target="k", weight="w", columns=["b", "a"]).suited_to(NUMBERS)
    assert source.schema.names == ("b", "a")
    (chunk,) = source.chunks()
    assert chunk.X.tolist() == [[0.5, 1], [0.25, 2], [0.125, 3], [8, 4]]
    assert chunk.y.tolist() == [3, 1, 3, 2]
    assert chunk.y.dtype == np.float64
    assert chunk.weight.tolist() == [1, 0, 2, 1]


def test_all_other_columns_are_features(path: Path) -> None:
    assert scan(path, target="k", weight="w").schema.names == ("a", "color", "b")


def test_labels_keep_their_type(path: Path) -> None:
    whole = scan(path, target="k", columns=["a"]).suited_to(CLASSES).target()
    assert whole.dtype == np.int64
    text = scan(path, target="color", columns=["a"]).suited_to(CLASSES).target()
    assert text.dtype == object
    assert text.tolist() == ["red", "blue", "red", "green"]


def test_target_of_a_source_that_no_model_has_seen(path: Path) -> None:
    assert scan(path, target="k").target().tolist() == [3, 1, 3, 2]
    assert scan(path, target="color").target().tolist() == ["red", "blue", "red", "green"]
    with pytest.raises(InvalidData, match="name the target column"):
        scan(path).target()


def test_several_targets(path: Path) -> None:
    source = scan(path, target=["k", "b"], columns=["a"]).suited_to(NUMBERS)
    assert source.target().tolist() == [[3, 0.5], [1, 0.25], [3, 0.125], [2, 8]]


def test_categories_are_found_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from suffice.data import file_source

    passes = []
    find = file_source.find_categories
    monkeypatch.setattr(file_source, "find_categories", lambda *args: passes.append(1) or find(*args))
    original = scan(path, columns=["color", "a"])
    for source in (original.suited_to(CATEGORIES), original.suited_to(CATEGORIES, ("a", "color"))):
        column = next(column for column in source.schema.columns if column.name == "color")
        assert column.categories == ("blue", "green", "red")
    assert passes == [1]
    assert cells(original.suited_to(CATEGORIES))[:, 0].tolist() == [2, 0, 2, 1]


def test_columns_of_the_fit_are_picked_by_name(path: Path) -> None:
    source = scan(path).suited_to(GAPS, ("b", "a"))
    assert source.schema.names == ("b", "a")
    assert cells(source)[3].tolist() == [8, 4]
    with pytest.raises(InvalidData, match=r"PCA: there is no column 'bb' in .*t\.(csv|parquet)"):
        scan(path).suited_to(GAPS, ("bb",))


def test_a_source_is_pickled_and_read_again_and_again(path: Path) -> None:
    source = scan(path, columns=["a"], target="color").suited_to(CLASSES)
    copy = pickle.loads(pickle.dumps(source))
    for _ in range(3):
        assert cells(copy).tolist() == cells(source).tolist()
    assert copy == source


def test_a_change_of_folder_does_no_harm(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    source = scan(path.name, columns=["a"])
    assert str(source) == path.name
    monkeypatch.chdir("/")
    assert len(cells(source)) == 4


def test_several_files(tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        for i in (2, 0, 1):
            columns = {"a": [10.0 * i, 10.0 * i + 1], "b": [0.0, 1.0]}
            write(tmp_path / f"p{i}.{ending}", columns if i else dict(reversed(columns.items())))
        source = scan(f"{tmp_path}/p*.{ending}", columns=["a"])
        assert cells(source)[:, 0].tolist() == [0, 1, 10, 11, 20, 21]
        assert [chunk.start for chunk in source.chunks()] == [0, 2, 4]
        listed = scan([tmp_path / f"p2.{ending}", tmp_path / f"p0.{ending}"], columns=["a"])
        assert cells(listed)[:, 0].tolist() == [20, 21, 0, 1]
    assert scan(tmp_path / "p*.parquet").n_rows == 6
    assert str(scan(tmp_path / "p[01].csv")) == f"{tmp_path}/p0.csv, {tmp_path}/p1.csv"


def test_files_in_which_a_column_has_no_values(tmp_path: Path) -> None:
    (tmp_path / "p0.csv").write_text("a,b\n1,\n")
    (tmp_path / "p1.csv").write_text("a,b\n")
    (tmp_path / "p2.csv").write_text("a,b\n2,x\n")
    write(tmp_path / "p0.parquet", {"a": [1.0], "b": pa.nulls(1)})
    write(tmp_path / "p1.parquet", {"a": pa.array([], pa.float64()), "b": pa.array([], pa.string())})
    write(tmp_path / "p2.parquet", {"a": [2.0], "b": ["x"]})
    for ending in ("csv", "parquet"):
        source = scan(tmp_path / f"p*.{ending}").suited_to(CATEGORIES)
        np.testing.assert_equal(cells(source), [[1, np.nan], [2, 0]])


def test_observers_hear_of_the_rows(path: Path) -> None:
    heard = []

    class Listener(Observer):
        def rows_read(self, rows: int, total: int | None) -> None:
            heard.append((rows, total))

    source = scan(path, columns=["a"])
    with observe(Listener()):
        source.reduce(summarise)
    assert heard == [(4, 4 if path.suffix == ".parquet" else None)]


tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), min_size=d, max_size=d),
        min_size=1,
        max_size=40,
    )
)


@settings(max_examples=60, deadline=None)
@given(rows=tables, block=st.integers(1, 2000), ending=st.sampled_from(["csv", "tsv", "parquet"]))
def test_any_table_comes_back_the_same_with_any_blocks(rows: list[list[float]], block: int, ending: str) -> None:
    X = np.array(rows)
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{ending}"
        if ending == "parquet":
            pq.write_table(pa.table(columns), path, row_group_size=1 + block % 7)
        else:
            delimiter = "\t" if ending == "tsv" else ","
            pa.csv.write_csv(pa.table(columns), path, pa.csv.WriteOptions(delimiter=delimiter))
        source = with_blocks(scan(path), block if ending == "parquet" else block + 150)
        np.testing.assert_array_equal(cells(source), X)


@settings(max_examples=40, deadline=None)
@given(
    X=st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=1, max_size=60),
    block=st.integers(1, 300),
    cut=st.integers(0, 60),
)
def test_summaries_do_not_depend_on_the_split(X: list[tuple[int, int]], block: int, cut: int) -> None:
    table = np.array(X, dtype=float)
    expected = summarise(Chunk(table))
    with tempfile.TemporaryDirectory() as folder:
        parts = [part for part in (table[:cut], table[cut:]) if len(part)]
        for ending in ("csv", "parquet"):
            paths = [
                write(Path(folder) / f"{i}.{ending}", {"a": part[:, 0], "b": part[:, 1]})
                for i, part in enumerate(parts)
            ]
            found = with_blocks(scan(paths), block + 20).reduce(summarise)
            assert found.n == expected.n
            np.testing.assert_array_equal(found.first, expected.first)
            np.testing.assert_array_equal(found.second, expected.second)


# Refusals.


def refusal(*args: Any, **options: Any) -> str:
    with pytest.raises(InvalidData) as caught:
        scan(*args, **options)
    return str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "crabs.csv").write_text("a\n1\n")
    assert "there is no file" in (message := refusal(tmp_path / "crab.csv"))
    assert "Did you mean 'crabs.csv'?" in message
    assert "there is no file" in refusal(tmp_path / "nowhere" / "crab.csv")
    assert "is a folder, not a file" in refusal(tmp_path)
    assert "no file matches" in refusal(tmp_path / "*.parquet")
    assert "the list of files is empty" in refusal([])
    (tmp_path / "t.xls").write_text("a\n1\n")
    assert "format of" in (message := refusal(tmp_path / "t.xls"))
    assert ".parquet" in message


def test_files_that_do_not_go_together(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", {"a": [1.0], "b": [2.0]})
    write(tmp_path / "2.csv", {"a": [1.0], "c": [2.0]})
    write(tmp_path / "3.csv", {"a": [1.0], "b": [2.0], "c": [2.0]})
    write(tmp_path / "1.parquet", {"a": [1.0], "b": [2.0]})
    write(tmp_path / "2.parquet", {"a": [1.0], "b": ["x"]})
    assert "2.csv has no column 'b', unlike" in refusal([tmp_path / "1.csv", tmp_path / "2.csv"])
    assert "3.csv has a column 'c' besides, unlike" in refusal([tmp_path / "1.csv", tmp_path / "3.csv"])
    assert "column 'b' is of type double in" in refusal(tmp_path / "*.parquet")
    assert "scan files of one format" in refusal([tmp_path / "1.csv", tmp_path / "1.parquet"])


def test_columns_that_are_not_there(path: Path) -> None:
    for options in ({"target": "colour"}, {"weight": "colour"}, {"columns": ["colour"]}, {"target": ["k", "colour"]}):
        message = refusal(path, **options)
        assert "there is no column 'colour' in" in message
        assert "Did you mean 'color'?" in message
    assert "'a' is target or weight, and in columns too" in refusal(path, target="a", columns=["a", "b"])
    assert "column 'a' stands twice" in refusal(path, columns=["a", "a"])
    assert "column 'a' stands twice" in refusal(path, target="a", weight="a")
    assert "the weight column 'color'" in refusal(path, weight="color")
    assert "no columns left" in refusal(path, target=["a", "color", "b", "k", "w"])


def test_what_a_model_cannot_use_is_refused_before_reading(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidData, match=r"PCA: column 'color' is categorical \(row 1 of .* holds 'red'\)"):
        scan(path).suited_to(GAPS)
    with pytest.raises(InvalidData, match=r"Ols: the target 'color' of .* is categorical"):
        scan(path, target="color").suited_to(NUMBERS)
    with pytest.raises(InvalidData, match="Lda requires y to be passed"):
        scan(path, columns=["a"]).suited_to(CLASSES)


def test_dates_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "t.parquet", {"a": [1.0], "d": pa.array([0], pa.timestamp("us"))})
    for needs in (GAPS, CATEGORIES):
        with pytest.raises(InvalidData, match=r"column 'd' of .*t.parquet holds dates"):
            scan(tmp_path / "t.parquet").suited_to(needs)
    assert "column 'd' of" in refusal(tmp_path / "t.parquet", target="d")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_bad_cells_are_named_by_file_and_row(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"1.{ending}", {"a": [1.0] * 5, "y": [1.0] * 5, "w": [1.0] * 5, "c": ["x"] * 5})
    cases = [
        ({"a": [1.0, None, 1.0]}, GAPS, r"^$"),
        ({"a": [1.0, 1.0, None]}, NUMBERS, r"Ols: column 'a', row 3 of .*2\.\w+ holds NaN"),
        ({"y": [1.0, None, 1.0]}, NUMBERS, r"Ols: the target 'y', row 2 of .*2\.\w+ holds nan"),
        ({"w": [1.0, -1.0, 1.0]}, NUMBERS, r"Ols: the weight column 'w' .*row 2 of .*2\.\w+ has -1.0"),
    ]
    for change, needs, message in cases:
        columns = {"a": [1.0] * 3, "y": [1.0] * 3, "w": [1.0] * 3, "c": ["x"] * 3} | change
        write(tmp_path / f"2.{ending}", columns)
        source = scan(tmp_path / f"*.{ending}", target="y", weight="w", columns=["a"]).suited_to(needs)
        if message == "^$":
            assert len(cells(source)) == 8
        else:
            with pytest.raises(InvalidData, match=message):
                cells(source)
    write(tmp_path / f"2.{ending}", {"a": [1.0], "y": [1.0], "w": [1.0], "c": [None]} if ending == "csv" else columns)
    if ending == "csv":
        source = scan(tmp_path / "*.csv", target="c", columns=["a"]).suited_to(CLASSES)
        with pytest.raises(InvalidData, match=r"Lda: the target 'c', row 1 of .*2\.csv has no label"):
            cells(source)


def test_weights_that_are_all_zero(path: Path) -> None:
    columns = {"a": [1.0, 2.0], "w": [0.0, 0.0]}
    source = scan(write(path, columns), weight="w")
    with pytest.raises(InvalidData, match=r"the weight column 'w' of .* is zero in every row"):
        source.reduce(summarise)


def test_too_many_categories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suffice.data.file_source.MOST_CATEGORIES", 10)
    write(tmp_path / "t.csv", {"id": [f"id{i}" for i in range(11)]})
    with pytest.raises(InvalidData, match=r"Tree: column 'id' of .* more than 10 different"):
        scan(tmp_path / "t.csv").suited_to(CATEGORIES)


def test_without_pyarrow(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'suffice\[files\]'"):
        scan(path)


# Files that change.


@pytest.fixture(params=["t.csv", "t.parquet"])
def long(request: pytest.FixtureRequest, tmp_path: Path) -> FileSource:
    """A source of many chunks."""
    path = write(tmp_path / request.param, {"a": np.arange(20_000.0), "b": np.arange(20_000.0)})
    return with_blocks(scan(path), 1000)


def grow(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"1,2\n")


def replace(path: str) -> None:
    content = Path(path).read_bytes()
    stat = os.stat(path)
    Path(path + "2").write_bytes(content)
    os.utime(path + "2", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    os.replace(path + "2", path)


def touch(path: str) -> None:
    os.utime(path, ns=(0, 0))


CHANGES = {"grown": grow, "replaced": replace, "touched": touch, "deleted": os.remove}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("when", ["before", "during"])
def test_a_file_that_changes_is_an_error(long: FileSource, change: Any, when: str) -> None:
    path, done = long.files[0].stamp.path, []

    def count(chunk: Chunk) -> Sums:
        if not done:
            done.append(change(path))
        return summarise(chunk)

    if when == "before":
        done.append(change(path))
    with pytest.raises(SourceChanged, match=r"t\.(csv|parquet) (changed since it was scanned|vanished)"):
        long.reduce(count)


def test_a_file_that_changes_at_the_very_end_is_an_error(long: FileSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look comes after the last batch."""
    file_type = type(long.files[0])
    read = file_type.batches

    def batches(self: Any, columns: Any) -> Iterator[Any]:
        yield from read(self, columns)
        touch(self.stamp.path)

    monkeypatch.setattr(file_type, "batches", batches)
    with pytest.raises(SourceChanged):
        long.reduce(summarise)


def test_a_file_cut_short_while_it_is_read(long: FileSource) -> None:
    """Whatever Arrow says about the missing bytes, the answer is that the file changed."""
    path = long.files[0].stamp.path

    def cut(chunk: Chunk) -> Sums:
        os.truncate(path, 2000)
        return summarise(chunk)

    with pytest.raises(SourceChanged):
        long.reduce(cut)


def test_an_error_in_the_model_leaves_no_thread(long: FileSource) -> None:
    def fail(chunk: Chunk) -> Sums:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        long.reduce(fail)
    for thread in threading.enumerate():
        if thread.name == "suffice-read-ahead":
            thread.join(5)
            assert not thread.is_alive()


def test_a_folder_that_is_closed_or_gone(monkeypatch):
    """The hint of what else there is, and the folder that is named, may not be had: the sentence is the same."""

    def closed(*arguments):
        raise PermissionError("closed")

    for name in ("listdir", "getcwd"):
        monkeypatch.setattr(f"suffice.data.files.os.{name}", closed)
    with pytest.raises(InvalidData, match=r"there is no file 'nowhere\.csv'\. The folder now is one that is not there"):
        scan("nowhere.csv")
    with pytest.raises(InvalidData, match="no file matches"):
        scan("nowhere*.csv")
