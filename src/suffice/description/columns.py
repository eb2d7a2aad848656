"""The figures of columns in plain values, and what is odd about a column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..data.declared import in_order
from ..data.schema import Column
from ..statistics.frequent import Frequent
from .column_summaries import CategorySummary, DateSummary, NumberSummary, Summary, key_of, shown
from .table_summary import TableSummary

MANY_ROWS = 20  # fewer different values say nothing about a column


@dataclass(frozen=True)
class Share:
    """A value of a column, in how many rows it stands, and in what share of those that are not missing."""

    value: str
    count: int
    share: float


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers; every figure is of its finite values, `deviation` divides by n - 1."""

    name: str
    kind: str
    rows: int
    missing: int
    infinite: int
    mean: float
    deviation: float
    minimum: float
    quantiles: dict[float, float]
    maximum: float
    rank_error: float


@dataclass(frozen=True)
class CategoryColumn:
    """A column of text or of yes and no; with `exact` False, `distinct` and the counts are lower bounds."""

    name: str
    kind: str
    rows: int
    missing: int
    distinct: int
    exact: bool
    top: tuple[Share, ...]


@dataclass(frozen=True)
class OrdinalColumn:
    """A column of ordered levels: how often each occurs, the lowest first, and quantiles that are levels.

    The q-quantile is the lowest level that, with those below, holds a share q of the rows. `unknown` rows hold none of
    the levels.
    """

    name: str
    kind: str
    rows: int
    missing: int
    unknown: int
    levels: tuple[Share, ...]
    lowest: str | None
    quantiles: dict[float, str | None]
    median: str | None
    highest: str | None


@dataclass(frozen=True)
class DateColumn:
    """A column of dates or times, as ISO 8601 text; None where all are missing."""

    name: str
    kind: str
    rows: int
    missing: int
    earliest: str | None
    latest: str | None


ColumnDescription = NumberColumn | CategoryColumn | OrdinalColumn | DateColumn


@dataclass(frozen=True)
class Description:
    """What the columns of a table look like; print it, or take the figures from `columns`."""

    title: str
    rows: int
    columns: tuple[ColumnDescription, ...]
    warnings: tuple[str, ...] = field(default=())

    def __getitem__(self, name: str) -> ColumnDescription:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def to_dict(self) -> dict[str, object]:
        """Everything as plain Python values that JSON knows; a figure that does not exist is None."""
        plain: dict[str, object] = _plain(asdict(self))
        return plain

    def __str__(self) -> str:
        from .text import plain

        return plain(self)

    def _repr_html_(self) -> str:
        from .text import html

        return html(self)


def description(
    summary: TableSummary, title: str, top: int = 3, quantiles: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)
) -> Description:
    """The figures of a summary, put in words."""
    columns, warnings = [], []
    for column, held in zip(summary.schema.columns, summary.columns, strict=True):
        described = _column(column, held, top, quantiles)
        columns.append(described)
        warnings += [f"column {column.name!r} {remark}" for remark in _remarks(described, held)]
    return Description(title, summary.rows, tuple(columns), tuple(warnings))


def _column(column: Column, held: Summary, top: int, quantiles: Sequence[float]) -> ColumnDescription:
    name, kind = column.name, column.measured
    if isinstance(held, NumberSummary):
        return _number_column(name, kind, held, quantiles)
    if isinstance(held, CategorySummary):
        found = held.frequent
        if column.ordered and found.exact:
            return _ordinal_column(column, held, quantiles)
        return CategoryColumn(name, kind, held.rows, held.missing, found.distinct, found.exact, _shares(found, top))
    some = held.missing < held.rows
    earliest, latest = (_moment(t, held) if some else None for t in (held.earliest, held.latest))
    return DateColumn(name, kind, held.rows, held.missing, earliest, latest)


def _shares(found: Frequent, top: int) -> tuple[Share, ...]:
    """The most frequent values; only those that are certainly more frequent than any that was dropped."""
    certain = ((value, count) for value, count in found.top(top) if count > found.error)
    return tuple(Share(shown(value), count, count / found.total) for value, count in certain)


def _ordinal_column(column: Column, held: CategorySummary, quantiles: Sequence[float]) -> OrdinalColumn:
    counted = dict(held.frequent.top(held.frequent.distinct))
    keys = [key_of(level) for level in column.categories] or list(in_order(counted))
    counts = np.array([counted.get(key, 0) for key in keys], dtype=np.int64)
    below, total = np.cumsum(counts), int(counts.sum())

    def level_at(q: float) -> str | None:
        if not total:
            return None
        enough = max(1, math.ceil(q * total - 1e-9))  # rows of the level and those below it
        return shown(keys[int(np.searchsorted(below, enough))])

    shares = tuple(Share(shown(k), int(c), c / total if total else math.nan) for k, c in zip(keys, counts, strict=True))
    wanted: dict[float, str | None] = {float(q): level_at(q) for q in quantiles}
    unknown = held.frequent.total - total
    lowest, median, highest = map(level_at, (0.0, 0.5, 1.0))
    return OrdinalColumn(
        column.name, "ordinal", held.rows, held.missing, unknown, shares, lowest, wanted, median, highest
    )


def _number_column(name: str, kind: str, held: NumberSummary, quantiles: Sequence[float]) -> NumberColumn:
    some = held.quantiles.count > 0
    wanted = held.quantiles.at([0, *quantiles, 1]).tolist()
    return NumberColumn(
        name,
        kind,
        held.rows,
        held.missing,
        held.infinite,
        mean=float(held.moments.mean[0]) if some else math.nan,
        deviation=float(np.sqrt(held.moments.variance(ddof=1)[0])),
        minimum=wanted[0],
        quantiles=dict(zip(map(float, quantiles), wanted[1:-1], strict=True)),
        maximum=wanted[-1],
        rank_error=held.quantiles.rank_error,
    )


def _moment(microseconds: int, held: DateSummary) -> str:
    moment = np.datetime64(microseconds, "us")
    if held.days:
        return str(moment.astype("M8[D]"))
    return str(moment).removesuffix(".000000") + ("Z" if held.zoned else "")


def _remarks(column: ColumnDescription, held: Summary) -> Iterable[str]:
    """What is odd about a column."""
    present = column.rows - column.missing
    if column.rows and not present:
        yield f"has no values: all {column.rows:,} are missing"
    if isinstance(column, NumberColumn) and column.infinite:
        plural = "s" if column.infinite > 1 else ""
        yield f"holds {column.infinite:,} infinite value{plural}, left out of its figures"
    if isinstance(column, OrdinalColumn) and column.unknown:
        yield f"holds {column.unknown:,} value{'s' * (column.unknown > 1)} that are none of its levels, left out"
    if present > 1 and _is_constant(column):
        yield "is constant"
    if present >= MANY_ROWS and _is_like_an_id(column, held):
        yield "has a different value in every row, like an id"


def _is_constant(column: ColumnDescription) -> bool:
    if isinstance(column, NumberColumn):
        return column.minimum == column.maximum and not column.infinite
    if isinstance(column, CategoryColumn):
        return column.distinct == 1
    if isinstance(column, OrdinalColumn):
        return column.lowest == column.highest
    return column.earliest == column.latest


def _is_like_an_id(column: ColumnDescription, held: Summary) -> bool:
    """Exact while the distinct values are counted; beyond, no piece of the table may hold a value twice."""
    if isinstance(held, NumberSummary):
        return held.rising and not held.infinite
    if isinstance(held, CategorySummary) and column.kind == "categorical":
        present = held.frequent.total
        return held.frequent.distinct == present if held.frequent.exact else held.repeats == 0
    return False


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
