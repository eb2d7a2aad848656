"""Parquet files, read batch by batch in bounded memory. Imported only where a file is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import InvalidData
from .arrow import TYPES, check_names, is_number, read_as, text
from .declared import Types, declared
from .files import FileStamp

BATCH_BYTES = 5 << 19  # about what the caches of a core hold: larger ones are decoded from one memory to another
PART_BYTES = 8 << 20  # what a thread reads at least before the next part is handed out
_PAGE_BYTES, _CODED_BYTES = 1 << 20, 6 << 20  # what Arrow holds of a column, plain or with a dictionary, as measured
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
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    examples: Mapping[str, str] = field(default_factory=dict)
    index: tuple[str, ...] = ()
    batches_a_chunk: int = 2
    first_row: int = 0
    groups: tuple[int, ...] | None = None  # the row groups of a part; all where there are none
    footer: pq.FileMetaData = field(default=None, compare=False, repr=False)

    def about_rows(self) -> int:
        """The number of rows."""
        return self.n_rows

    def parts(self) -> list[ParquetFile]:
        """Runs of row groups that hold some megabytes each."""
        wanted = PART_BYTES // self._row_bytes(self.stored.names)
        parts: list[ParquetFile] = []
        run: list[int] = []
        rows, before = 0, self.first_row
        for i in range(self.footer.num_row_groups):
            run.append(i)
            rows += self.footer.row_group(i).num_rows
            if rows >= wanted or (i + 1 == self.footer.num_row_groups and rows):
                parts.append(replace(self, n_rows=rows, first_row=before, groups=tuple(run)))
                run, rows, before = [], 0, before + rows
        return parts

    def held_bytes(self, columns: Sequence[str]) -> int:
        """A page of every column, more where there is a dictionary, and the batches of a chunk twice."""
        coded = set[str]()
        if self.footer.num_row_groups:
            group = self.footer.row_group(0)
            stored = map(group.column, range(group.num_columns))
            coded = {column.path_in_schema for column in stored if column.has_dictionary_page}
        pages = sum(_CODED_BYTES if name in coded else _PAGE_BYTES for name in columns)
        return pages + 2 * self.batches_a_chunk * self.batch_bytes

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns, in this order, as record batches of some megabytes, in row order."""
        try:
            with _open(self.stamp, self.footer) as file:
                size = max(1, self.batch_bytes // self._row_bytes(columns))
                row, names = self.first_row, list(columns)
                # More readers of one part would hold more memory, not save time.
                batches = file.iter_batches(size, self.groups, names, use_threads=False)
                for batch in batches:
                    self.stamp.check()
                    yield self._cast(batch if batch.schema.names == names else batch.select(names), row)
                    row += batch.num_rows
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _explain(self.stamp, error) from None

    def _row_bytes(self, columns: Sequence[str]) -> int:
        types = (self.stored.field(name).type for name in columns)
        return sum(type_.bit_width // 8 or 1 if pa.types.is_primitive(type_) else _TEXT_BYTES for type_ in types) or 1

    def _cast(self, batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
        """The batch with the types that the user, or `read_as`, asks for."""
        for name in self._cast_names:
            if name in batch.schema.names:
                cast = self._cast_column(batch.column(name), name, self.fields.field(name).type, row)
                batch = batch.set_column(batch.schema.names.index(name), name, cast)
        return batch

    @cached_property
    def _cast_names(self) -> list[str]:
        return [field.name for field in self.fields if field.type != self.stored.field(field.name).type]

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


def open_parquet(stamps: Sequence[FileStamp], types: Types) -> tuple[ParquetFile, ...]:
    """The files with what their footers say."""
    return tuple(_describe(stamp, types) for stamp in stamps)


def _describe(stamp: FileStamp, types: Types) -> ParquetFile:
    try:
        with _open(stamp) as file:
            stored, footer = file.schema_arrow.remove_metadata(), file.metadata
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _explain(stamp, error) from None
    check_names(stored.names, stamp.name)
    declares = declared(types, stored.names, stamp.name)
    kept = [field for field in stored if not _PANDAS_INDEX.fullmatch(field.name)]
    wanted = [TYPES[declares[field.name].kind] if field.name in declares else read_as(field.type) for field in kept]
    fields = pa.schema([field.with_type(type_) for field, type_ in zip(kept, wanted, strict=True)])
    return ParquetFile(stamp, fields, stored, footer.num_rows, footer=footer)


def _open(stamp: FileStamp, footer: pq.FileMetaData | None = None) -> pq.ParquetFile:
    # Pre-buffering and memory mapping both let the whole file pile up in memory.
    return pq.ParquetFile(stamp.path, metadata=footer, pre_buffer=False, buffer_size=_BUFFER)


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
