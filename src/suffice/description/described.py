"""The figures of columns, and of a table, in plain values."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any


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
    mean_length: float | None = None
    """Characters of a text on average; None where the values are no text."""


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


@dataclass(frozen=True)
class Copies:
    """How many rows are copies of an earlier one, among the `checked` rows that were compared with all others.

    `expected` is about how many there would be if the columns were independent, `possible` how many different rows
    their values can make: in a table with few possible rows copies mean nothing.
    """

    count: int
    checked: int
    rows: int
    expected: float = 0.0
    possible: float = math.inf

    @property
    def exact(self) -> bool:
        """Whether all rows were compared, so that `count` is exact; it is a lower bound otherwise."""
        return self.checked == self.rows


ColumnDescription = NumberColumn | CategoryColumn | OrdinalColumn | DateColumn


@dataclass(frozen=True)
class Description:
    """What the columns of a table look like; print it, or take the figures from `columns`."""

    title: str
    rows: int
    columns: tuple[ColumnDescription, ...]
    warnings: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = ()
    """How the table was read, where that is not obvious."""
    copies: Copies | None = None
    ids: tuple[str, ...] = ()
    """Columns with a different value in every row, and those that have no name and name the rows."""
    free_text: tuple[str, ...] = ()
    """Columns of sentences, which are no categories."""
    numbering: tuple[str, ...] = ()
    """Those of the ids that only name or number the rows; a rising number that is not called an id may be a time."""
    written: dict[str, str] = field(default_factory=dict)
    """How numbers and dates of a file are written that are written for people, an example for each column."""

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


def _plain(value: object) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
