"""Columns of frames that are no numbers, text or dates, as `describe` shows them: durations in days, others as text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ..errors import InvalidData
from ..text import counted
from .declared import Types
from .rows import is_gap
from .written import WrittenNumber, written_like

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame

_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_NAMED = 3  # types that a sentence names
_LOOKED_AT = 10_000  # rows by which columns of text are judged


def column_by_column(
    frame: nw.DataFrame[IntoDataFrame], converted: Callable[[nw.DataFrame[IntoDataFrame]], pa.Table]
) -> tuple[pa.Table, tuple[str, ...], tuple[str, ...]]:
    """The columns as Arrow holds them, what is to be said of those that are shown otherwise, and which are no features.

    `converted` turns a frame into an Arrow table, or raises.
    """
    import pyarrow as pa

    from .arrow import kind_of

    columns, notes, other = {}, [], []
    for name in frame.columns:
        try:
            cells = converted(frame.select(name)).column(0)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            cells = None
        if cells is not None and pa.types.is_duration(cells.type):
            columns[name] = pa.chunked_array([_days(chunk) for chunk in cells.chunks], pa.float64())
            notes.append(f"{name!r} holds durations, in days")
        elif cells is not None and kind_of(cells.type) is not None:
            columns[name] = cells
        else:
            columns[name], held = _texts(frame[name].to_list())
            notes.append(f"{name!r} holds {held}: it is described as text and not learned from")
            other.append(name)
    return pa.table(columns), tuple(notes), tuple(other)


def as_written(table: pa.Table, types: Types) -> pa.Table:
    """The table with numbers and dates for columns of text of which `types` has an example of how they are written."""
    import pyarrow as pa

    from .arrow import TYPES

    ways = {name: written_like(given) for name, given in types.items() if isinstance(given, str)}
    for name, way in ways.items():
        cells = table.column(name) if way is not None and name in table.schema.names else None
        if way is None or cells is None or not _is_text(cells.type):
            continue
        cells = cells.cast(pa.string())
        made = pa.chunked_array([way.read(chunk) for chunk in cells.chunks], TYPES[way.kind])
        if made.null_count > cells.null_count:
            odd = cells.filter(made.is_null()).drop_null()[0].as_py()
            raise InvalidData(f"types: column {name!r} of the frame holds {odd!r}, which is not written like {way}.")
        table = table.set_column(table.schema.names.index(name), name, made)
    return table


def written_for_people(table: pa.Table, known: Collection[str]) -> tuple[str, ...]:
    """Which columns of text, but for those that are `known`, look like numbers or dates by their first rows."""
    import pyarrow as pa

    from .recognise import recognise

    names = [column.name for column in table.schema if _is_text(column.type) and column.name not in known]
    first = table.select(names).slice(0, _LOOKED_AT)
    columns = {name: first.column(name).cast(pa.string()).combine_chunks() for name in names}
    texts = {name: cells for name, cells in columns.items() if cells.null_count < len(cells)}
    found = recognise(texts, dict.fromkeys(texts, pa.string()), ",", "", "")
    said = [
        f"column {name!r} looks like {'numbers' if way.kind == 'numeric' else 'dates'} that are text; "
        f"say types={{{name!r}: {('numeric' if way == WrittenNumber() else str(way))!r}}}"
        for name, way in found.written.items()
    ]
    return (*said, *found.doubts)


def _is_text(type_: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))


def _days(cells: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.divide(cells.cast(pa.int64()).cast(pa.float64(), safe=False), float(_DAY[cells.type.unit]))


def _texts(cells: list[object]) -> tuple[pa.Array, str]:
    """The cells as text, and what they are."""
    import pyarrow as pa

    there = [not _is_missing(cell) for cell in cells]
    kinds = sorted({type(cell).__name__ for cell, known in zip(cells, there, strict=True) if known})
    more = f" and {counted(len(kinds) - _NAMED, 'other type')}" if len(kinds) > _NAMED else ""
    words = f"cells of the type{'s' * (len(kinds) > 1)} {', '.join(kinds[:_NAMED])}{more}"
    texts = [str(cell) if known else None for cell, known in zip(cells, there, strict=True)]
    return pa.array(texts, pa.string()), words


def _is_missing(cell: object) -> bool:
    try:
        return is_gap(cell)
    except ValueError:  # an array, which equals itself cell by cell
        return False
