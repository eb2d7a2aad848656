"""A summary as figures and words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..data.declared import in_order
from ..data.schema import Column
from ..data.table import HowRead
from ..statistics.frequent import Frequent
from .column_summaries import CategorySummary, DateSummary, NumberSummary, Summary, key_of, shown
from .correlated import correlated_pairs
from .described import (
    CategoryColumn,
    ColumnDescription,
    DateColumn,
    Description,
    NumberColumn,
    OrdinalColumn,
    Share,
)
from .drawn_rows import DrawnRows
from .findings import Remark, remarks, sentences
from .row_findings import copied_rows, copies_of
from .table_summary import TableSummary


def description(
    summary: TableSummary,
    title: str,
    top: int = 3,
    quantiles: Sequence[float] = (0, 0.25, 0.5, 0.75, 1),
    drawn: DrawnRows | None = None,
    read: HowRead | None = None,
) -> Description:
    """The figures of a summary, put in words; `drawn` are rows of the table, by which columns are compared.

    `read` says how the table was read.
    """
    columns: list[ColumnDescription] = []
    found: list[Remark] = []
    read = read or HowRead()
    for column, held in zip(summary.schema.columns, summary.columns, strict=True):
        columns.append(_column(column, held, top, quantiles))
        found += remarks(columns[-1], held) if column.name not in read.index else ()
    copies = copies_of(summary, read.index)
    pairs = [] if drawn is None else correlated_pairs(drawn, summary.schema, read.index)
    numbers, ids, texts = (tuple(r.column for r in found if r.kind == k) for k in ("row number", "id", "free text"))
    numbering = (*read.index, *numbers)
    warnings = (*read.doubts, *sentences(found), *pairs, *copied_rows(copies))
    written, named = dict(read.examples), tuple(dict.fromkeys((*numbering, *ids)))
    return Description(
        title, summary.rows, tuple(columns), warnings, read.notes, copies, named, texts, numbering, written
    )


def _column(column: Column, held: Summary, top: int, quantiles: Sequence[float]) -> ColumnDescription:
    name, kind = column.name, column.measured
    if isinstance(held, NumberSummary):
        return _number_column(name, kind, held, quantiles)
    if isinstance(held, CategorySummary):
        found = held.frequent
        if column.ordered and found.exact:
            return _ordinal_column(column, held, quantiles)
        length = held.letters / found.total if held.letters else None
        shares = _shares(found, top)
        return CategoryColumn(name, kind, held.rows, held.missing, found.distinct, found.exact, shares, length)
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
