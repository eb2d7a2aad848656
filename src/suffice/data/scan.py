"""Files as a source: CSV and Parquet of any size, read chunk by chunk, as often as a model wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from ..errors import InvalidData, InvalidParameter, needed
from ..text import listed
from .declared import Types, declared
from .file_source import FileSource, Names, as_names, named
from .files import PathLike, TableFile, find_files
from .schema import Column, Schema
from .validate import positions

WITHOUT_TARGET = ("refuse", "leave_out")
__all__ = ["MISSING", "FileSource", "scan"]

MISSING = ("", "NA", "N/A", "n/a", "na", "<NA>", "NaN", "nan", "NULL", "null", "None", "#N/A", "-", "--", "?", ".")


def scan(
    paths: PathLike | Sequence[PathLike],
    *,
    target: str | Sequence[str] | None = None,
    weight: str | None = None,
    columns: Sequence[str] | None = None,
    missing: Sequence[str] = MISSING,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str = "utf-8",
    types: Types | None = None,
    without_target: Literal["refuse", "leave_out"] = "refuse",
) -> FileSource:
    """Open a CSV or Parquet file, a list of them, or all that match a pattern, without reading them.

    Models read the rows in chunks, so a file may be larger than memory. Rows of several files follow one
    another in the order of the sorted names, and all files must have the same columns. A file that changes
    later is an error, never a partial answer.

    `target` and `weight` name the columns to predict and to weight by; `columns` the ones to learn from, all
    others where it is not given. A list of targets gives a target with as many columns. Rows whose target is missing
    are refused by models that need it, or left out: without_target="leave_out".

    For CSV: the ending is .csv, .tsv or .txt, also with .gz, and the first line is the header, but for lines above it
    that begin with #. The delimiter is found out unless given. Cells that read like one of `missing` are missing. Blank
    lines are skipped. A column has the kind of its first values ("numeric", "boolean", "categorical" or "date") unless
    `types` says otherwise, such as types={"zip": "categorical"}. Ordered categories are "ordinal", in the order that a
    Parquet file declares or else sorted, or are the list of their levels: types={"size": ["S", "M", "L"]}.

    Numbers and dates that are written for people are recognised where all of the first values of a column agree, such
    as $1,234.50, 12 %, 1.234,5 and 31/12/2020; a later cell that is written otherwise is refused. `decimal` and
    `thousands` say what marks mean that can be read in two ways, as in 1,234, and an example in `types` says it of one
    column: types={"price": "1.234,5", "day": "mm/dd/yyyy"}. Columns without a name are called column_1, column_2, …,
    and a name that comes again name.2. A first column that has no name and differs in every row, as pandas and R write
    it, only names the rows: it is not used unless `columns` names it. `notes` of the result say what was done.
    """
    needed("pyarrow", "files")
    if without_target not in WITHOUT_TARGET:
        raise InvalidParameter(f"scan: without_target must be one of {listed(WITHOUT_TARGET)}; got {without_target!r}.")
    stamps, format_ = find_files(paths)
    if format_ == "csv":
        from .csv import open_csv
        from .csv_head import Dialect

        files: tuple[TableFile, ...] = open_csv(
            stamps,
            Dialect(delimiter or "", decimal or "", encoding, tuple(missing), thousands or ""),
            types or {},
        )
    else:
        from .parquet import open_parquet

        files = open_parquet(stamps, types or {})
    found = _source(files, target, weight, columns, types or {})
    return replace(found, leaves_out=True) if without_target == "leave_out" else found


def _source(
    files: tuple[TableFile, ...],
    target: str | Sequence[str] | None,
    weight: str | None,
    columns: Sequence[str] | None,
    types: Types,
) -> FileSource:
    from .arrow import schema_of

    fields, origin = _common_fields(files), named(files)
    targets = target if isinstance(target, str) or target is None else tuple(target)
    beside = _distinct([*as_names(targets), *([weight] if weight is not None else [])], "target or weight")
    features = _distinct(as_names(columns), "columns") if columns is not None else None
    for name in (*beside, *(features or ())):
        if name not in fields.names:
            positions(Schema(tuple(Column(known) for known in fields.names)), (name,), "scan", origin)
    index = [name for name in dict.fromkeys(name for file in files for name in file.index) if name not in beside]
    if features is None:
        others = tuple(name for name in fields.names if name not in beside)
        features = tuple(name for name in others if name not in index) or others
    index = [name for name in index if name not in features]
    both = next((name for name in features if name in beside), None)
    if both is not None:
        raise InvalidData(f"scan: column {both!r} is target or weight, and in columns too; take it out of one of them.")
    if not features:
        raise InvalidData(f"scan: {origin} has no columns left to learn from; name at least one in columns=….")
    wanted = declared(types, fields.names, origin)
    schema, rest, rows = (schema_of(map(fields.field, names), origin, wanted) for names in (features, beside, index))
    _check_beside(rest, weight, origin)
    return FileSource(files, schema, rest, targets, weight, index=rows)


def _distinct(names: Sequence[str], place: str) -> Names:
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InvalidData(f"scan: column {twice!r} stands twice in {place}; name it once.")
    return tuple(names)


def _check_beside(beside: Schema, weight: str | None, origin: str) -> None:
    for column in beside.columns:
        if column.kind == "date":
            raise InvalidData(f"scan: column {column.name!r} of {origin} holds dates; a target or weight cannot.")
        if column.name == weight and column.kind == "categorical":
            raise InvalidData(
                f"scan: the weight column {column.name!r} of {origin} is categorical; numbers are needed."
            )


def _common_fields(files: tuple[TableFile, ...]) -> Any:
    """The columns that all files have, a pyarrow.Schema; the type "null" gives way to any other."""
    import pyarrow as pa

    from .arrow import kind_of

    common = files[0].fields
    for file in files[1:]:
        _check_same_names(files[0], file)
        for j, one in enumerate(common):
            other = file.fields.field(one.name)
            if pa.types.is_null(one.type):
                common = common.set(j, other)
            elif not pa.types.is_null(other.type) and kind_of(one.type) != kind_of(other.type):
                raise InvalidData(
                    f"scan: column {one.name!r} is of type {one.type} in {files[0].stamp} but {other.type} in "
                    f"{file.stamp}; say types={{{one.name!r}: 'categorical'}}, or mend the file."
                )
    if sum(1 if file.n_rows is None else file.n_rows for file in files) == 0:
        raise InvalidData(f"scan: {named(files)} has columns but no rows; at least 1 is needed.")
    return common


def _check_same_names(first: TableFile, other: TableFile) -> None:
    missing = next((name for name in first.fields.names if name not in other.fields.names), None)
    extra = next((name for name in other.fields.names if name not in first.fields.names), None)
    if missing is not None or extra is not None:
        which = f"has no column {missing!r}" if missing is not None else f"has a column {extra!r} besides"
        raise InvalidData(f"scan: {other.stamp} {which}, unlike {first.stamp}; all files must have the same columns.")
