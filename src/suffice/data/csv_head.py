"""The head of a CSV file: its encoding, delimiter and column names, before any row is read."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Literal

from ..errors import InvalidData
from ..text import counted, listed
from .csv_names import given_names, own_names, said_of_names
from .files import FileStamp

HEAD_BYTES = 1 << 20
_SNIFFED_ROWS = 50
IS_A_VALUE = "if it is a value, name what is missing without it, as in missing=['', 'NA']"
_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR = re.compile(r"sep=(\S|\t)\r?\n")  # as spreadsheets write it above the header


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written; a `delimiter`, `decimal` or `thousands` "" means that it is to be found out."""

    delimiter: str
    decimal: str
    encoding: str
    missing: tuple[str, ...]
    thousands: str = ""


@dataclass(frozen=True)
class Head:
    """The column names, the dialect with its delimiter, and whether any row follows.

    `lines` come before the first row, `unnamed` are columns that the header has no name for, and `notes` say what is
    not obvious.
    """

    names: tuple[str, ...]
    dialect: Dialect
    has_rows: bool
    lines: int = 1
    unnamed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def check_dialect(dialect: Dialect) -> None:
    """Refuse options that no CSV file can have."""
    try:
        codecs.lookup(dialect.encoding)
    except LookupError:
        raise InvalidData(f"scan: the encoding {dialect.encoding!r} is not known; try 'utf-8' or 'cp1252'.") from None
    given = {name: getattr(dialect, name) for name in ("delimiter", "decimal", "thousands")}
    for name, value in given.items():
        if value and (len(value) != 1 or not value.isascii() or value in '"\r\n'):
            raise InvalidData(f"scan: {name} must be one ASCII character, such as ',' or ';'; got {value!r}.")
    for one, other in (("delimiter", "decimal"), ("decimal", "thousands")):
        if given[one] and given[one] == given[other]:
            raise InvalidData(f"scan: {one} and {other} are both {given[one]!r}; they must differ.")


def read_head(stamp: FileStamp, dialect: Dialect) -> Head:
    """Look at the first megabyte of a file."""
    text, complete = _text(stamp, dialect.encoding)
    if not text.strip():
        raise InvalidData(f"scan: {stamp} is empty; a header and at least one row are needed.")
    if "\0" in text:
        raise InvalidData(f"{stamp} is no CSV: it holds NUL bytes, as pictures, packed files and spreadsheets do.")
    text, above, named = _without_comments(text)
    written = _SEPARATOR.match(text)
    if written is not None:
        text, above = text[written.end() :], above + 1
    otherwise: Literal["\t", ","] = "\t" if ".tsv" in stamp.name.lower() else ","
    delimiter = dialect.delimiter or (written[1] if written else _sniff(text, dialect.decimal, otherwise))
    header, rows, lines = _first_rows(text, delimiter, stamp)
    rows = rows if complete else rows[:-1]  # the last may be cut short
    header[0] = header[0].lstrip("# ") if named else header[0]
    _check_is_header(tuple(header), stamp)
    given = given_names(header, rows)
    names = own_names(given)
    unnamed = tuple(own for name, own in zip(given, names, strict=True) if not name.strip())
    comments = [f"{counted(above, 'line')} above the header left out"] if above else []
    notes = (*comments, *said_of_names(given, names), *_spaces(header, rows), *_nones(names, rows, dialect))
    found = replace(dialect, delimiter=delimiter)
    return Head(names, found, bool(rows) or not complete, above + lines, unnamed, notes)


def small_table(text: str, otherwise: Literal["\t", ","] = ",") -> tuple[str, list[list[str]]]:
    """The delimiter of a small table, and all of its lines that are not blank, as text; comments above it are left out.

    >>> small_table("class;act\\nill;1,5\\n")
    (';', [['class', 'act'], ['ill', '1,5']])
    """
    text = _without_comments(text)[0]
    written = _SEPARATOR.match(text)
    text = text if written is None else text[written.end() :]
    delimiter = written[1] if written else _sniff(text, "", otherwise)
    return delimiter, [row for row in _rows(text, delimiter) if any(cell.strip() for cell in row)]


