"""Numbers and dates as people write them: recognised where a column agrees, and refused where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data import csv
from suffice.data.recognise import date_readings, number_readings, strays
from suffice.data.table import as_table
from suffice.data.written import DATES, MARKS, UNITS, WrittenNumber, written_like
from suffice.errors import InvalidData


def write(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def columns(path: Path, **options: Any) -> dict[str, list[Any]]:
    """All cells by column."""
    table = as_table(path, **options)
    batches = [chunk.X for chunk in table.chunks()]
    return {name: [v for b in batches for v in b.column(name).to_pylist()] for name in table.schema.names}


@pytest.mark.parametrize(
    ("example", "cells", "numbers"),
    [
        ("1,234.5", ["1,234", "-5", "1,234,567.25", ".5"], [1234, -5, 1234567.25, 0.5]),
        ("1234,5", ["1,5", "\u22122,25", "7"], [1.5, -2.25, 7]),
        ("1.234,5", ["1.234,5", "3", "12.345.678"], [1234.5, 3, 12345678]),
        ("1 234,5", ["1 234,5", "1\u202f000", "1\u00a0000"], [1234.5, 1000, 1000]),
        ("1'234.5", ["1'234.50", "9"], [1234.5, 9]),
        ("$1,234.5", ["$1,234", "-$5", "$-5", "($1,000.50)", " $ 7 "], [1234, -5, -5, -1000.5, 7]),
        ("12 %", ["12 %", "3%", "3.5 %"], [12, 3, 3.5]),
        ("1234,5 €", ["7,5 €", "8€"], [7.5, 8]),
    ],
)
def test_numbers_by_an_example(example, cells, numbers):
    way = written_like(example)
    assert way.read(pa.array([*cells, None])).to_pylist() == [*numbers, None]
    assert written_like(str(way)) == way


@pytest.mark.parametrize(
    ("example", "cell"),
    [("1,234.5", "1,23"), ("1,234.5", "0,123"), ("1234,5", "1.5"), ("$1,234.5", "12"), ("12 %", "12"), ("12 %", "%"),
     ("$1,234.5", "-$-5"), ("1,234.5", ""), ("1,234.5", "1,234 m"), ("1 234,5", "12 34")],
)  # fmt: skip
def test_what_is_written_otherwise_is_no_such_number(example, cell):
    assert written_like(example).read(pa.array([cell])).to_pylist() == [None]


@pytest.mark.parametrize(("decimal", "thousands"), MARKS)
@pytest.mark.parametrize("unit", ["", *UNITS])
def test_every_way_comes_back_from_its_example(decimal, thousands, unit):
    way = WrittenNumber(decimal, thousands, suffix=unit)
    assert written_like(str(way)) == (None if (decimal, thousands, unit) == (".", "", "") else way)


@pytest.mark.parametrize("text", ["", "S", "1234", "12", "1,2,3", "1,2", "numeric", "yyyy", "1,234 Jan", "12th"])
def test_no_examples(text):
    assert written_like(text) is None


@pytest.mark.parametrize(
    ("cells", "kind", "first"),
    [
        ([f"{2000 + i // 12}-{i % 12 + 1:02}" for i in range(40)], "date", "2000-01-01"),
        ([f"{i % 12 + 1}/{2000 + i // 12}" for i in range(40)], "date", "2000-01-01"),
        ([f"{2001 + i}-{2 + i:02}" for i in range(10)], "categorical", None),  # seasons
        ([f"202401{i + 1:02}" for i in range(30)], "date", "2024-01-01"),
        ([f"202401{i + 1:02}" for i in range(40)], "numeric", None),  # there is no 32 January
        ([f"202401{i + 1:02}" for i in range(5)], "numeric", None),
    ],
)
def test_months_and_days_without_marks(tmp_path, cells, kind, first):
    about = sf.describe(write(tmp_path, "\n".join(["when,x", *(f"{cell},1.5" for cell in cells)])))["when"]
    assert about.kind == kind
    assert first is None or about.earliest == first


def test_whole_numbers_stay_numbers_where_that_is_said(tmp_path):
    text = "\n".join(["when,x", *(f"202401{i + 1:02},1.5" for i in range(30))])
    assert sf.describe(write(tmp_path, text), types={"when": "numeric"})["when"].kind == "numeric"


@pytest.mark.parametrize("date", DATES, ids=str)
def test_every_date_comes_back(date):
    import datetime

    moment = datetime.datetime(2021, 1, 31, 15, 4, 5 if "SS" in date.example else 0)
    moment = moment if ":" in date.example else datetime.datetime(2021, 1, 31 if "dd" in date.example else 1)
    assert date.read(pa.array([moment.strftime(date.format)])).to_pylist() == [moment]
    assert written_like(str(date)) == date


def test_there_is_no_31_february():
    assert written_like("dd/mm/yyyy").read(pa.array(["31/02/2020", "29/02/2020"])).null_count == 1


@pytest.mark.parametrize(
    ("cells", "ways"),
    [(["1,234", "9"], ["1,234.5", "1234,5"]), (["1,5", "2"], ["1234,5"]), (["1.234.567"], ["1.234,5"]), (["a"], []),
     (["1 234"], ["1 234.5", "1 234,5"]), (["192.168.0.1"], []), (["12 %"], ["12 %"]), (["12 %", "12"], []),
     (["$5", "€5"], []), (["3 kg", "4.5 kg"], ["12 kg"]), (["3 kg", "4 m"], []), (["3rd"], []), (["12 Jan"], []),
     (["Room 12"], []), (["1,5 m²"], ["1234,5 m²"]), (["2020-01"], []), (["1,23,456"], [])],
)  # fmt: skip
def test_ways_to_read_numbers(cells, ways):
    assert [str(way) for way in number_readings(pa.array(cells))] == ways


@pytest.mark.parametrize(
    ("cells", "ways"),
    [(["01/02/2020"], ["dd/mm/yyyy", "mm/dd/yyyy"]), (["01/02/2020", "13/02/2020"], ["dd/mm/yyyy"]),
     (["13/02/2020", "02/13/2020"], []), (["01.02.2020"], ["dd.mm.yyyy"]), (["3-Jan-2020"], ["dd-mon-yyyy"]),
     (["1/31/2020 3:05 PM"], ["mm/dd/yyyy hh:MM PM"]), (["1/2/3"], [])],
)  # fmt: skip
def test_ways_to_read_dates(cells, ways):
    assert [str(way) for way in date_readings(pa.array(cells))] == ways


def test_columns_that_agree_are_numbers_and_dates_and_that_is_said(tmp_path):
    path = write(tmp_path, 'm,s,d\n"$1,234",5 %,31/12/2020\n$7,6 %,01/01/2021\n')
    about = sf.describe(path)
    assert [column.kind for column in about.columns] == ["numeric", "numeric", "date"]
    assert about["m"].maximum == 1234
    assert about["d"].earliest == "2020-12-31"
    assert about.notes == (
        "read as numbers written like $1,234.5: 'm'",
        "read as numbers written like 12 %: 's'",
        "read as dates written like dd/mm/yyyy: 'd'",
    )


def test_plain_tables_have_no_notes():
    assert sf.describe("iris").notes == ()


@pytest.mark.parametrize(
    ("text", "options", "x"),
    [
        ("x;y\n1,5;a\n2,5;b\n", {}, [1.5, 2.5]),
        ('x\n"1,234"\n"5,678"\n', {}, [1234, 5678]),  # commas between cells: a comma within is for thousands
        ("x;y\n1,234;0,5\n5,678;1,5\n", {}, [1.234, 5.678]),  # y says what commas are
        ("x;y\n1,234;0.5\n5,678;1.5\n", {}, [1234, 5678]),
        ("x;y\n1.234;0,5\n5.678;1,5\n", {}, [1234, 5678]),
        ("x;y\n1,234;a\n5,678;b\n", {"decimal": ","}, [1.234, 5.678]),
        ("x;y\n1,234;a\n5,678;b\n", {"thousands": ","}, [1234, 5678]),
        ("x;y\n1,234;a\n5,678;b\n", {"types": {"x": "1234,5"}}, [1.234, 5.678]),
        ("x;y\n1.234;a\n5.678;b\n", {"decimal": ","}, [1234, 5678]),
        ("x;y\n1.234;a\n5.678;b\n", {}, [1.234, 5.678]),
        ("x;y\n1 234;a\n5 678;b\n", {}, [1234, 5678]),
        ("x;y\n1,5;2.5\n2,5;3.5\n", {}, [1.5, 2.5]),  # both marks in one file: each column by itself
    ],
)
def test_what_marks_mean(tmp_path, text, options, x):
    assert columns(write(tmp_path, text), **options)["x"] == x


def test_marks_that_can_be_read_in_two_ways_are_left_and_told(tmp_path):
    about = sf.describe(write(tmp_path, "x;d\n1,234;01/02/2020\n5,678;03/04/2020\n"))
    assert [column.kind for column in about.columns] == ["categorical", "categorical"]
    assert about.warnings[0] == (
        "column 'x' looks like numbers such as '1,234', which can be read in two ways; say types={'x': '1,234.5'} or "
        "types={'x': '1234,5'}"
    )
    assert "say types={'d': 'dd/mm/yyyy'} or types={'d': 'mm/dd/yyyy'}" in about.warnings[1]


def test_days_of_one_column_say_what_those_of_another_are(tmp_path):
    path = write(tmp_path, "a,b\n01/02/2020,31/01/2020\n03/04/2020,01/02/2020\n")
    assert [d.month for d in columns(path)["a"]] == [2, 4]
    assert [d.month for d in columns(path, types={"a": "mm/dd/yyyy"})["a"]] == [1, 3]


def test_strange_cells_among_numbers_are_told_and_can_be_missing(tmp_path):
    path = write(tmp_path, "x\n" + "".join(f"{i}.5\n" for i in range(30)) + "unknown\n")
    about = sf.describe(path)
    assert about["x"].kind == "categorical"
    assert "looks like numbers with 1 other cell among them ('unknown')" in about.warnings[0]
    mended = sf.describe(path, missing=["unknown"])
    assert (mended["x"].kind, mended["x"].missing, mended.warnings) == ("numeric", 1, ())


@pytest.mark.parametrize("cells", [["a", "b"] * 20, ["1", "2", "x"] * 10, ["1"] * 5 + ["x"], ["10.0.0.1"] * 30])
def test_other_texts_are_not_called_numbers(cells):
    assert strays("x", pa.array(cells)) == []


def test_numbers_that_are_not_all_written_alike_are_told():
    (said,) = strays("x", pa.array(["12", "12 %"] * 10))
    assert said == "column 'x' looks like numbers that are not all written alike ('12', '12 %')"


@pytest.mark.parametrize(
    ("rows", "late", "place"),
    [("$1,234.5", "1234", "written like the rows before it, $1,234.5"), ("5 %", "x", "like the rows before it, 12 %"),
     ("31/12/2020", "12/31/2020", "dd/mm/yyyy"), ("1,5", "1.5", "not a number")],
)  # fmt: skip
@pytest.mark.parametrize("threads", [1, 3])
def test_a_later_cell_that_is_written_otherwise_is_refused_with_its_place(
    tmp_path, monkeypatch, rows, late, place, threads
):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 512)
    path = write(tmp_path, "x;y\n" + f"{rows};1\n" * 400 + f"{late};1\n" + f"{rows};1\n" * 400)
    with sf.threads(threads), pytest.raises(InvalidData, match="column 'x', row 401 holds") as caught:
        sf.describe(path)
    assert place in str(caught.value)
    assert "missing=[" in str(caught.value)
    assert "types={'x': 'categorical'}" in str(caught.value)


def test_models_learn_from_them_as_from_plain_numbers(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(5000, 900, (60, 2)).round(2)
    plain = write(tmp_path, "a,b\n" + "".join(f"{a},{b}\n" for a, b in X), "plain.csv")
    odd = write(tmp_path, "a,b\n" + "".join(f'"${a:,.2f}","{b:,.2f}"\n' for a, b in X), "odd.csv")
    assert np.array_equal(sf.PCA().fit(sf.scan(odd)).components_, sf.PCA().fit(sf.scan(plain)).components_)


def test_numbers_of_base_sixteen_are_categories(tmp_path):
    path = write(tmp_path, "key,x\n0xdeadbeef,1\n0x1f,2\n")
    assert sf.describe(path)["key"].kind == "categorical"


def test_dates_that_are_not_all_written_alike_are_told(tmp_path):
    mixed = write(tmp_path, "d\n" + "2020-01-31\n31/01/2020\n" * 6)
    assert sf.describe(mixed).warnings[0] == (
        "column 'd' looks like dates that are not all written alike ('2020-01-31', '31/01/2020')"
    )
    stray = write(tmp_path, "d\n" + "31/01/2020\n" * 20 + "soon\n")
    assert "looks like dates with 1 other cell among them ('soon')" in sf.describe(stray).warnings[0]
    assert sf.describe(stray, missing=["soon"])["d"].kind == "date"


def test_codes_with_leading_zeros_are_categories(tmp_path):
    about = sf.describe(write(tmp_path, "zip,month\n01067,01\n10115,12\n"))
    assert [column.kind for column in about.columns] == ["categorical", "numeric"]
    assert about.notes == ("taken as categories, since numbers that begin with 0 are codes: 'zip'",)
    assert sf.describe(tmp_path / "t.csv", types={"zip": "numeric"})["zip"].minimum == 1067


@pytest.mark.parametrize(
    "options", [{"decimal": ",", "thousands": ","}, {"thousands": "ab"}, {"delimiter": ",", "decimal": ","}]
)
def test_marks_that_cannot_be(tmp_path, options):
    with pytest.raises(InvalidData, match=r"must differ|one ASCII character"):
        sf.scan(write(tmp_path, "x\n1\n"), **options)


def test_a_kind_that_is_declared_is_read_as_it_is_written(tmp_path):
    path = write(tmp_path, 'x,d\n"$1,000",31/01/2020\n$5,01/02/2020\n')
    found = columns(path, types={"x": "numeric", "d": "date"})
    assert found["x"] == [1000, 5]
    assert [d.month for d in found["d"]] == [1, 2]
