"""Headers that leave names out or repeat them, lines above the header, and columns that only name the rows."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import suffice as sf
from suffice.data import csv
from suffice.data.csv_names import own_names
from suffice.data.row_numbers import is_called_id, number_rows
from suffice.errors import InvalidData


def write(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / name


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (["a", "b"], ("a", "b")),
        (["", "b", " "], ("column_1", "b", "column_3")),
        (["a", "a", "a"], ("a", "a.2", "a.3")),
        (["a", "a", "a.2"], ("a", "a.3", "a.2")),
        (["", "column_1"], ("column_1.2", "column_1")),
    ],
)
def test_every_column_gets_a_name_of_its_own(given, made):
    assert own_names(given) == made


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("# one\n# two\na,b\n1,2\n3,4\n", ("a", "b"), 2),
        ("\n\n# one\n\na,b\n1,2\n", ("a", "b"), 1),
        ("#a,b\n1,2\n", ("a", "b"), 1),  # the header itself
        ("# note\n#a\tb\n1\t2\n", ("a", "b"), 1),
        ("sep=;\r\na;b\r\n1;2\r\n", ("a", "b"), 1),
        ('"long\nname",b\n1,2\n', ("long\nname", "b"), 1),
        ("a,b\n1,2,\n3,4,\n", ("a", "b"), 2),
        ("a\tb\nann\t1\t2\nbob\t3\t4\n", ("a", "b"), 2),
        ("a,b\r1,2\r3,4\r", ("a", "b"), 2),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_header_is_found(tmp_path, text, names, rows, packed):
    raw = text.encode()
    path = write(tmp_path, gzip.compress(raw) if packed else raw, "t.csv.gz" if packed else "t.csv")
    source = sf.scan(path)
    assert source.schema.names == names
    assert sum(map(len, source.chunks())) == rows


def test_threads_skip_the_same_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 256)
    path = write(tmp_path, "# note\n\na,a\n" + "".join(f"{i},{2 * i}\n" for i in range(500)))
    for threads in (1, 4):
        with sf.threads(threads):
            X = np.concatenate([chunk.X for chunk in sf.scan(path).chunks()])
        assert np.array_equal(X, np.stack([np.arange(500), 2 * np.arange(500)], axis=1))


def test_errors_count_rows_from_the_header_on(tmp_path):
    path = write(tmp_path, "# note\n\na,b\n1,2\n3\n")
    with pytest.raises(InvalidData, match="row 2 has 1 cells"):
        sf.describe(path)


@pytest.mark.parametrize(
    ("first", "is_index"),
    [(["0", "1", "2"], True), (["1", "2", "3"], True), (["7", "3", "5"], True), (["ann", "bob", "eve"], True),
     (["1", "1", "2"], False), (["0.5", "1.5", "2.5"], False), (["2020-01-01", "2020-01-02", "2020-01-03"], False)],
)  # fmt: skip
def test_a_first_column_without_a_name_that_names_the_rows_is_not_learned_from(tmp_path, first, is_index):
    path = write(tmp_path, ",x\n" + "".join(f"{one},{i}.5\n" for i, one in enumerate(first)))
    source = sf.scan(path)
    assert source.schema.names == (("x",) if is_index else ("column_1", "x"))
    about = sf.describe(path)
    assert [column.name for column in about.columns] == ["column_1", "x"]
    assert any("names the rows and is not learned from" in note for note in about.notes) == is_index
    if is_index:
        assert sf.scan(path, columns=["column_1", "x"]).schema.names == ("column_1", "x")
        assert sf.scan(path, target="column_1").schema.names == ("x",)


def test_a_named_column_of_row_numbers_is_used_by_scan(tmp_path):
    path = write(tmp_path, "row,x\n0,1.5\n1,2.5\n")
    assert sf.scan(path).schema.names == ("row", "x")


def test_a_column_with_neither_a_name_nor_a_value_is_left_out(tmp_path):
    about = sf.describe(write(tmp_path, "a,b,\n1,2,\n3,4,\n"))
    assert [column.name for column in about.columns] == ["a", "b"]
    assert "'column_3' has neither a name nor a value and is left out" in about.notes
    late = sf.describe(write(tmp_path, "a,b,\n1,2,\n3,4,5\n"))
    assert [column.name for column in late.columns] == ["a", "b", "column_3"]


def test_files_of_one_table_may_have_other_lines_above(tmp_path):
    write(tmp_path, "# one\na,a\n1,2\n", "1.csv")
    write(tmp_path, "a,a\n3,4\n", "2.csv")
    X = np.concatenate([chunk.X for chunk in sf.scan(str(tmp_path / "*.csv")).chunks()])
    assert X.tolist() == [[1, 2], [3, 4]]


def test_a_first_row_of_numbers_of_which_some_come_again_is_no_header(tmp_path):
    with pytest.raises(InvalidData, match=r"holds numbers .*, not column names"):
        sf.scan(write(tmp_path, "0,0,5\n1,2,3\n"))
    assert sf.scan(write(tmp_path, "0,1,5\n1,2,3\n")).schema.names == ("0", "1", "5")


def test_many_names_that_come_again_are_one_note(tmp_path):
    notes = sf.describe(write(tmp_path, "a,a,b,b,c,c,d,d\n1,2,3,4,5,6,7,8\n")).notes
    assert notes == ("4 names come again and are numbered, such as a.2: 'a', 'b', 'c', 'd'",)


@pytest.mark.parametrize("name", ["id", "ID", "customer_id", "OrderID", "row no", "key", "Customer Number", "id_2"])
def test_names_of_ids(name):
    assert is_called_id(name)


@pytest.mark.parametrize("name", ["paid", "grid", "width", "period", "idea", "monkey", "volcano", "x", "year", "video"])
def test_names_of_no_ids(name):
    assert not is_called_id(name)


def test_which_numbers_number_rows():
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(np.arange(100.0))
    assert number_rows("x", shuffled, 100, 0, 99)
    assert not number_rows("x", shuffled * 3, 100, 0, 297)
    assert number_rows("id", shuffled * 3, 100, 0, 297)
    assert not number_rows("id", shuffled + 0.5, 100, 0.5, 99.5)
    assert number_rows("id", np.r_[shuffled[:-1], shuffled[0]], 100, 0, 99)
    assert not number_rows("order no", np.r_[shuffled[:-1], shuffled[0]], 100, 0, 99)
    assert not number_rows("id", shuffled // 2, 100, 0, 49)
    assert not number_rows("id", shuffled[:10], 10, 0, 99)


def test_one_column_that_may_be_several(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x y\n1 2\n3 4\n", encoding="utf-8")
    assert sf.describe(path).notes == ("one column was found; if spaces set cells apart, say delimiter=' '",)
    assert [column.name for column in sf.describe(path, delimiter=" ").columns] == ["x", "y"]
    path.write_bytes(b"a,b\n1,\0002\n")
    with pytest.raises(InvalidData, match="no CSV: it holds NUL bytes"):
        sf.describe(path)
