"""CSV files by Arrow's reader, and what it cannot read in one sentence. Imported only where a file is read."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc

from .. import backend
from ..errors import InvalidData
from .csv_blocks import OpenQuote, blocks, can_cut
from .csv_head import Dialect, cannot_unpack, open_bytes, wrong_encoding
from .files import FileStamp
from .side_by_side import side_by_side

_MOST_THREADS = 8  # each holds a text of a block and its cells, some 12 MB
_READ_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError)
_BAD_VALUE = re.compile(
    r"CSV column #(?P<column>\d+): Row #(?P<row>\d+): .*? to (?P<type>\S+): invalid value '(?P<value>.*)'",
    re.S,
)
_KINDS = {"double": "a number", "bool": "true or false", "string": "text"}


@dataclass(frozen=True)
class Layout:
    """What Arrow must know of a file: its dialect, the lines before its rows, its columns and their types."""

    stamp: FileStamp
    dialect: Dialect
    lines: int
    types: pa.Schema
    block_bytes: int


def read(file: Layout, columns: Sequence[str], inferred: bool = False) -> Iterator[pa.RecordBatch]:
    """Some columns of a file; what cannot be read becomes one sentence."""
    threads = 1 if inferred else min(backend.thread_count(), file.stamp.size // file.block_bytes, _MOST_THREADS)
    types = None if inferred else {name: file.types.field(name).type for name in columns}
    reading = Reading(file, columns, types)
    if threads > 1 and reading.can_cut():
        return reading.in_blocks(threads)
    return reading.streamed()


@dataclass
class Reading:
    """How Arrow reads some columns of a file."""

    file: Layout
    columns: Sequence[str]
    types: Mapping[str, pa.DataType] | None

    def streamed(self) -> Generator[pa.RecordBatch, None, None]:
        """The batches, as Arrow reads them one after the other."""
        ragged: list[object] = []
        is_packed = self.file.stamp.name.lower().endswith(".gz")
        try:
            with pa.input_stream(self.file.stamp.path, compression="gzip" if is_packed else None) as stream:
                yield from pc.open_csv(
                    stream, self._options(self.file.block_bytes, self.file.lines), *self._settings(ragged)
                )
        except _READ_ERRORS as error:
            raise _explain(self.file, error, ragged, -self.file.lines) from None

    def can_cut(self) -> bool:
        """Whether blocks of it can be found before they are read."""
        if self.file.stamp.name.lower().endswith(".gz"):
            return False
        with open_bytes(self.file.stamp) as opened:
            return can_cut(opened, self.file.dialect.encoding)

    def in_blocks(self, threads: int) -> Iterator[pa.RecordBatch]:
        """The batches, in order, each read by one of some threads."""
        rows = 0
        try:
            with open_bytes(self.file.stamp) as opened:
                texts = blocks(opened, self.file.dialect.delimiter, self.file.block_bytes, self.file.lines)
                with closing(side_by_side(texts, self._parsed, threads, threads)) as results:
                    for batch, error, ragged in results:
                        if error is not None:
                            raise _explain(self.file, error, ragged, rows)
                        yield batch
                        rows += batch.num_rows
        except (OSError, OpenQuote) as error:
            raise _explain(self.file, error, []) from None

    def _parsed(self, text: bytes) -> tuple[pa.RecordBatch, Exception | None, list[object]]:
        """The one batch of a text, or why it cannot be read, and its rows that are too long or too short."""
        ragged: list[object] = []
        try:
            table = pc.read_csv(pa.BufferReader(text), self._options(len(text) + 1), *self._settings(ragged))
        except _READ_ERRORS as error:
            return None, error, ragged
        batches = table.combine_chunks().to_batches()  # none of a text of empty lines
        return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema), None, ragged

    def _options(self, block_bytes: int, lines: int = 0) -> object:
        # Without threads Arrow counts the rows; streaming has one thread anyway.
        written = self.file.dialect.encoding
        encoding = "utf8" if written.lower().replace("_", "-") in ("utf-8", "utf8") else written
        names = self.file.types.names
        return pc.ReadOptions(
            use_threads=False, block_size=block_bytes, encoding=encoding, skip_rows=lines, column_names=names
        )

    def _settings(self, ragged: list[object]) -> tuple[object, object]:
        dialect = self.file.dialect
        return parse_options(dialect, ragged), convert_options(dialect, self.columns, self.types)


def parse_options(dialect: Dialect, ragged: list[object]) -> object:
    """How cells are told apart; rows that are too long or too short are kept."""

    def keep(row: Any) -> str:
        ragged.append((row.number, row.expected_columns, row.actual_columns))
        return "error"

    return pc.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True, invalid_row_handler=keep)


def convert_options(
    dialect: Dialect, columns: Sequence[str] = (), types: Mapping[str, pa.DataType] | None = None
) -> object:
    """How cells become values."""
    spellings = {spaced for word in dialect.missing for spaced in (word, f" {word}", f"{word} ")}
    return pc.ConvertOptions(
        null_values=sorted(spellings),
        strings_can_be_null=True,
        decimal_point=dialect.decimal or ".",
        include_columns=list(columns),
        column_types=types,
    )


# Explaining what cannot be read.


def _explain(file: Layout, error: Exception, ragged: list[Any], rows: int = 0) -> Exception:
    """The sentence for a file that Arrow cannot read; `rows` come before those that it read."""
    if isinstance(error, InvalidData):
        return error
    stamp, message = file.stamp, str(error)
    stamp.check()
    if ragged:
        row, expected, got = ragged[0]
        place = f"row {rows + row}" if row else "a row"
        return InvalidData(
            f"{stamp}: {place} has {got} cells, but the header has {expected}; mend the row, or say delimiter=…."
        )
    if isinstance(error, UnicodeError) or "UTF8" in message:
        return wrong_encoding(stamp, file.dialect.encoding)
    if isinstance(error, OpenQuote) or "straddl" in message:
        return open_quote(stamp)
    bad = _BAD_VALUE.search(message)
    if bad is not None:
        return _bad_value(file, bad, rows)
    if isinstance(error, OSError) and stamp.name.lower().endswith(".gz"):
        return cannot_unpack(stamp, error)
    return InvalidData(
        f"{stamp} cannot be read as CSV: {message.splitlines()[0] if message else type(error).__name__}."
    )


def written_otherwise(stamp: FileStamp, name: str, row: int, value: str, example: str) -> InvalidData:
    """The error for a cell that is not written as those before it are."""
    return InvalidData(
        f"{stamp}: column {name!r}, row {row} holds {value!r}, which is not written like the rows before it, "
        f"{example}; if it stands for a missing value say missing=[{value!r}, …], if the column is text say "
        f"types={{{name!r}: 'categorical'}}."
    )


def _bad_value(file: Layout, bad: re.Match[str], rows: int) -> InvalidData:
    name, value = file.types.names[int(bad["column"])], bad["value"]
    kind = _KINDS.get(bad["type"].partition("[")[0], "a date")
    return InvalidData(
        f"{file.stamp}: column {name!r}, row {rows + int(bad['row'])} holds {value!r}, which is not {kind} "
        f"like the rows before it; if it stands for a missing value say missing=[{value!r}, …], if the column is "
        f"text say types={{{name!r}: 'categorical'}}."
    )


def open_quote(stamp: FileStamp) -> InvalidData:
    """The error for a quote that has no end."""
    return InvalidData(f'{stamp} has a quote (") that is never closed, or a row of more than 2 MB; close the quote.')
