"""Tables as they are, for `describe`: files, frames, bundled tables and arrays as Arrow batches of all kinds."""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidData, did_you_mean, needed
from ..typing import Floats, Labels, TableLike
from . import datasets
from .columns import tabled
from .declared import Types, declared
from .file_source import READING_BYTES, FileSource, Names, batches
from .files import TableFile, entries, format_of
from .parts import Open, Parts
from .readahead import ReadAhead
from .scan import scan
from .schema import Schema, unnamed
from .series import with_text_levels
from .source import Chunk, Needs, S, Source

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame

_BATCH_CELLS = 1 << 19  # cells of a batch from memory: a few megabytes
_SIDE_BY_SIDE = 64  # batches from memory that are worked on at a time, where there are so many threads


@dataclass(frozen=True)
class HowRead:
    """How a file was read, where that is not obvious: `notes` and `doubts` are sentences.

    Doubts are about columns that look like something else than what they are read as. `index` are columns that only
    name the rows, and `examples` say how numbers and dates are written for people. `unused` are columns of objects that
    are only shown as text.
    """

    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    index: Names = ()
    examples: Mapping[str, str] = field(default_factory=dict)
    unused: Names = ()


@dataclass(frozen=True)
class Table(Source):
    """Any table: a source whose chunks hold `pyarrow.RecordBatch`es, with columns of all kinds.

    `parts` are runs of its rows that can be read by themselves, `most` of them at a time.
    """

    schema: Schema
    name: str
    parts: tuple[Open, ...]
    n_rows: int | None = None
    most: int = 1
    read: HowRead = field(default_factory=lambda: HowRead())
    needs: Needs = field(default_factory=lambda: Needs(owner="describe", missing=True, categories=True))

    def chunks(self) -> Generator[Chunk, None, None]:
        for part in self.parts:
            with closing(part(True)) as chunks:
                yield from chunks

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        """The merged summary of all rows, in row order; parts are summed up side by side."""
        if len(self.parts) < 2:
            return super().reduce(summarise)
        job = partial(_total, summarise=summarise)
        with closing(Parts(self.parts, job, self.n_rows, self.most).results()) as results:
            return functools.reduce(operator.add, results)

    def suited_to(self, needs: Needs, columns: Names | None = None) -> Table:
        raise InvalidData(f"{needs.owner}: {self} is a table with columns of all kinds; give the data themselves.")

    def __str__(self) -> str:
        return self.name


def _total(chunks: Any, summarise: Callable[[Chunk], S]) -> S:
    return functools.reduce(operator.add, map(summarise, chunks))


def as_table(data: Any, **options: object) -> Source:
    """Any table as a source of record batches: a file or pattern, a scan, a frame, a mapping of columns, an
    array, rows in lists, a dask collection, a bundled table or its name.

    `options` say how a file is read, as in `scan`; `types` says what the columns of any table are.

    >>> str(as_table("iris")), as_table("iris").n_rows
    ('iris', 150)
    """
    needed("pyarrow", "files")
    if isinstance(data, str | os.PathLike) or _is_paths(data):
        if isinstance(data, str) and not os.path.isfile(data) and data in datasets.names():
            data = datasets.load(data)
        else:
            data = _scanned(data, options)
            options = {}
    types: Any = options.pop("types", None) or {}
    if types and isinstance(data, FileSource):
        raise InvalidData("types: a scan has its types; say them where it is made: scan(path, types=…).")
    if options:
        raise InvalidData(f"{', '.join(options)}: these options say how a file is read, and this is no path.")
    if isinstance(data, FileSource):
        return _from_files(data)
    if isinstance(data, datasets.Dataset):
        return _from_arrow(data.to_frame("pyarrow"), data.name, types)
    if isinstance(data, np.ndarray):
        return _from_array(data, types)
    if type(data).__module__.partition(".")[0] in ("dask", "dask_expr"):
        from .dask_table import table_of

        return table_of(data, types)
    if isinstance(data, list | tuple):
        return _from_array(np.array(data, dtype=object), types)  # cells stay what they are
    return _from_frame(_frame(tabled(data, "the table")), types)


def _from_frame(frame: nw.DataFrame[IntoDataFrame], types: Types) -> Table:
    """The columns of a frame; those that Arrow, or `describe`, has no kind for are shown as text, and that is said."""
    import pyarrow as pa

    from .arrow import kind_of
    from .frames import as_written, column_by_column, written_for_people

    table: pa.Table | None = None
    notes: tuple[str, ...] = ()
    other: Names = ()
    with suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
        table = _converted(frame)
    if table is None or any(kind_of(type_) is None for type_ in table.schema.types):
        table, notes, other = column_by_column(frame, _converted)
    read = HowRead(notes, written_for_people(table, (*types, *other)), unused=other)
    return replace(_from_arrow(as_written(table, types), "the frame", types), read=read)


def _is_paths(data: TableLike) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(x, str | os.PathLike) for x in data)


def _scanned(paths: Any, options: dict[str, Any]) -> FileSource:
    """The scan of a path; a name that is neither a file nor a bundled table gets a hint from both."""
    if isinstance(paths, str) and _is_plain_name(paths) and not os.path.exists(paths):
        known = [*datasets.names(), *(entry for entry in entries() if format_of(entry))]
        raise InvalidData(
            f"There is no file and no bundled table {paths!r}.{did_you_mean(paths, known)} "
            f"Bundled tables: {', '.join(datasets.names())}."
        )
    return scan(paths, **options)


def _is_plain_name(path: str) -> bool:
    return not any(letter in path for letter in "*?[/\\") and format_of(path) is None


