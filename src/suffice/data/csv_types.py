"""What the columns of a CSV file are, from its first block. Imported only where a file is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from io import BytesIO

import pyarrow as pa
import pyarrow.csv as pc

from .arrow import TYPES, kind_of
from .csv_head import Dialect, Head, wrong_encoding
from .csv_read import Layout, Reading, convert_options, parse_options
from .declared import Types
from .files import FileStamp
from .recognise import distinct, recognise
from .schema import Column, Kind
from .written import Written, WrittenNumber, written_like

_COMMAS = WrittenNumber(",")


@dataclass(frozen=True)
class Found:
    """The types of columns, how some are written, those that only name the rows, and what is to be said.

    `kinds` are columns whose kind somebody said, `hints` how some of them may be written.
    """

    types: Mapping[str, pa.DataType]
    written: Mapping[str, Written] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    hints: Mapping[str, Written] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    """Columns with neither a name nor a value, as delimiters at the end of rows make them."""

    @classmethod
    def declared(cls, types: Types, wanted: Mapping[str, Column]) -> Found:
        """What is known from what somebody said."""
        hints = {name: way for name, given in types.items() if isinstance(given, str) and (way := written_like(given))}
        open_ = {name: column.kind for name, column in wanted.items() if column.kind in ("numeric", "date")}
        return cls({n: TYPES[c.kind] for n, c in wanted.items() if n not in open_}, {}, open_, hints)

    @property
    def has_decimal_commas(self) -> bool:
        """Whether decimal commas, and no decimal points, are all that is special about numbers."""
        numbers = {way for way in self.written.values() if isinstance(way, WrittenNumber)}
        points = [n for n, type_ in self.types.items() if pa.types.is_floating(type_) and n not in self.written]
        return numbers == {_COMMAS} and not points

    @property
    def examples(self) -> dict[str, str]:
        """How columns are written, as examples."""
        return {name: str(way) for name, way in self.written.items()}

    def without_decimal_commas(self) -> Found:
        """The same, for a reader that knows of the decimal commas."""
        return replace(self, written={name: way for name, way in self.written.items() if way != _COMMAS})


def look(stamp: FileStamp, head: Head, found: Found, block_bytes: int) -> Found:
    """What is known after a look at the first block that has values of the columns not known yet."""
    unknown = [name for name in head.names if name not in found.types]
    if not unknown:
        return found
    seen = _seen(stamp, head, unknown, block_bytes)
    dialect, native = head.dialect, seen.native
    free = {name: cells for name, cells in seen.texts.items() if name not in found.hints}
    said = recognise(free, native, dialect.delimiter, dialect.decimal, dialect.thousands)
    written = {n: way for n, way in said.written.items() if found.kinds.get(n, way.kind) == way.kind}
    written |= {n: way for n, way in found.hints.items() if n in native and _is_written(seen.texts[n], native[n], way)}
    types = {name: TYPES[written[name].kind] if name in written else type_ for name, type_ in native.items()}
    types |= {name: pa.string() for name in said.texts if name not in found.kinds}
    types |= {n: TYPES[kind] for n, kind in found.kinds.items() if n in types and kind_of(types[n]) != kind}
    index, of_index = _index(head, types, seen)
    return replace(
        found,
        types={**found.types, **types},
        written={**found.written, **written},
        notes=(*found.notes, *said.notes, *of_index),
        doubts=(*found.doubts, *(f"{doubt}{seen.where}" for doubt in said.doubts)),
        index=found.index or index,
        empty=tuple(name for name in head.unnamed if name not in {**found.types, **types}),
    )


@dataclass
class Seen:
    """The first cells of columns, as text, and the types that Arrow gives them; columns without values are left out."""

    native: dict[str, pa.DataType]
    texts: dict[str, pa.Array]
    rows: int = 0
    is_all: bool = True

    @property
    def where(self) -> str:
        """Of which rows it holds, where these are not all."""
        return "" if self.is_all else f" (in the first {self.rows:,} rows)"


def _seen(stamp: FileStamp, head: Head, columns: list[str], block_bytes: int) -> Seen:
    strings = pa.schema([(name, pa.string()) for name in head.names])
    layout = Layout(stamp, head.dialect, head.lines, strings, block_bytes)
    with closing(Reading(layout, columns, None).streamed()) as batches:
        seen = Seen(dict(_types_of_block(next(batches, None), stamp, head.dialect)), {})
    with closing(Reading(layout, columns, {name: pa.string() for name in columns}).streamed()) as batches:
        for batch in batches:
            new = [n for n in columns if n not in seen.texts and batch.column(n).null_count < batch.num_rows]
            for name in new:
                seen.texts[name] = batch.column(name)
                seen.native |= {} if name in seen.native else _type_of_text(batch.select([name]), head.dialect)
            seen.is_all, seen.rows = not seen.rows, seen.rows or batch.num_rows
            if len(seen.texts) == len(columns) and not seen.is_all:
                break
    return seen


def _is_written(cells: pa.Array, native: pa.DataType, way: Written) -> bool:
    """Whether cells are read by the way that was said; plain numbers or dates that it cannot read are read plainly."""
    return not way.read(distinct(cells)).null_count or kind_of(native) != way.kind


def _types_of_block(
    batch: pa.RecordBatch | None, stamp: FileStamp, dialect: Dialect
) -> Iterator[tuple[str, pa.DataType]]:
    for column in batch.schema if batch is not None else ():
        if pa.types.is_binary(column.type):
            raise wrong_encoding(stamp, dialect.encoding)
        if not pa.types.is_null(column.type):
            yield column.name, column.type


def _type_of_text(column: pa.RecordBatch, dialect: Dialect) -> dict[str, pa.DataType]:
    """The type of one column that was read as text: Arrow reads it once more, by itself."""
    written = BytesIO()
    pc.write_csv(column.filter(column.column(0).is_valid()), written, pc.WriteOptions(delimiter=dialect.delimiter))
    written.seek(0)
    table = pc.read_csv(written, parse_options=parse_options(dialect, []), convert_options=convert_options(dialect))
    return {column.schema.names[0]: table.schema.types[0]}


def _index(head: Head, types: Mapping[str, pa.DataType], seen: Seen) -> tuple[tuple[str, ...], list[str]]:
    """The first column where it has no name and only names the rows, as pandas and R write it, and a sentence."""
    name = head.names[0]
    if name not in head.unnamed or name not in seen.texts or len(head.unnamed) == len(head.names):
        return (), []
    cells, type_ = seen.texts[name], types[name]
    if not (pa.types.is_integer(type_) or pa.types.is_string(type_)) or len(distinct(cells)) < len(cells):
        return (), []
    words = f"{name!r} has no name and differs in every row{seen.where}: it names the rows and is not learned from"
    return (name,), [words]
