"""What a dask worker does with one partition: check it, summarise it, merge it with its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.utils import is_dataframe_like

from .. import backend
from ..backend.arrays import Array
from ..errors import InvalidData
from ..typing import Numbers, TableLike, WeightLike
from .declared import as_level, unknown_level
from .memory import to_matrix
from .rows import per_row
from .schema import Schema
from .source import Chunk, Needs
from .validate import check_chunk, check_target, check_weight, total_weight

if TYPE_CHECKING:
    from pandas import DataFrame, Series


@dataclass(frozen=True, slots=True)
class Part:
    """The summary of some partitions, None where they hold no rows, with their rows and weight."""

    rows: int
    weight: float
    summary: Any

    def __add__(self, other: Part) -> Part:
        if self.summary is None or other.summary is None:
            return other if self.summary is None else self
        return Part(self.rows + other.rows, self.weight + other.weight, self.summary + other.summary)


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with every partition: the summary, what the columns are, and whether there is but one."""

    f: Callable[[Chunk], object]
    schema: Schema
    needs: Needs
    alone: bool


def summarise(
    job: Job,
    X: Numbers | DataFrame,
    y: Numbers | Series | None,
    weight: Numbers | Series | None,
    k: int,
    start: int | None,
) -> Part:
    """Check partition k and summarise it, on one thread where other partitions run beside it."""
    if X.shape[0] == 0 and (y is None or len(y) == 0):
        return Part(0, 0.0, None)
    with nullcontext() if job.alone else backend.threads(1):
        chunk = _checked(job, X, y, weight, k, start)
        return Part(len(chunk), total_weight(chunk), job.f(chunk))


def _checked(job: Job, X: TableLike, y: object, weight: WeightLike, k: int, start: int | None) -> Chunk:
    schema, needs = job.schema, job.needs
    if is_dataframe_like(X):
        check_names(X, schema, k, needs.owner)
        check_kinds(X, schema, k, needs.owner)
    origin = f"partition {k}" if start is None else ""
    note = f" ({origin})" if origin else f" (counted from row {start})" if start else ""
    try:
        values = to_matrix(_encoded(X, schema, needs) if is_dataframe_like(X) else X, needs)[0]
    except InvalidData as error:
        raise type(error)(f"{error}{note}") from None
    n, d = values.shape
    if d != len(schema):
        raise InvalidData(f"{needs.owner}: partition {k} has {d} columns where X has {len(schema)}.")
    if weight is not None:
        weight = check_weight(weight, n, needs.owner, f"sample_weight{note}")
    chunk = Chunk(values, check_target(y, n, needs, f"y{note}"), weight, start or 0)
    check_chunk(chunk, schema, needs, origin)
    return chunk


def check_names(frame: Any, schema: Schema, k: int, owner: str) -> None:
    """Refuse a partition whose columns have other names than those of the whole, or stand in another order."""
    names = tuple(map(str, frame.columns))
    if names != schema.names:
        missing = next((name for name in schema.names if name not in names), None)
        what = "in another order" if sorted(names) == sorted(schema.names) else "that are not those of X"
        lacks = "" if missing is None else f"; it has no column {missing!r}"
        raise InvalidData(
            f"{owner}: partition {k} has columns {what}: {_listed(names)} where X has {_listed(schema.names)}{lacks}. "
            "Bring all partitions into one form, such as X.map_partitions(lambda part: part[names])."
        )


def check_kinds(frame: Any, schema: Schema, k: int, owner: str) -> None:
    """Refuse a partition that holds text where the whole holds numbers, or the other way round."""
    for j, column in enumerate(schema.columns):
        cells = frame.iloc[:, j]
        holds, wanted = _content(cells), "text" if column.kind == "categorical" else "numbers"
        if column.kind != "date" and not column.ordered and holds not in (None, wanted):
            raise InvalidData(
                f"{owner}: {schema.describe(j)} of partition {k} holds {holds}, such as {cells.dropna().iloc[0]!r}, "
                f"where that of X holds {wanted}. Turn it into {wanted} in every partition, or leave it out."
            )


def _content(cells: Any) -> str | None:
    """Whether a column of a partition holds text or numbers; None where it is something else, or nothing."""
    if getattr(cells.dtype, "kind", "O") in "biuf":
        return "numbers" if cells.notna().any() else None
    if str(cells.dtype) == "category":
        return None  # categories may be numbers
    return "text" if any(isinstance(value, str) for value in cells.dropna().unique()) else None


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


def _encoded(frame: Any, schema: Schema, needs: Needs) -> Any:
    """The partition with positions in `categories` for the values of every categorical column."""
    frame = frame.copy(deep=False)
    for j, column in enumerate(schema.columns):
        if column.kind == "categorical":
            codes, values = frame.iloc[:, j].factorize()
            position = {value: i for i, value in enumerate(column.categories)}
            texts = [as_level(value) if column.ordered else str(value) for value in values]
            new = next((text for text in texts if text not in position), None)
            if new is not None and column.ordered:
                raise unknown_level(needs.owner, schema.describe(j), new, column.categories)
            if new is not None:
                known = ", ".join(column.categories[:12])
                raise InvalidData(f"{needs.owner}: {schema.describe(j)} holds {new!r}; known are {known}.")
            frame.isetitem(j, np.array([position[text] for text in texts] + [np.nan])[codes])
    return frame


@dataclass(frozen=True, slots=True)
class _Labels:
    """The values that stand in each of some columns."""

    values: tuple[frozenset[Any], ...]

    def __add__(self, other: _Labels) -> _Labels:
        return _Labels(tuple(a | b for a, b in zip(self.values, other.values, strict=True)))


def labels(frame: Any, columns: list[int], schema: Schema, k: int, owner: str) -> Part:
    """The values that stand in some columns of partition k, by their places in the whole."""
    check_names(frame, schema, k, owner)
    values = tuple(frozenset(frame.iloc[:, j].dropna().unique().tolist()) for j in columns)
    return Part(len(frame), len(frame), _Labels(values))


def selected(frame: Any, names: list[Any]) -> Any:
    """Some columns of a partition; all of them where it lacks one, which `check_names` will report."""
    return frame[names] if set(names) <= set(frame.columns) else frame


def merged(parts: list[Part]) -> Part:
    """Neighbours merged in pairs, then the pairs, and so on."""
    while len(parts) > 1:
        pairs = [left + right for left, right in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return parts[0]


def result(part: Part, empty: Array) -> Array:
    return empty if part.summary is None else per_row(part.summary)