def _from_files(source: FileSource) -> Table:
    """The columns that the source uses, target and weight too, in the order of the file."""
    source = source.with_levels()
    own = (source.schema, source.beside, source.index)
    used = {column.name: column for schema in own for column in schema.columns}
    if len(used) == len(source.schema):
        names = source.schema.names
    else:
        names = tuple(name for name in source.files[0].fields.names if name in used)

    schema = Schema(tuple(used[name] for name in names))
    said = HowRead(source.notes, source.doubts, source.index.names, source.examples)
    if source.n_rows is None:  # where a part begins is not known
        return Table(schema, str(source), (partial(_read, source.files, names, 0),), read=said)
    parts: list[Open] = []
    start = 0
    for part in (part for file in source.files for part in file.parts()):
        parts.append(partial(_read, (part,), names, start))
        start += part.n_rows or 0
    most = READING_BYTES // max(file.held_bytes(names) for file in source.files)
    return Table(schema, str(source), tuple(parts), source.n_rows, max(1, most), said)


def _read(files: tuple[TableFile, ...], names: Names, start: int, ahead: bool) -> Generator[Chunk, None, None]:
    found = batches(files, names)
    with closing(ReadAhead(found) if ahead else found) as read:
        for _, _, batch in read:
            yield Chunk(batch, start=start)
            start += batch.num_rows


def _from_arrow(table: pa.Table, name: str, types: Types) -> Table:
    from .arrow import as_wanted, check_names, schema_of, with_levels

    check_names(table.schema.names, name)
    wanted = declared(types, table.schema.names, name, "types")
    table = as_wanted(table, wanted, name)
    schema = with_levels(schema_of(table.schema, name, wanted), table)
    size = max(1, _BATCH_CELLS // max(1, len(schema)))
    return _in_memory(schema, name, table.num_rows, size, lambda first: table.slice(first, size))


def _in_memory(schema: Schema, name: str, n: int, size: int, rows_from: Callable[[int], pa.Table]) -> Table:
    """A table whose rows are taken `size` at a time; one without rows has one chunk without rows."""

    def read(first: int, ahead: bool) -> Generator[Chunk, None, None]:
        start = first
        for batch in as_batches(rows_from(first)):
            yield Chunk(batch, start=start)
            start += batch.num_rows

    parts = tuple(partial(read, first) for first in range(0, max(n, 1), size))
    return Table(schema, name, parts, n, _SIDE_BY_SIDE)


def as_batches(table: pa.Table, most: int | None = None) -> list[pa.RecordBatch]:
    """The rows as batches of at most so many, times of day as text; one empty batch where there are none."""
    import pyarrow as pa

    from .arrow import read_as

    for j, column in enumerate(table.schema):
        if read_as(column.type) != column.type:
            table = table.set_column(j, column.name, table.column(j).cast(read_as(column.type)))
    nothing = [pa.array([], column.type) for column in table.schema]
    return table.to_batches(max_chunksize=most) or [pa.record_batch(nothing, table.schema)]


def _from_array(values: Floats, types: Types) -> Table:
    """The columns of an array, which have numbers for names; numbers are taken over chunk by chunk."""
    if values.ndim != 2:
        raise InvalidData(f"A table has rows and columns; got an array of shape {values.shape}.")
    n, d = values.shape
    if values.dtype.kind not in "fiu" or not d or types:
        made = _from_arrow(array_to_arrow(values), "the array", types)
        return replace(made, schema=Schema(made.schema.columns, named=False))
    size = max(1, _BATCH_CELLS // d)
    return _in_memory(unnamed(d), "the array", n, size, lambda first: array_to_arrow(values[first : first + size]))


def array_to_arrow(values: Labels) -> pa.Table:
    """An array (n, d) as a table with the columns x0, x1, …"""
    import pyarrow as pa

    return pa.table({f"x{j}": _column(values[:, j], f"x{j}") for j in range(values.shape[1])})


def _column(values: Labels, name: str) -> object:
    import pyarrow as pa

    try:
        return pa.array(np.ascontiguousarray(values), from_pandas=values.dtype == object)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise _mixed(name, "the array", error) from None


def frame_to_arrow(data: object) -> pa.Table:
    """A frame of any library as an Arrow table with its columns."""
    import pyarrow as pa

    try:
        return _converted(_frame(data))
    except (pa.ArrowException, TypeError) as error:
        raise _mixed("", "the frame", error) from None


def _frame(data: object) -> nw.DataFrame[IntoDataFrame]:
    """The frame itself, whichever library it is of."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.table(data)
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.NarwhalsError as error:  # such as two columns of the same name
        raise InvalidData(f"This frame cannot be used: {' '.join(str(error).split())}.") from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidData("This frame is lazy: it has no rows yet; call collect() first.")
    if not isinstance(frame, nw.DataFrame):
        raise InvalidData(
            "A table is a file, a frame, a mapping of columns, a 2-D array or the name of a bundled table; got "
            f"{type(data).__name__}."
        )
    return frame


def _converted(frame: nw.DataFrame[IntoDataFrame]) -> pa.Table:
    table = with_text_levels(frame).to_arrow()
    own = set(map(str, frame.columns))  # pandas adds its index
    return table.select([name for name in table.schema.names if name in own])


def _mixed(column: str, origin: str, error: Exception) -> InvalidData:
    """The error for a column whose cells are not all of one type."""
    place = f"column {column!r} of {origin}" if column else f"a column of {origin}"
    reason = " ".join(str(part) for part in error.args)
    return InvalidData(f"The cells of {place} are not of one type ({reason}); turn them all into numbers or text.")
