"""CSV files as people write them: dialects, missing values, types, and what cannot be read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suffice.data import Needs, csv
from suffice.data.scan import scan
from suffice.errors import InvalidData

NAN = float("nan")
ANY = Needs(owner="PCA", missing=True, categories=True)


def write(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def cells(path: Path, **options: Any) -> list[list[float]]:
    source = scan(path, **options).suited_to(ANY)
    return source.map(lambda chunk: chunk.X).tolist()


def refusal(path: Path, **options: Any) -> str:
    """The message of the error, whether scanning or reading raises it."""
    with pytest.raises(InvalidData) as caught:
        scan(path, **options).suited_to(ANY).map(lambda chunk: chunk.X)
    return str(caught.value)


DIALECTS = {
    "comma": "a,b\n1,2.5\n3,4\n",
    "semicolon": "a;b\n1;2.5\n3;4\n",
    "tab": "a\tb\n1\t2.5\n3\t4\n",
    "bar": "a|b\n1|2.5\n3|4\n",
    "crlf": "a,b\r\n1,2.5\r\n3,4\r\n",
    "old mac": "a,b\r1,2.5\r3,4\r",
    "bom": "\ufeffa,b\n1,2.5\n3,4\n",
    "quoted": '"a","b"\n"1","2.5"\n"3","4"\n',
    "no newline at the end": "a,b\n1,2.5\n3,4",
    "blank lines": "\na,b\n\n1,2.5\n\n3,4\n\n",
    "spaces": "a,b\n 1 , 2.5\n3 ,4\n",
}


@pytest.mark.parametrize("content", DIALECTS.values(), ids=DIALECTS.keys())
def test_dialects(tmp_path: Path, content: str) -> None:
    path = write(tmp_path, content)
    assert scan(path).schema.names == ("a", "b")
    assert cells(path) == [[1, 2.5], [3, 4]]


@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "CSV"])
def test_endings(tmp_path: Path, ending: str) -> None:
    assert cells(write(tmp_path, "a\tb\n1\t2\n", f"t.{ending}")) == [[1, 2]]


def test_packed(tmp_path: Path) -> None:
    assert cells(write(tmp_path, gzip.compress(b"a,b\n1,2\n"), "t.csv.gz")) == [[1, 2]]


def test_decimal_comma(tmp_path: Path) -> None:
    path = write(tmp_path, "a;b\n1,5;2\n-0,25;NA\n")
    np.testing.assert_equal(cells(path, decimal=","), [[1.5, 2], [-0.25, NAN]])


def test_the_delimiter_is_not_looked_for_in_quotes(tmp_path: Path) -> None:
    path = write(tmp_path, '"a;b;c",d\n"x;y;z",1\n"p;q;r",2\n')
    assert scan(path).schema.names == ("a;b;c", "d")


def test_quotes_hold_delimiters_quotes_and_newlines(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b\n1,"x, ""y""\nz"\n2,plain\n')
    source = scan(path, target="b").suited_to(Needs(target="classes"))
    assert source.target().tolist() == ['x, "y"\nz', "plain"]


@pytest.mark.parametrize("spelling", ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "-", "?", " NA", "NA "])
def test_missing_values(tmp_path: Path, spelling: str) -> None:
    path = write(tmp_path, f"a,b,c\n1,2,x\n{spelling},3,{spelling}\n")
    np.testing.assert_equal(cells(path), [[1, 2, 0], [NAN, 3, NAN]])


def test_own_spelling_of_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,2\n-999,3\n")
    np.testing.assert_equal(cells(path, missing=["-999"]), [[1, 2], [NAN, 3]])


def test_other_encodings(tmp_path: Path) -> None:
    for encoding in ("latin-1", "cp1252", "utf-16", "UTF8"):
        path = write(tmp_path, "größe,b\n1,é\n".encode(encoding))
        source = scan(path, encoding=encoding, target="b").suited_to(Needs(target="classes"))
        assert source.schema.names == ("größe",)
        assert source.target().tolist() == ["é"]


def test_kinds(tmp_path: Path) -> None:
    content = "i,f,b,t,d,m,c,e\n1,1.5,true,x,2024-02-29,2024-02-29 10:00:00,10:30:00,\n2,2,false,y,,,,\n"
    kinds = [column.kind for column in scan(write(tmp_path, content)).schema.columns]
    text = "categorical"
    assert kinds == ["numeric", "numeric", "boolean", text, "date", "date", text, "numeric"]


def test_types_are_those_that_the_user_says(tmp_path: Path) -> None:
    path = write(tmp_path, "zip,x\n01234,1\n98765,2\n")
    source = scan(path, types={"zip": "categorical"}).suited_to(ANY)
    assert source.schema.columns[0].categories == ("01234", "98765")


def test_numbers_after_integers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "BLOCK_BYTES", 32)
    path = write(tmp_path, "a,b\n" + "1,2\n" * 20 + "1.5,2\n")
    assert cells(path)[-1] == [1.5, 2]


def test_text_after_numbers_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "BLOCK_BYTES", 32)
    path = write(tmp_path, "a,b\n" + "1,2\n" * 20 + "1,none\n", "late.csv")
    message = refusal(path)
    for part in ("late.csv", "column 'b'", "row 21", "'none'", "missing=['none'", "types={'b': 'categorical'}"):
        assert part in message
    assert np.isnan(cells(path, missing=["none"])[-1][1])
    assert cells(path, types={"b": "categorical"})[-1] == [1, 1]


def test_a_column_without_values_in_the_first_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv, "BLOCK_BYTES", 32)
    path = write(tmp_path, "a,b,c,d\n" + "1,,NA,\n" * 20 + '1,2.5,"x,\ny",\n')
    source = scan(path).suited_to(ANY)
    assert [column.kind for column in source.schema.columns] == ["numeric", "numeric", "categorical", "numeric"]
    assert source.schema.columns[2].categories == ("x,\ny",)
    np.testing.assert_equal(cells(path)[-1], [1, 2.5, 0, NAN])


def test_mixed_cells_in_the_first_block_are_text_and_models_say_where(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,2\n3,oops\n")
    with pytest.raises(
        InvalidData, match=r"column 'b' is categorical \(row 2 of .*t.csv holds 'oops'\).*missing=\['oops'"
    ):
        scan(path).suited_to(Needs(owner="PCA"))


def test_empty_files(tmp_path: Path) -> None:
    assert "is empty (0 bytes)" in refusal(write(tmp_path, ""))
    assert "is empty" in refusal(write(tmp_path, "\n \n"))
    assert "has a header but no rows" in refusal(write(tmp_path, "a,b\n"))
    assert "has a header but no rows" in refusal(write(tmp_path, "a,b"))


def test_ragged_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "row 2 has 1 cells, but the header has 2" in refusal(write(tmp_path, "a,b\n1,2\n3\n4,5\n"))
    assert "row 2 has 3 cells, but the header has 2" in refusal(write(tmp_path, "a,b\n1,2\n3,4,5\n4,5\n"))
    monkeypatch.setattr(csv, "BLOCK_BYTES", 32)
    path = write(tmp_path, "a,b\n" + "1,2\n" * 50 + "3\n")
    source = scan(path)
    with pytest.raises(InvalidData, match="row 51 has 1 cells, but the header has 2"):
        source.map(lambda chunk: chunk.X)


def test_wrong_encoding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = "is not written in utf-8 (line 3 holds the byte 0xe9); try encoding='cp1252'"
    assert message in refusal(write(tmp_path, "a,b\n1,x\n2,é\n".encode("latin-1")))
    assert "line 1 holds the byte 0xe9" in refusal(write(tmp_path, "é,b\n1,x\n".encode("latin-1")))
    assert "try encoding='utf-16'" in refusal(write(tmp_path, "a,b\n1,x\n".encode("utf-16")))
    assert "is not written in ascii" in refusal(write(tmp_path, "a,b\n1,é\n"), encoding="ascii")
    assert "encoding 'utf-88' is not known" in refusal(write(tmp_path, "a,b\n1,2\n"), encoding="utf-88")
    # far behind the head of the file
    monkeypatch.setattr("suffice.data.csv_head.HEAD_BYTES", 64)
    monkeypatch.setattr(csv, "BLOCK_BYTES", 64)
    far = write(tmp_path, b"a,b\n" + b"1,x\n" * 100 + "2,é\n".encode("latin-1"))
    assert "line 102 holds the byte 0xe9" in refusal(far)


def test_column_names(tmp_path: Path) -> None:
    assert scan(write(tmp_path, "a,b,a\n1,2,3\n")).schema.names == ("a", "b", "a.2")
    assert scan(write(tmp_path, "a,,b\n1,2,3\n")).schema.names == ("a", "column_2", "b")
    assert "holds numbers (5.1, 3.5), not column names" in refusal(write(tmp_path, "5.1,3.5\n4.9,3.0\n"))
    assert cells(write(tmp_path, "0,1\n4.9,3.0\n")) == [[4.9, 3.0]]


def test_quotes_that_are_never_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swallowed = 'a,b\n1,x\n2,"y\n3,z\n4,w\n'
    assert "never closed" in refusal(write(tmp_path, swallowed))
    assert "never closed" in refusal(write(tmp_path, swallowed.rstrip()))
    assert "never closed" in refusal(write(tmp_path, swallowed), columns=["a"])
    assert "never closed" in refusal(write(tmp_path, gzip.compress(swallowed.encode()), "t.csv.gz"))
    monkeypatch.setattr(csv, "BLOCK_BYTES", 64)
    assert "never closed" in refusal(write(tmp_path, 'a,b\n1,x\n2,"y\n' + "3,z\n" * 100))


def test_a_last_cell_of_two_lines_is_fine(tmp_path: Path) -> None:
    path = write(tmp_path, 'a,b\n1,"x\ny\n"\n')
    assert scan(path, target="b").suited_to(Needs(target="classes")).target().tolist() == ["x\ny\n"]


def test_damaged_packing(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(300_000)))
    assert "cannot be unpacked" in refusal(write(tmp_path, packed[: len(packed) // 2], "t.csv.gz"))
    assert "cannot be unpacked" in refusal(write(tmp_path, packed[:100], "t.csv.gz"))
    assert "cannot be unpacked" in refusal(write(tmp_path, "a,b\n1,2\n", "t.csv.gz"))


def test_options_that_make_no_sense(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,2\n")
    assert "delimiter must be one ASCII character" in refusal(path, delimiter=";;")
    assert "delimiter and decimal are both ','" in refusal(path, delimiter=",", decimal=",")
    assert "types names 'c', which is no column" in refusal(path, types={"c": "numeric"})
    assert "known kinds: numeric" in refusal(path, types={"a": "number"})


def test_dates_are_refused_by_models(tmp_path: Path) -> None:
    assert "column 'd' of" in (message := refusal(write(tmp_path, "a,d\n1,2024-01-01\n")))
    assert "holds dates" in message


def test_infinity_and_missing_values_are_named_by_row(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b\n1,2\n3,inf\n")
    with pytest.raises(InvalidData, match=r"column 'b', row 2 of .*t.csv holds inf"):
        scan(path).map(lambda chunk: chunk.X)
    path = write(tmp_path, "a,b\n1,2\n,3\n")
    with pytest.raises(InvalidData, match=r"column 'a', row 2 of .*t.csv holds NaN"):
        scan(path).map(lambda chunk: chunk.X)
