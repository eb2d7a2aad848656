"""Arrow columns as kinds, and as NumPy arrays. Needs pyarrow, so it is imported only where files are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InvalidData, did_you_mean
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


def schema_of(fields: Iterable[pa.Field], origin: str) -> Schema:
    """Names and kinds of Arrow columns."""
    columns = []
    for field in fields:
        kind = kind_of(field.type)
        if kind is None:
            raise InvalidData(
                f"Column {field.name!r} of {origin} is of type {field.type}, which is no number, text or "
                "date; leave it out (for a file: columns=[…])."
            )
        columns.append(Column(field.name, kind))
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


def check_types(types: Mapping[str, Kind], names: Sequence[str], origin: str) -> None:
    """Refuse a `types` that names an unknown column or kind."""
    for name, kind in types.items():
        if name not in names:
            raise InvalidData(
                f"scan: types names {name!r}, which is no column of {origin}.{did_you_mean(name, list(names))}"
            )
        if kind not in TYPES:
            hint = did_you_mean(str(kind), list(TYPES))
            raise InvalidData(f"scan: types has {kind!r} for column {name!r}; known kinds: {', '.join(TYPES)}.{hint}")


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
