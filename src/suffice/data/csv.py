"""CSV files, read block by block; a column is what its first block says. Imported only where a file is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InvalidData
from .csv_head import Dialect, Head, check_dialect, open_bytes, read_head
from .csv_read import Layout, open_quote, read, written_otherwise
from .csv_types import Found, look
from .declared import Types, declared
from .files import FileStamp
from .written import Written

BLOCK_BYTES = 2 << 20  # Arrow holds some ten blocks at a time
_HEAD_BYTES = 1 << 16  # enough lines for their mean length


@dataclass(frozen=True)
class CsvFile:
    """A CSV file whose columns have these types throughout; `written` ones are read as text and turned into them."""

    stamp: FileStamp
    head: Head
    fields: pa.Schema
    integers: frozenset[str] = frozenset()
    written: Mapping[str, Written] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
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
        if not self.head.has_rows:
            return
        layout = self._layout()
        last = layout.types.names[-1]
        watched = pa.types.is_string(layout.types.field(last).type)
        wanted = [*columns, last] if watched and last not in columns else list(columns)
        previous: pa.RecordBatch | None = None
        row = 0
        for batch in read(layout, wanted):
            self.stamp.check()
            yield self._turned(batch.select(list(columns)), row)
            previous, row = batch, row + batch.num_rows
        if watched and previous is not None and previous.num_rows:
            _check_last_quote(self.stamp, previous.column(last)[-1].as_py())

    def _layout(self) -> Layout:
        own = {column.name: column.type for column in self.fields}
        text = (name in self.written or name not in own for name in self.head.names)
        types = [(name, pa.string() if t else own[name]) for name, t in zip(self.head.names, text, strict=True)]
        return Layout(self.stamp, self.head.dialect, self.head.lines, pa.schema(types), self.block_bytes)

    def _turned(self, batch: pa.RecordBatch, row: int) -> pa.RecordBatch:
        """The batch with numbers and dates for the texts that were written for people; `row` rows come before it."""
        for name in [name for name in batch.schema.names if name in self.written]:
            cells, way = batch.column(name), self.written[name]
            made = way.read(cells)
            if made.null_count > cells.null_count:
                i = pc.index(pc.and_(cells.is_valid(), made.is_null()), True).as_py()
                raise written_otherwise(self.stamp, name, row + i + 1, cells[i].as_py(), str(way))
            batch = batch.set_column(batch.schema.names.index(name), name, made)
        return batch


def open_csv(stamps: Sequence[FileStamp], dialect: Dialect, types: Types) -> tuple[CsvFile, ...]:
    """The files with their dialects; a column gets its type from the first file in which it has values."""
    check_dialect(dialect)
    heads = [read_head(stamp, dialect) for stamp in stamps]
    for stamp, head in zip(stamps, heads, strict=True):
        wanted = declared(types, head.names, stamp.name)
    if not any(head.has_rows for head in heads):
        raise InvalidData(f"scan: {stamps[0]} has a header but no rows; at least 1 is needed.")
    found = Found.declared(types, wanted)
    for stamp, head in zip(stamps, heads, strict=True):
        if head.has_rows:
            found = look(stamp, head, found, BLOCK_BYTES)
    examples = found.examples
    if found.has_decimal_commas and heads[0].dialect.delimiter != ",":  # Arrow reads them faster than we do
        heads = [replace(head, dialect=replace(head.dialect, decimal=",")) for head in heads]
        found = found.without_decimal_commas()
    return tuple(_fixed(stamp, head, found, examples) for stamp, head in zip(stamps, heads, strict=True))


def _fixed(stamp: FileStamp, head: Head, found: Found, examples: Mapping[str, str]) -> CsvFile:
    used = [name for name in head.names if name not in found.empty] or head.names
    fields = pa.schema([(name, _widened(found.types.get(name, pa.null()))) for name in used])
    integers = frozenset(name for name, type_ in found.types.items() if pa.types.is_integer(type_))
    own = CsvFile(stamp, head, fields, integers, found.written, examples, block_bytes=BLOCK_BYTES)
    gone = [f"{name!r} has neither a name nor a value and is left out" for name in head.names if name not in used]
    return replace(own, notes=(*head.notes, *found.notes, *gone), doubts=found.doubts, index=found.index)


def _widened(type_: pa.DataType) -> pa.DataType:
    """The type that also holds what may come later: 1.5 after 1, parts of a second after whole ones."""
    if pa.types.is_integer(type_) or pa.types.is_null(type_):
        return pa.float64()
    if pa.types.is_timestamp(type_):
        return pa.timestamp("us", type_.tz)
    return pa.string() if pa.types.is_time(type_) else type_


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
        raise open_quote(stamp)
