"""The summary of a whole table: one summary for each column, by its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..backend import thread_count
from ..data.schema import Column, Schema
from ..statistics.base import Arrays, Statistic
from .column_summaries import SUMMARIES, Summary
from .row_copies import RowCopies

_FEW_CELLS = 1 << 14  # not worth a thread
T = TypeVar("T")


@dataclass(frozen=True)
class TableSummary(Statistic, saved=False):
    """The summaries of all columns of some rows; the sum of two is the summary of all their rows.

    >>> import pyarrow as pa
    >>> both = TableSummary.of(pa.table({"x": [1.0, 2.0]})) + TableSummary.of(pa.table({"x": [6.0]}))
    >>> both.rows, both.columns[0].moments.mean
    (3, array([3.]))
    """

    schema: Schema
    columns: tuple[Summary, ...]
    copies: RowCopies

    @classmethod
    def zero(cls, schema: Schema) -> TableSummary:
        """The summary of no rows."""
        return cls(schema, tuple(SUMMARIES[column.kind].zero() for column in schema.columns), RowCopies.zero())

    @classmethod
    def of(cls, rows: Any, schema: Schema | None = None, aside: Sequence[str] = ()) -> TableSummary:
        """The summary of an Arrow record batch or table whose columns are of these kinds, by default of their own.

        Columns `aside` only name the rows: rows that differ in nothing else are copies.
        """
        from ..data.arrow import schema_of

        schema = schema_of(rows.schema, "the table") if schema is None else schema
        cells = [_joined(column) for column in rows.columns]
        made = _each(_summary, (rows.num_rows, len(cells)), [column.kind for column in schema.columns], cells)
        compared = [name for name in rows.schema.names if name not in aside] if aside else []
        return cls(schema, made, RowCopies.of(rows.select(compared) if compared else rows))

    def __add__(self, other: TableSummary) -> TableSummary:
        size = (self.rows + other.rows, len(self.columns))
        return TableSummary(self.schema, _each(_plus, size, self.columns, other.columns), self.copies + other.copies)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.columns[0].rows if self.columns else 0

    def to_arrays(self) -> Arrays:
        """Names, kinds and whether the names were made up, and the arrays of each column."""
        arrays = {
            "names": np.array(self.schema.names, dtype=np.str_),
            "kinds": np.array([column.kind for column in self.schema.columns], dtype=np.str_),
            "named": np.array(self.schema.named),
        }
        copies = {f"copies.{name}": array for name, array in self.copies.to_arrays().items()}
        return arrays | copies | _by_column(column.to_arrays() for column in self.columns)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> TableSummary:
        named = zip(arrays["names"].tolist(), arrays["kinds"].tolist(), strict=True)
        schema = Schema(tuple(Column(name, kind) for name, kind in named), bool(arrays["named"]))
        columns = []
        for j, column in enumerate(schema.columns):
            own = {key.partition(".")[2]: value for key, value in arrays.items() if key.startswith(f"{j}.")}
            columns.append(SUMMARIES[column.kind].from_arrays(own))
        copies = {key.removeprefix("copies."): v for key, v in arrays.items() if key.startswith("copies.")}
        return cls(schema, tuple(columns), RowCopies.from_arrays(copies))

    def comparable(self) -> Arrays:
        """What does not depend on the order of the rows, column by column."""
        return _by_column(column.comparable() for column in self.columns)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        import pyarrow as pa

        names = {"numeric": "size", "categorical": "colour", "date": "day"}
        return (pa.table({name: SUMMARIES[kind].example(rng, n)[0] for kind, name in names.items()}),)


def _by_column(found: Any) -> Arrays:
    return {f"{j}.{name}": array for j, arrays in enumerate(found) for name, array in arrays.items()}


def _joined(column: object) -> object:
    """The cells of a column as one array; a table, unlike a batch, may hold them in pieces."""
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _summary(kind: str, cells: object) -> Summary:
    return SUMMARIES[kind].of(cells)


def _plus(one: object, other: Any) -> Any:
    return one + other


def _each(f: Callable[..., T], size: tuple[int, int], *columns: Any) -> tuple[T, ...]:
    """What `f` gives for each column of a table of this size, the columns shared out among the threads."""
    threads = min(thread_count(), size[1])
    if threads < 2 or size[0] * size[1] < _FEW_CELLS:
        return tuple(map(f, *columns))
    with ThreadPoolExecutor(threads) as pool:
        return tuple(pool.map(f, *columns))
