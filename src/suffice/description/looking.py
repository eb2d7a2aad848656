"""What one pass over a table gives: the summary of all rows, and some rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..data.source import Source
from ..data.table import HowRead
from .drawn_rows import DrawnRows
from .table_summary import TableSummary


@dataclass(frozen=True)
class Look:
    """The summary of some rows of a table, and a few of these, drawn at random."""

    summary: TableSummary
    drawn: DrawnRows

    def __add__(self, other: Look) -> Look:
        return Look(self.summary + other.summary, self.drawn + other.drawn)


def look_at(table: Source, most: int, seed: int = 0) -> Look:
    """One pass over a table of record batches: parts of a file side by side, partitions on their workers."""
    schema, index = table.schema, getattr(table, "read", HowRead()).index
    return table.reduce(
        lambda chunk: Look(TableSummary.of(chunk.X, schema, index), DrawnRows.of(chunk.X, chunk.start, most, seed))
    )
