"""`scan`: files as a source for models, the same as the data in memory."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanned_files import CATEGORIES, CLASSES, GAPS, NUMBERS, cells, summarise, with_blocks, write
from suffice.data import Chunk, Needs
from suffice.data.scan import scan
from suffice.errors import InvalidData, InvalidParameter
from suffice.observing import Observer, observe


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


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("values", [[1.0, None, 3.0, None, 5.0], ["a", None, "c", None, "e"]])
def test_rows_without_a_target(tmp_path: Path, ending: str, values: list[object]) -> None:
    columns = {"x": [1.0, 2.0, 3.0, np.nan, 5.0], "y": values, "w": [1.0, 1.0, 2.0, 1.0, 3.0]}
    file = write(tmp_path / f"t.{ending}", columns)
    needs = Needs(owner="Ols", target="numbers" if isinstance(values[0], float) else "classes")
    refused = scan(file, target="y", weight="w").suited_to(needs.but(missing=True))
    with pytest.raises(InvalidData, match=r"row 2 of .*leave all such rows out: scan\(…, without_target='leave_out'\)"):
        list(refused.chunks())
    source = scan([file, file], target="y", weight="w", without_target="leave_out")
    assert source.count_without_target() == 4
    for known in (source.suited_to(needs), with_blocks(source, 64).suited_to(needs)):
        chunk = known.gather()
        assert chunk.X.ravel().tolist() == [1.0, 3.0, 5.0] * 2
        assert chunk.weight.tolist() == [1.0, 2.0, 3.0] * 2
        assert chunk.y.tolist() == [values[0], values[2], values[4]] * 2
        assert np.array_equal(known.target(), chunk.y)
    numbers = [n for one in source.suited_to(needs).chunks() for n in one.number(np.arange(len(one))).tolist()]
    assert numbers == [0, 2, 4, 5, 7, 9]
    assert len(source.suited_to(Needs(missing=True)).gather()) == 10  # a model without a target takes all rows
    with pytest.raises(InvalidParameter, match="without_target must be one of refuse, leave_out; got 'drop'"):
        scan(file, without_target="drop")  # type: ignore[arg-type]


def test_messages_name_rows_by_their_place_in_the_file(tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", {"x": [1.0, 2.0, np.nan], "y": [1.0, np.nan, 3.0], "w": [1.0, 1.0, 1.0]})
    source = scan(file, target="y", without_target="leave_out")
    with pytest.raises(InvalidData, match="row 3 of"):
        list(source.suited_to(Needs(owner="Ols", target="numbers")).chunks())
    bad = write(tmp_path / "w.csv", {"x": [1.0, 2.0, 3.0], "y": [1.0, np.nan, 3.0], "w": [1.0, 1.0, -1.0]})
    weighted = scan(bad, target="y", weight="w", without_target="leave_out")
    with pytest.raises(InvalidData, match="row 3 of"):
        list(weighted.suited_to(Needs(owner="Ols", target="numbers")).chunks())


def test_categories_are_found_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from suffice.data import file_categories

    passes = []
    find = file_categories.find_categories
    monkeypatch.setattr(file_categories, "find_categories", lambda *args: passes.append(1) or find(*args))
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
