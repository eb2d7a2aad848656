"""CSV files, read block by block; a column has the type of its first block. Imported only where a file is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc

from .. import backend
from ..errors import InvalidData
from .arrow import TYPES, check_names
from .csv_blocks import OpenQuote, blocks, can_cut
from .csv_head import Dialect, Head, cannot_unpack, check_dialect, open_bytes, read_head, wrong_encoding
from .declared import Types, declared
from .files import FileStamp
from .side_by_side import side_by_side

BLOCK_BYTES = 2 << 20  # Arrow holds some ten blocks at a time
_MOST_THREADS = 8  # each holds a text of a block and its cells, some 12 MB
_READ_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError)
_HEAD_BYTES = 1 << 16  # enough lines for their mean length
_BAD_VALUE = re.compile(
    r"CSV column #(?P<column>\d+): Row #(?P<row>\d+): .*? to (?P<type>\S+): invalid value '(?P<value>.*)'",
    re.S,
)
_KINDS = {"double": "a number", "bool": "true or false", "string": "text"}


@dataclass(frozen=True)
class CsvFile:
    """A CSV file whose columns have these types throughout."""

    stamp: FileStamp
    dialect: Dialect
    fields: pa.Schema
    integers: frozenset[str] = frozenset()
    block_bytes: int = BLOCK_BYTES
    batches_a_chunk: int = 1
    first_row: int = 0
    n_rows: None = None

    def about_rows(self) -> int | None:
        """The size of the file by the mean length of its first lines; None where it is compressed."""
        if self.stamp.path.endswith(".gz"):
            return None
        with open_bytes(self.stamp) as file:
            head = file.read(_HEAD_BYTES)
        return self.stamp.size * max(1, head.count(b"\n")) // max(1, len(head))

    def parts(self) -> tuple[CsvFile, ...]:
        """The whole: where the rows lie is not known before they are read."""
        return (self,)

    def held_bytes(self, columns: Sequence[str]) -> int:
        """Arrow's blocks."""
        return 10 * self.block_bytes

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns, in this order, as record batches of a few megabytes, in row order."""
        last = self.fields.names[-1]
        watched = pa.types.is_string(self.fields.field(last).type)
        wanted = [*columns, last] if watched and last not in columns else list(columns)
        previous: pa.RecordBatch | None = None
        for batch in read(self, wanted):
            self.stamp.check()
            yield batch.select(list(columns))
            previous = batch
        if watched and previous is not None and previous.num_rows:
            _check_last_quote(self.stamp, previous.column(last)[-1].as_py())


def open_csv(stamps: Sequence[FileStamp], dialect: Dialect, types: Types) -> tuple[CsvFile, ...]:
    """The files with their dialects; a column gets its type from the first file in which it has values."""
    check_dialect(dialect)
    heads = [read_head(stamp, dialect) for stamp in stamps]
    for stamp, head in zip(stamps, heads, strict=True):
        check_names(head.names, stamp.name)
        wanted = declared(types, head.names, stamp.name)
    if not any(head.has_rows for head in heads):
        raise InvalidData(f"scan: {stamps[0]} has a header but no rows; at least 1 is needed.")
    found: dict[str, pa.DataType] = {name: TYPES[column.kind] for name, column in wanted.items()}
    for stamp, head in zip(stamps, heads, strict=True):
        unknown = [name for name in head.names if name not in found]
        if unknown and head.has_rows:
            found |= _infer(stamp, head, unknown)
    integers = frozenset(name for name, type_ in found.items() if pa.types.is_integer(type_))
    return tuple(_fixed(stamp, head, found, integers) for stamp, head in zip(stamps, heads, strict=True))


def _fixed(stamp: FileStamp, head: Head, found: Mapping[str, pa.DataType], integers: frozenset[str]) -> CsvFile:
    fields = pa.schema([(name, _widened(found.get(name, pa.null()))) for name in head.names])
    return CsvFile(stamp, head.dialect, fields, integers, BLOCK_BYTES)


def _widened(type_: pa.DataType) -> pa.DataType:
    """The type that also holds what may come later: 1.5 after 1, parts of a second after whole ones."""
    if pa.types.is_integer(type_) or pa.types.is_null(type_):
        return pa.float64()
    if pa.types.is_timestamp(type_):
        return pa.timestamp("us", type_.tz)
    return pa.string() if pa.types.is_time(type_) else type_


def _infer(stamp: FileStamp, head: Head, columns: list[str]) -> dict[str, pa.DataType]:
    """The types of these columns by their first block that has values; columns without values are left out."""
    file = CsvFile(
        stamp, head.dialect, pa.schema([(name, pa.string()) for name in head.names]), block_bytes=BLOCK_BYTES
    )
    found = dict(_types_of_block(next(read(file, columns, inferred=True), None), stamp, head.dialect))
    unknown = [name for name in columns if name not in found]
    if unknown:
        for batch in read(file, unknown):
            for name in [name for name in unknown if batch.column(name).null_count < batch.num_rows]:
                found |= _types_of_text(batch.select([name]), stamp, head.dialect)
                unknown.remove(name)
            if not unknown:
                break
    return found


def _types_of_block(
    batch: pa.RecordBatch | None, stamp: FileStamp, dialect: Dialect
) -> Iterator[tuple[str, pa.DataType]]:
    for field in batch.schema if batch is not None else ():
        if pa.types.is_binary(field.type):
            raise wrong_encoding(stamp, dialect.encoding)
        if not pa.types.is_null(field.type):
            yield field.name, field.type


def _types_of_text(column: pa.RecordBatch, stamp: FileStamp, dialect: Dialect) -> dict[str, pa.DataType]:
    """The type of one column that was read as text: Arrow reads it once more, by itself."""
    written = BytesIO()
    pc.write_csv(column.filter(column.column(0).is_valid()), written, pc.WriteOptions(delimiter=dialect.delimiter))
    written.seek(0)
    table = pc.read_csv(written, parse_options=_parse(dialect, []), convert_options=_convert(dialect))
    return {column.schema.names[0]: table.schema.types[0]}


# Reading with Arrow.


def read(file: CsvFile, columns: Sequence[str], inferred: bool = False) -> Iterator[pa.RecordBatch]:
    """Some columns of a file, by Arrow's reader; what it cannot read becomes one sentence."""
    threads = 1 if inferred else min(backend.thread_count(), file.stamp.size // file.block_bytes, _MOST_THREADS)
    types = None if inferred else {name: file.fields.field(name).type for name in columns}
    reading = Reading(file, columns, types)
    if threads > 1 and reading.can_cut():
        return reading.in_blocks(threads)
    return reading.streamed()


@dataclass
class Reading:
    """How Arrow reads some columns of a file."""

    file: CsvFile
    columns: Sequence[str]
    types: Mapping[str, pa.DataType] | None

    def streamed(self) -> Iterator[pa.RecordBatch]:
        """The batches, as Arrow reads them one after the other."""
        ragged: list[object] = []
        is_packed = self.file.stamp.name.lower().endswith(".gz")
        try:
            with pa.input_stream(self.file.stamp.path, compression="gzip" if is_packed else None) as stream:
                yield from pc.open_csv(stream, self._options(self.file.block_bytes), *self._settings(ragged))
        except _READ_ERRORS as error:
            raise _explain(self.file, error, ragged) from None

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
                texts = blocks(opened, self.file.dialect.delimiter, self.file.block_bytes)
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

    def _options(self, block_bytes: int) -> object:
        # Without threads Arrow counts the rows; streaming has one thread anyway.
        written = self.file.dialect.encoding
        encoding = "utf8" if written.lower().replace("_", "-") in ("utf-8", "utf8") else written
        return pc.ReadOptions(use_threads=False, block_size=block_bytes, encoding=encoding)

    def _settings(self, ragged: list[object]) -> tuple[object, object]:
        dialect = self.file.dialect
        return _parse(dialect, ragged), _convert(dialect, self.columns, self.types)


def _parse(dialect: Dialect, ragged: list[object]) -> object:
    def keep(row: Any) -> str:
        ragged.append((row.number, row.expected_columns, row.actual_columns))
        return "error"

    return pc.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True, invalid_row_handler=keep)


