"""Parquet files, read batch by batch in bounded memory. Imported only where a file is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InvalidData
from .arrow import TYPES, check_names, check_types, is_number, read_as, text
from .files import FileStamp
from .schema import Kind

BATCH_BYTES = 4 << 20
_TIDY_EVERY = 8  # batches after which memory that is free goes back to the system
_TEXT_BYTES = 32  # a guess at the length of a text cell
_BUFFER = 1 << 16  # read 64 KB of each column at a time: without it a whole row group would be held in memory
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file: its columns and number of rows are known from its footer."""

    stamp: FileStamp
    fields: pa.Schema
    stored: pa.Schema
    n_rows: int
    batch_bytes: int = BATCH_BYTES
    integers: frozenset[str] = frozenset()

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns, in this order, as record batches of about 4 MB, in row order."""
        try:
            with _open(self.stamp) as file:
                size = max(1, self.batch_bytes // self._row_bytes(columns))
                row = 0
                # One thread reads while the others compute; more readers would hold more memory, not save time.
                for i, batch in enumerate(file.iter_batches(size, columns=list(columns), use_threads=False)):
                    self.stamp.check()
                    yield self._cast(batch.select(list(columns)), row)
                    row += batch.num_rows
                    if i % _TIDY_EVERY == 0:
                        pa.default_memory_pool().release_unused()
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _explain(self.stamp, error) from None

    def _row_bytes(self, columns: Sequence[str]) -> int:
        types = (self.stored.field(name).type for name in columns)
        return sum(type_.bit_width // 8 or 1 if pa.types.is_primitive(type_) else _TEXT_BYTES for type_ in types) or 1

    def _cast(self, batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
        """The batch with the types that the user, or `read_as`, asks for."""
        for j, name in enumerate(batch.schema.names):
            type_ = self.fields.field(name).type
            if type_ != self.stored.field(name).type:
                batch = batch.set_column(j, name, self._cast_column(batch.column(j), name, type_, row))
        return batch

    def _cast_column(self, array: pa.Array, name: str, type_: pa.DataType, row: int) -> pa.Array:
        try:
            return (array.dictionary_decode() if pa.types.is_dictionary(array.type) else array).cast(type_)
        except pa.ArrowInvalid:
            cells = enumerate(text(array).to_pylist(), start=row + 1)
            at, cell = next(((i, cell) for i, cell in cells if cell is not None and not is_number(cell)), (row + 1, ""))
            raise InvalidData(
                f"{self.stamp}: column {name!r}, row {at} holds {cell!r}, which cannot be read as {type_}; "
                f"leave {name!r} out of types, or say types={{{name!r}: 'categorical'}}."
            ) from None


def open_parquet(stamps: Sequence[FileStamp], types: Mapping[str, Kind]) -> tuple[ParquetFile, ...]:
    """The files with what their footers say."""
    return tuple(_describe(stamp, types) for stamp in stamps)


def _describe(stamp: FileStamp, types: Mapping[str, Kind]) -> ParquetFile:
    try:
        with _open(stamp) as file:
            stored, n_rows = file.schema_arrow.remove_metadata(), file.metadata.num_rows
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _explain(stamp, error) from None
    check_names(stored.names, stamp.name)
    check_types(types, stored.names, stamp.name)
    kept = [field for field in stored if not _PANDAS_INDEX.fullmatch(field.name)]
    wanted = [TYPES[types[field.name]] if field.name in types else read_as(field.type) for field in kept]
    fields = pa.schema([field.with_type(type_) for field, type_ in zip(kept, wanted, strict=True)])
    return ParquetFile(stamp, fields, stored, n_rows)


def _open(stamp: FileStamp) -> Any:
    # Pre-buffering and memory mapping both let the whole file pile up in memory.
    return pq.ParquetFile(stamp.path, pre_buffer=False, buffer_size=_BUFFER)


def _explain(stamp: FileStamp, error: Exception) -> Exception:
    """The sentence for a file that Arrow cannot read."""
    if isinstance(error, InvalidData):
        return error
    stamp.check()
    reason = str(error).splitlines()[0].strip().rstrip(".") if str(error).strip() else type(error).__name__
    return InvalidData(
        f"{stamp} cannot be read as Parquet ({reason}); it is corrupt, cut short or of another format: "
        "write or fetch it again."
    )
