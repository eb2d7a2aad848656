"""What `scan` refuses, in one sentence that names the place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

from scanned_files import CATEGORIES, CLASSES, GAPS, NUMBERS, cells, summarise, write
from suffice.data.scan import scan
from suffice.errors import InvalidData, MissingExtra


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
    monkeypatch.setattr("suffice.data.file_categories.MOST_CATEGORIES", 10)
    write(tmp_path / "t.csv", {"id": [f"id{i}" for i in range(11)]})
    with pytest.raises(InvalidData, match=r"Tree: column 'id' of .* more than 10 different"):
        scan(tmp_path / "t.csv").suited_to(CATEGORIES)


def test_without_pyarrow(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'suffice\[files\]'"):
        scan(path)