def _convert(dialect: Dialect, columns: Sequence[str] = (), types: Mapping[str, pa.DataType] | None = None) -> object:
    spellings = {spaced for word in dialect.missing for spaced in (word, f" {word}", f"{word} ")}
    return pc.ConvertOptions(
        null_values=sorted(spellings),
        strings_can_be_null=True,
        decimal_point=dialect.decimal,
        include_columns=list(columns),
        column_types=types,
    )


# Explaining what cannot be read.


def _explain(file: CsvFile, error: Exception, ragged: list[Any], rows: int = 0) -> Exception:
    """The sentence for a file that Arrow cannot read; `rows` come before those that it read."""
    if isinstance(error, InvalidData):
        return error
    stamp, message = file.stamp, str(error)
    stamp.check()
    if ragged:
        row, expected, got = ragged[0]
        place = f"row {rows + row - 1}" if row else "a row"
        return InvalidData(
            f"{stamp}: {place} has {got} cells, but the header has {expected}; mend the row, or say delimiter=…."
        )
    if isinstance(error, UnicodeError) or "UTF8" in message:
        return wrong_encoding(stamp, file.dialect.encoding)
    if isinstance(error, OpenQuote) or "straddl" in message:
        return _open_quote(stamp)
    bad = _BAD_VALUE.search(message)
    if bad is not None:
        return _bad_value(file, bad, rows)
    if isinstance(error, OSError) and stamp.name.lower().endswith(".gz"):
        return cannot_unpack(stamp, error)
    return InvalidData(
        f"{stamp} cannot be read as CSV: {message.splitlines()[0] if message else type(error).__name__}."
    )


def _bad_value(file: CsvFile, bad: re.Match[str], rows: int) -> InvalidData:
    name, value = file.fields.names[int(bad["column"])], bad["value"]
    kind = _KINDS.get(bad["type"].partition("[")[0], "a date")
    return InvalidData(
        f"{file.stamp}: column {name!r}, row {rows + int(bad['row']) - 1} holds {value!r}, which is not {kind} "
        f"like the rows before it; if it stands for a missing value say missing=[{value!r}, …], if the column is "
        f"text say types={{{name!r}: 'categorical'}}."
    )


def _open_quote(stamp: FileStamp) -> InvalidData:
    return InvalidData(f'{stamp} has a quote (") that is never closed, or a row of more than 2 MB; close the quote.')


def _check_last_quote(stamp: FileStamp, cell: str | None) -> None:
    """Refuse a last cell that swallowed the lines after it, because its quote is never closed."""
    if cell is None or "\n" not in cell:
        return
    with open_bytes(stamp) as file:
        if stamp.name.lower().endswith(".gz"):
            closed = not cell.endswith("\n")
        else:
            file.seek(-min(stamp.size, 8), 2)
            closed = file.read().replace(b"\0", b"").rstrip(b"\r\n").endswith(b'"')
    if not closed:
        raise _open_quote(stamp)