def _first_rows(text: str, delimiter: str, stamp: FileStamp) -> tuple[list[str], list[list[str]], int]:
    """The header, some rows after it, and how many lines the header and those before it take."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        header = next((row for row in reader if row), [""])
    except csv.Error:
        raise InvalidData(
            f"scan: the header of {stamp} cannot be read; perhaps a quote in it is never closed."
        ) from None
    lines = reader.line_num
    rows: list[list[str]] = []
    with suppress(csv.Error):  # an error keeps the rows so far
        rows.extend(islice((row for row in reader if row), _SNIFFED_ROWS))
    return header, rows, lines


def _spaces(header: list[str], rows: list[list[str]]) -> list[str]:
    """That one column may be several with spaces between, where the header and all rows have as many words.

    >>> _spaces(["x y"], [["1 2"], ["3 4"]])
    ["one column was found; if spaces set cells apart, say delimiter=' '"]
    >>> _spaces(["x y"], [["a day"], ["another long day"]])
    []
    """
    words = {len(row[0].split(" ")) for row in (header, *rows)}
    if len(header) > 1 or not rows or len(words) > 1 or words == {1}:
        return []
    return ["one column was found; if spaces set cells apart, say delimiter=' '"]


def _nones(names: tuple[str, ...], rows: list[list[str]], dialect: Dialect) -> list[str]:
    """That None is read as missing among words, where it may be a category as well."""
    if "None" not in dialect.missing:
        return []
    cells = {name: {row[j] for row in rows if j < len(row)} - {*dialect.missing} for j, name in enumerate(names)}
    held = [name for j, name in enumerate(names) if any(row[j : j + 1] == ["None"] for row in rows)]
    found = [repr(name) for name in held if cells[name] and not any(map(_is_number, cells[name]))]
    return [f"'None' is read as a missing cell in {listed(found)}; {IS_A_VALUE}"] if found else []


def _without_comments(text: str) -> tuple[str, int, bool]:
    """The text without lines at its start that begin with #, how many these are, and whether the header does as well.

    A line that begins with # is the header where the next one holds a number and as many cells.
    """
    lines = list(io.StringIO(text, newline=""))
    above = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    if not above or not any(line.startswith("#") for line in lines[:above]):
        return text, 0, False
    for delimiter in _DELIMITERS:
        last, row = lines[above - 1].split(delimiter), lines[above].split(delimiter)
        if lines[above - 1].startswith("#") and len(last) == len(row) and len(row) > 1 and any(map(_is_number, row)):
            return "".join(lines[above - 1 :]), above - 1, True
    return "".join(lines[above:]), above, False


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _text(stamp: FileStamp, encoding: str) -> tuple[str, bool]:
    """The first megabyte as text, and whether that is all of the file."""
    try:
        with open_bytes(stamp) as file:
            raw = file.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise cannot_unpack(stamp, error) from None
    complete = len(raw) < HEAD_BYTES
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(raw, final=complete)
    except UnicodeError:
        raise wrong_encoding(stamp, encoding) from None
    return text.removeprefix("\ufeff"), complete


def open_bytes(stamp: FileStamp) -> IO[bytes]:
    """The bytes of the file, unpacked where it is packed."""
    return gzip.open(stamp.path) if stamp.name.lower().endswith(".gz") else open(stamp.path, "rb")  # type: ignore[return-value]


def cannot_unpack(stamp: FileStamp, error: Exception) -> InvalidData:
    """The error for a packed file that is damaged."""
    stamp.check()
    return InvalidData(f"{stamp} cannot be unpacked ({error}); it is damaged or cut short: fetch it again.")


def wrong_encoding(stamp: FileStamp, encoding: str) -> InvalidData:
    """The error for a file in another encoding, with the line and a guess at the encoding."""
    stamp.check()
    line, byte, start = 1, "", b""
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_bytes(stamp) as file:
        for line, raw in enumerate(file, start=1):
            start = start or raw[:2]
            try:
                decoder.decode(raw)
            except UnicodeError as error:
                bad = getattr(error, "object", raw)[getattr(error, "start", 0) :][:1]
                byte = f" (line {line} holds the byte 0x{bad.hex()})"
                break
    guess = "'utf-16'" if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "'cp1252' or encoding='latin-1'"
    return InvalidData(f"{stamp} is not written in {encoding}{byte}; try encoding={guess}.")


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows that are not blank; the last may be cut short."""
    return (row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row)


def _sniff(text: str, decimal: str, otherwise: Literal["\t", ","]) -> str:
    """The delimiter that cuts the header into the most cells, and the most rows like the header.

    >>> _sniff("a;b\\n1,5;2\\n", ",", ","), _sniff("name\\nx\\n", ".", ",")
    (';', ',')
    """
    best, best_score = otherwise, (0.0, 1)
    for delimiter in _DELIMITERS:
        if delimiter != decimal:
            score = _agreement(text, delimiter)
            if score > best_score:
                best, best_score = delimiter, score  # type: ignore[assignment]
    return best


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    """The share of the first rows that have as many cells as the header, and that number."""
    widths = []
    try:
        for row, _ in zip(_rows(text, delimiter), range(_SNIFFED_ROWS), strict=False):
            widths.append(len(row))  # an error keeps the rows so far
    except csv.Error:
        pass
    if not widths or widths[0] == 1:
        return 0.0, 1
    if len(widths) > 1 and set(widths[1:]) == {widths[0] + 1}:  # the header has no name for one column
        return 1.0, widths[0]
    return widths.count(widths[0]) / len(widths), widths[0]


def _check_is_header(names: tuple[str, ...], stamp: FileStamp) -> None:
    """Refuse a first line of numbers such as 5.1, or with one twice: it is a row; whole numbers may be names."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return
    if not all(number.is_integer() for number in numbers) or len(set(numbers)) < len(numbers):
        raise InvalidData(
            f"scan: the first line of {stamp} holds numbers ({', '.join(names[:3])}), not column names; "
            "add a header line."
        )
