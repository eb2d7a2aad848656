"""What a user says of columns: their kinds, and the order of their levels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, did_you_mean
from .schema import Column, Kind, Schema
from .written import written_like

# A kind, "ordinal" for categories in the order that the table declares, how its cells are written, such as "1.234,5" or
# "dd/mm/yyyy", or the levels of an ordinal column in order.
Types = Mapping[str, Kind | Literal["ordinal"] | str | Sequence[str]]
KNOWN = (*get_args(Kind), "ordinal")


def declared(types: Types, names: Sequence[str], origin: str, owner: str = "scan") -> dict[str, Column]:
    """The columns that `types` names; what is no column, kind or list of levels is refused.

    >>> declared({"size": ["S", "M", "L"]}, ["size"], "the table")["size"]
    Column(name='size', kind='categorical', categories=('S', 'M', 'L'), ordered=True)
    """
    for name in types:
        if name not in names:
            hint = did_you_mean(name, list(names))
            raise InvalidData(f"{owner}: types names {name!r}, which is no column of {origin}.{hint}")
    return {name: _column(name, wanted, owner) for name, wanted in types.items()}


def _column(name: str, wanted: object, owner: str) -> Column:
    if isinstance(wanted, str) and wanted in KNOWN:
        ordered = wanted == "ordinal"
        return Column(name, "categorical" if ordered else cast(Kind, wanted), ordered=ordered)
    written = written_like(wanted) if isinstance(wanted, str) else None
    if written is not None:
        return Column(name, written.kind)
    if isinstance(wanted, list | tuple | np.ndarray) and len(wanted):
        levels = tuple(map(as_level, wanted))
        twice = next((level for level in levels if levels.count(level) > 1), None)
        if twice is not None:
            raise InvalidData(f"{owner}: types lists the level {twice!r} of column {name!r} twice; name it once.")
        return Column(name, "categorical", levels, ordered=True)
    hint = did_you_mean(str(wanted), list(KNOWN))
    raise InvalidData(
        f"{owner}: types has {wanted!r} for column {name!r}; known kinds: {', '.join(KNOWN)}, an example such as "
        f"'1.234,5' or 'dd/mm/yyyy', or a list of levels in order.{hint}"
    )


def redeclared(schema: Schema, types: Types, owner: str) -> Schema:
    """The schema of a table whose cells are not read yet, with the columns that `types` names as they are wanted."""
    wanted = declared(types, schema.names, "X", owner)
    columns = []
    for column in schema.columns:
        new = wanted.get(column.name, column)
        if new.kind not in (column.kind, "categorical") or (new.kind != column.kind and not new.ordered):
            raise _other_kind(column, new, owner)
        own = new.ordered == column.ordered and not new.categories  # "ordinal" keeps the order of the table
        columns.append(column if own and new.kind == column.kind else new)
    return Schema(tuple(columns), schema.named)


def _other_kind(column: Column, wanted: Column, owner: str) -> InvalidData:
    return InvalidData(
        f"{owner}: types wants column {column.name!r}, which is {column.kind}, to be {wanted.kind}; turn it into that "
        "in the table."
    )


def as_level(value: object) -> str:
    """A value as the text of a level; whole numbers have no decimal point.

    >>> as_level(2.0), as_level("L"), as_level(True)
    ('2', 'L', 'true')
    """
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return f"{value:.0f}"
    return str(value)


def in_order(values: Iterable[str]) -> tuple[str, ...]:
    """Levels whose order nobody declared: numbers by size, text by the alphabet.

    >>> in_order(["10", "9"]), in_order(["b", "a"])
    (('9', '10'), ('a', 'b'))
    """
    levels = sorted(set(values))
    try:
        return tuple(sorted(levels, key=_number))
    except ValueError:
        return tuple(levels)


def _number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise ValueError(text)
    return number


def agreed(name: str, one: Sequence[str], other: Sequence[str], owner: str) -> tuple[str, ...]:
    """The levels of a column of which two parts of a table each list some, the longer list in its order."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if [level for level in longer if level in set(shorter)] != list(shorter):
        raise InvalidData(
            f"{owner}: column {name!r} has the levels {', '.join(one)} in one part and {', '.join(other)} in another; "
            f"say their order: types={{{name!r}: […]}}."
        )
    return tuple(longer)


def unknown_level(owner: str, place: str, value: str, levels: Sequence[str]) -> InvalidData:
    """The error for a cell that holds none of the declared levels."""
    known = ", ".join(levels[:12]) + (", …" if len(levels) > 12 else "")
    return InvalidData(
        f"{owner}: {place} holds {value!r}, which is none of its levels: {known}. Add it to them in types=…, or make "
        "the cell missing."
    )


def retyped(X: NDArray[np.generic], schema: Schema, types: Types, owner: str) -> tuple[NDArray[np.generic], Schema]:
    """Rows in memory with the columns that `types` names as they are wanted; the rows given are not changed."""
    wanted = declared(types, schema.names, "X", owner)
    if not wanted:
        return X, schema
    columns, cells = list(schema.columns), np.array(X)
    for j, column in enumerate(schema.columns):
        if column.name in wanted:
            columns[j], made = _retyped(column, wanted[column.name], cells[:, j], owner)
            cells[:, j] = made
    return cells, Schema(tuple(columns), schema.named)


def _retyped(
    column: Column, wanted: Column, cells: NDArray[np.generic], owner: str
) -> tuple[Column, NDArray[np.generic]]:
    if wanted.kind == column.kind and wanted.kind != "categorical":
        return column, cells
    if wanted.kind != "categorical":
        raise _other_kind(column, wanted, owner)
    values, codes = np.unique(cells, return_inverse=True, equal_nan=True)
    held = values[~np.isnan(values)]
    texts = [column.categories[int(v)] if column.categories else as_level(v) for v in held.tolist()]
    levels = wanted.categories or (column.categories if column.ordered == wanted.ordered and column.categories else ())
    levels = levels or (in_order(texts) if wanted.ordered else tuple(sorted(set(texts))))
    place = {level: float(i) for i, level in enumerate(levels)}
    new = next((text for text in texts if text not in place), None)
    if new is not None:
        row = int(np.argmax(codes == texts.index(new)))
        raise unknown_level(owner, f"column {column.name!r}, row {row}", new, levels)
    return replace(wanted, categories=levels), np.array([*(place[text] for text in texts), np.nan])[codes]
