"""The head of a CSV file: its encoding, delimiter and column names, before any row is read."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import IO, Literal

from ..errors import InvalidData
from .files import FileStamp

HEAD_BYTES = 1 << 20
_SNIFFED_ROWS = 50
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written; `delimiter` "" means that it is to be found out."""

    delimiter: str
    decimal: str
    encoding: str
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Head:
    """The column names, the dialect with its delimiter, and whether any row follows."""

    names: tuple[str, ...]
    dialect: Dialect
    has_rows: bool


def check_dialect(dialect: Dialect) -> None:
    """Refuse options that no CSV file can have."""
    try:
        codecs.lookup(dialect.encoding)
    except LookupError:
        raise InvalidData(f"scan: the encoding {dialect.encoding!r} is not known; try 'utf-8' or 'cp1252'.") from None
    for name, value in (("delimiter", dialect.delimiter), ("decimal", dialect.decimal)):
        if (value or name == "decimal") and (len(value) != 1 or not value.isascii() or value in '"\r\n'):
            raise InvalidData(f"scan: {name} must be one ASCII character, such as ',' or ';'; got {value!r}.")
    if dialect.delimiter == dialect.decimal:
        raise InvalidData(f"scan: delimiter and decimal are both {dialect.decimal!r}; they must differ.")


def read_head(stamp: FileStamp, dialect: Dialect) -> Head:
    """Look at the first megabyte of a file."""
    text, complete = _text(stamp, dialect.encoding)
    if not text.strip():
        raise InvalidData(f"scan: {stamp} is empty; a header and at least one row are needed.")
    delimiter = dialect.delimiter or _sniff(text, dialect.decimal, "\t" if ".tsv" in stamp.name.lower() else ",")
    try:
        rows = _rows(text, delimiter)
        names = tuple(next(rows))
        has_rows = not complete or next(rows, None) is not None
    except csv.Error:
        raise InvalidData(
            f"scan: the header of {stamp} cannot be read; perhaps a quote in it is never closed."
        ) from None
    _check_is_header(names, stamp)
    return Head(names, replace(dialect, delimiter=delimiter), has_rows)


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
    return widths.count(widths[0]) / len(widths), widths[0]


def _check_is_header(names: tuple[str, ...], stamp: FileStamp) -> None:
    """Refuse a first line of numbers such as 5.1: it is a row; whole numbers may be names."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return
    if not all(number.is_integer() for number in numbers):
        raise InvalidData(
            f"scan: the first line of {stamp} holds numbers ({', '.join(names[:3])}), not column names; "
            "add a header line."
        )
