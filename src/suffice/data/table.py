"""Tables as they are, for `describe`: files, frames, bundled tables and arrays as Arrow batches of all kinds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InvalidData, did_you_mean, needed
from . import datasets
from .file_source import FileSource, batches
from .files import format_of
from .readahead import ReadAhead
from .scan import scan
from .schema import Schema

_BATCH_CELLS = 1 << 19  # cells of a batch from memory: a few megabytes


@dataclass(frozen=True)
class Table:
    """Any table: what its columns are, and its rows as pyarrow.RecordBatches, as often as wanted."""

    schema: Schema
    n_rows: int | None
    name: str
    read: Callable[[], Iterator[Any]]

    def batches(self) -> Iterator[Any]:
        """The rows in order, as record batches of a few megabytes."""
        return self.read()

    def __str__(self) -> str:
        return self.name


def as_table(data: Any, **options: Any) -> Table:
    """Any table as a `Table`: a file or pattern, a scan, a frame, an array, a bundled table or its name.

    `options` say how a file is read, as in `scan`.

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
    if options:
        raise InvalidData(f"{', '.join(options)}: these options say how a file is read, and this is no path.")
    if isinstance(data, FileSource):
        return _from_files(data)
    if isinstance(data, datasets.Dataset):
        return _from_arrow(data.to_frame("pyarrow"), data.name)
    if isinstance(data, np.ndarray):
        return _from_array(data)
    return _from_frame(data)


def _is_paths(data: Any) -> bool:
    return isinstance(data, list | tuple) and bool(data) and all(isinstance(x, str | os.PathLike) for x in data)


def _scanned(paths: Any, options: dict[str, Any]) -> FileSource:
    """The scan of a path; a name that is neither a file nor a bundled table gets a hint from both."""
    if isinstance(paths, str) and _is_plain_name(paths) and not os.path.exists(paths):
        known = [*datasets.names(), *(entry for entry in sorted(os.listdir()) if format_of(entry))]
        raise InvalidData(
            f"There is no file and no bundled table {paths!r}.{did_you_mean(paths, known)} "
            f"Bundled tables: {', '.join(datasets.names())}."
        )
    return scan(paths, **options)


def _is_plain_name(path: str) -> bool:
    return not any(letter in path for letter in "*?[/\\") and format_of(path) is None


def _from_files(source: FileSource) -> Table:
    """The columns that the source uses, target and weight too, in the order of the file."""
    used = {column.name: column for column in (*source.schema.columns, *source.beside.columns)}
    if not source.beside.columns:
        names = source.schema.names
    else:
        names = tuple(name for name in source.files[0].fields.names if name in used)

    def read() -> Iterator[Any]:
        with closing(ReadAhead(batches(source.files, names))) as parts:
            for _, _, batch in parts:
                yield batch

    return Table(Schema(tuple(used[name] for name in names)), source.n_rows, str(source), read)


def _from_arrow(table: Any, name: str) -> Table:
    from .arrow import check_names, read_as, schema_of

    check_names(table.schema.names, name)
    schema = schema_of(table.schema, name)
    for j, field in enumerate(table.schema):
        if read_as(field.type) != field.type:
            table = table.set_column(j, field.name, table.column(j).cast(read_as(field.type)))
    size = max(1, _BATCH_CELLS // max(1, len(schema)))
    return Table(schema, table.num_rows, name, lambda: iter(table.to_batches(max_chunksize=size)))


def _from_array(values: Any) -> Table:
    """The columns of an array, which have numbers for names."""
    import pyarrow as pa

    if values.ndim != 2:
        raise InvalidData(f"A table has rows and columns; got an array of shape {values.shape}.")
    table = pa.table({f"x{j}": _column(values[:, j], f"x{j}") for j in range(values.shape[1])})
    made = _from_arrow(table, "the array")
    return replace(made, schema=replace(made.schema, named=False))


def _column(values: Any, name: str) -> Any:
    import pyarrow as pa

    try:
        return pa.array(np.ascontiguousarray(values), from_pandas=values.dtype == object)
    except (pa.ArrowException, TypeError) as error:
        raise _mixed(name, "the array", error) from None


def _from_frame(data: Any) -> Table:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(data, pa.RecordBatch):
        data = pa.table(data)
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.NarwhalsError as error:  # such as two columns of the same name
        raise InvalidData(f"This frame cannot be used: {' '.join(str(error).split())}.") from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidData("This frame is lazy: it has no rows yet; call collect() or compute() first.")
    if not isinstance(frame, nw.DataFrame):
        raise InvalidData(
            f"A table is a file, a frame, a 2-D array or the name of a bundled table; got {type(data).__name__}."
        )
    try:
        table = frame.to_arrow()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _mixed("", "the frame", error) from None
    return _from_arrow(table.select([n for n in table.schema.names if n in map(str, frame.columns)]), "the frame")


def _mixed(column: str, origin: str, error: Exception) -> InvalidData:
    """The error for a column whose cells are not all of one type."""
    place = f"column {column!r} of {origin}" if column else f"a column of {origin}"
    reason = " ".join(str(part) for part in error.args)
    return InvalidData(f"The cells of {place} are not of one type ({reason}); turn them all into numbers or text.")
