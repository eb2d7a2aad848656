"""Arrow columns as kinds, and as NumPy arrays. Needs pyarrow, so it is imported only where files are read."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InvalidData
from .declared import agreed, as_level, in_order
from .schema import Column, Kind, Schema

# What a column is read as where the user says its kind.
TYPES: dict[Kind, pa.DataType] = {
    "numeric": pa.float64(),
    "boolean": pa.bool_(),
    "categorical": pa.string(),
    "date": pa.timestamp("us"),
}


def kind_of(type_: pa.DataType) -> Kind | None:
    """The kind of the columns of an Arrow type; None for lists, bytes and whatever else has no use here."""
    t = pa.types
    if t.is_dictionary(type_):
        return "categorical"
    if t.is_boolean(type_):
        return "boolean"
    if t.is_integer(type_) or t.is_floating(type_) or t.is_decimal(type_) or t.is_null(type_):
        return "numeric"
    if t.is_string(type_) or t.is_large_string(type_) or t.is_string_view(type_) or t.is_time(type_):
        return "categorical"
    return "date" if t.is_date(type_) or t.is_timestamp(type_) else None


def read_as(type_: pa.DataType) -> pa.DataType:
    """The type in which a column is handed on: times of day as text, everything else as it is."""
    return pa.string() if pa.types.is_time(type_) else type_


def is_ordered(type_: pa.DataType) -> bool:
    """Whether a type declares that its values have an order."""
    return bool(pa.types.is_dictionary(type_) and type_.ordered)


def schema_of(fields: Iterable[pa.Field], origin: str, wanted: Mapping[str, Column] | None = None) -> Schema:
    """Names and kinds of Arrow columns, those in `wanted` as they are there."""
    columns = []
    for field in fields:
        if wanted and field.name in wanted:
            columns.append(wanted[field.name])
            continue
        kind = kind_of(field.type)
        if kind is None:
            raise InvalidData(
                f"Column {field.name!r} of {origin} is of type {field.type}, which is no number, text or "
                "date; leave it out (for a file: columns=[…])."
            )
        columns.append(Column(field.name, kind, ordered=is_ordered(field.type)))
    return Schema(tuple(columns))


def check_names(names: Sequence[str], origin: str) -> None:
    """Refuse a table in which a column has no name, or two have the same."""
    seen: dict[str, int] = {}
    for j, name in enumerate(names, start=1):
        if not name.strip():
            raise InvalidData(
                f"scan: column {j} of {origin} has no name; give it one in the header "
                "(pandas writes such a column for its index: use to_csv(…, index=False))."
            )
        if name in seen:
            raise InvalidData(f"scan: columns {seen[name]} and {j} of {origin} are both named {name!r}; rename one.")
        seen[name] = j


def dictionary(array: pa.Array) -> tuple[str, ...]:
    """The values that an ordered column declares, in its order, whether they occur or not."""
    return tuple(map(as_level, array.dictionary.to_pylist()))


def with_levels(schema: Schema, table: pa.Table) -> Schema:
    """The schema with the levels of ordered columns that it does not know, from the cells of a table."""
    columns = []
    for column in schema.columns:
        if column.ordered and not column.categories:
            chunks = table.column(column.name).chunks
            lists = [dictionary(chunk) if is_ordered(chunk.type) else in_order(distinct(chunk)) for chunk in chunks]
            levels = _united(column.name, lists, is_ordered(table.schema.field(column.name).type))
            column = replace(column, categories=levels)
        columns.append(column)
    return Schema(tuple(columns), schema.named)


def _united(name: str, lists: Sequence[tuple[str, ...]], declared: bool) -> tuple[str, ...]:
    if not declared:
        return in_order(level for levels in lists for level in levels)
    return functools.reduce(lambda one, other: agreed(name, one, other, "Suffice"), lists, ())


def as_wanted(table: pa.Table, wanted: Mapping[str, Column], origin: str) -> pa.Table:
    """The table with the columns in `wanted` read as their kinds."""
    for name, column in wanted.items():
        cells = table.column(name)
        if kind_of(cells.type) != column.kind:
            try:
                plain = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
                table = table.set_column(table.schema.names.index(name), name, plain.cast(TYPES[column.kind]))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise InvalidData(f"Column {name!r} of {origin} cannot be read as {column.kind}: {error}.") from None
    return table


def numbers(array: pa.Array) -> NDArray[Any]:
    """A numeric or boolean column as numbers (n,), NaN where a cell is missing; not copied where possible."""
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        array = array.cast(pa.uint8() if pa.types.is_boolean(array.type) else pa.float64())
    return np.asarray(array.to_numpy(zero_copy_only=False))


def text(array: pa.Array) -> pa.Array:
    """A categorical column as plain strings."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array if pa.types.is_string(array.type) else array.cast(pa.string())


def codes(array: pa.Array, categories: Sequence[str]) -> NDArray[Any]:
    """The positions (n,) of the cells in the list of categories, NaN where a cell is missing."""
    return numbers(pc.index_in(text(array), value_set=pa.array(categories, pa.string()), skip_nulls=True))


def distinct(array: pa.Array) -> set[str]:
    """The different values of a categorical column."""
    return set(pc.unique(text(array)).drop_null().to_pylist())


def labels(array: pa.Array, whole: bool = False) -> NDArray[Any]:
    """Class labels (n,): text as objects, booleans, numbers; `whole` numbers read as floats become ints."""
    if kind_of(array.type) == "categorical":
        encoded = text(array).dictionary_encode()
        values = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
        return np.asarray(values[encoded.indices.fill_null(-1).to_numpy()])
    if pa.types.is_boolean(array.type) and not array.null_count:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    values = numbers(array)
    if whole and np.isfinite(values).all() and (values == np.floor(values)).all():
        return values.astype(np.int64)
    return values


def is_number(cell: str) -> bool:
    """Whether a text is a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
