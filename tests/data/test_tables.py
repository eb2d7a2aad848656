"""Any table as Arrow batches, for `describe`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data import datasets
from suffice.data.scan import scan
from suffice.data.table import Table, as_table
from suffice.errors import InvalidData

COLUMNS = {"a": [1.0, 2.5, None], "b": ["x", None, "y"], "c": [True, False, True]}
KINDS = ["numeric", "categorical", "boolean"]


def rows(table: Table) -> list[dict[str, Any]]:
    return [row for chunk in table.chunks() for row in chunk.X.to_pylist()]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, pa.record_batch])
def test_frames(make: Any) -> None:
    table = as_table(make(COLUMNS))
    assert table.schema.names == ("a", "b", "c")
    assert [column.kind for column in table.schema.columns] == KINDS
    assert table.n_rows == 3
    expected = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
    assert rows(table) == expected
    assert rows(table) == expected  # as often as wanted
    assert str(table) == "the frame"


def test_a_file_and_its_scan(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("b,y,a,w\nx,1,2024-01-01,1\n,2,,2\n")
    table = as_table(str(path))
    assert [column.kind for column in table.schema.columns] == ["categorical", "numeric", "date", "numeric"]
    assert table.n_rows is None
    assert str(table) == str(path)
    assert len(rows(table)) == 2
    assert as_table(path).schema == table.schema
    assert as_table([path, path]).schema == table.schema
    assert as_table(scan(path, target="y", weight="w")).schema == table.schema
    assert as_table(scan(path, columns=["y", "b"])).schema.names == ("y", "b")
    assert as_table(path, columns=["y"]).schema.names == ("y",)


def test_bundled_tables() -> None:
    for table in (as_table("crabs"), as_table(datasets.load("crabs"))):
        assert str(table) == "crabs"
        assert table.n_rows == 200
        assert table.schema.names[:3] == ("sp", "sex", "index")
        assert len(rows(table)) == 200


def test_a_file_goes_before_a_bundled_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris").write_text("a\n1\n")
    with pytest.raises(InvalidData, match="format of iris is not known"):
        as_table("iris")


def test_arrays() -> None:
    table = as_table(np.arange(6).reshape(3, 2))
    assert not table.schema.named
    assert table.schema.names == ("x0", "x1")
    assert rows(table)[2] == {"x0": 4, "x1": 5}
    mixed = as_table(np.array([["a", 1], ["b", None]], dtype=object))
    assert [column.kind for column in mixed.schema.columns] == ["categorical", "numeric"]


def test_large_tables_come_in_pieces() -> None:
    chunks = list(as_table(np.zeros((1_000_000, 2))).chunks())
    assert [chunk.start for chunk in chunks] == [0, 1 << 18, 2 << 18, 3 << 18]
    assert sum(map(len, chunks)) == 1_000_000


def test_what_is_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales.csv").write_text("a\n1\n")
    cases: list[tuple[Any, str]] = [
        ("irs", "no file and no bundled table 'irs'. Did you mean 'iris'? Bundled tables: crabs"),
        ("sales", "no file and no bundled table 'sales'. Did you mean 'sales.csv'?"),
        ("sale.csv", "there is no file 'sale.csv'. Did you mean 'sales.csv'?"),
        (3, "got int"),
        ([1, 2], "got an array of shape (2,)"),
        (np.zeros(3), "got an array of shape (3,)"),
        (pl.LazyFrame({"a": [1]}), "call collect()"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "cannot be used"),
        (np.array([[1], ["x"]], dtype=object), "column 'x0' of the array are not of one type"),
    ]
    for data, message in cases:
        with pytest.raises(InvalidData) as caught:
            as_table(data)
        assert message in str(caught.value)
    with pytest.raises(InvalidData, match="delimiter: these options say how a file is read"):
        as_table(np.eye(2), delimiter=";")


def test_columns_of_objects_are_described_as_text():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2.0, 3.0],
            "lists": [[1], [2, 3], None],
            "arrays": [np.arange(2)] * 3,
            "mixed": [1, "a", 2.5],
            "complex": [1j, 2j, 3j],
            "took": pd.to_timedelta([12, 24, None], "h"),
        }
    )
    about = sf.describe(frame)
    kinds = ["numeric", "categorical", "categorical", "categorical", "categorical", "numeric"]
    assert [column.kind for column in about.columns] == kinds
    assert (about["took"].maximum, about["took"].missing, about["lists"].missing) == (1.0, 1, 1)
    assert about.notes == (
        "'lists' holds cells of the type list: it is described as text and not learned from",
        "'arrays' holds cells of the type ndarray: it is described as text and not learned from",
        "'mixed' holds cells of the types float, int, str: it is described as text and not learned from",
        "'complex' holds cells of the type complex: it is described as text and not learned from",
        "'took' holds durations, in days",
    )


def test_text_that_looks_like_numbers_is_told_and_read_by_an_example():
    frame = pd.DataFrame({"price": ["$1,234", "$2,000"], "code": ["12", "7"], "name": ["ann", "bob"]})
    about = sf.describe(frame)
    assert about.warnings[:2] == (
        "column 'price' looks like numbers that are text; say types={'price': '$1,234.5'}",
        "column 'code' looks like numbers that are text; say types={'code': 'numeric'}",
    )
    mended = sf.describe(frame, types={"price": "$1,234.5", "code": "numeric"})
    assert (mended["price"].maximum, mended["code"].maximum, mended.warnings) == (2000, 12, ())
    with pytest.raises(InvalidData, match=r"holds '\$1,234', which is not written like 12 %"):
        sf.describe(frame, types={"price": "12 %"})
