"""What is odd about the columns of a table: one function for each sentence, which says it only where it is true."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.row_numbers import is_called_id, number_rows
from ..text import counted, figure, listed, spelled_alike
from .column_summaries import CategorySummary, NumberSummary, Summary
from .described import CategoryColumn, ColumnDescription, NumberColumn, OrdinalColumn

MANY_ROWS = 20  # fewer different values say nothing about a column
_ENOUGH = 100  # values below which nothing is said of shares of a hundredth
_NEARLY_ALL = 0.99
_FAR = 8.0  # times as far from the median as 99 % of the values
_SKEWED = 10.0  # how many times farther one hundredth lies from the median than the other
_RARE_ZEROS = 0.1
_NINES = re.compile("-?99+")
_MANY_NAMES = 1000  # of categories that somebody may have typed
_LONG_TEXT = 30  # characters of a text that is no name of a category


@dataclass(frozen=True)
class Remark:
    """What one sentence is about: its kind, the column, what is said of it, and what is said of many alike."""

    kind: str
    column: str
    words: str
    of_many: str


Look = Callable[[ColumnDescription, Summary], tuple[str, str] | None]  # of one column, of many alike


def no_values(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """All cells are missing."""
    if not column.rows or column.missing < column.rows:
        return None
    all_ = f"all {column.rows:,} are missing" if column.rows > 1 else "its one cell is missing"
    return f"has no values: {all_}", "have no values"


def infinite(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """Some numbers are infinite."""
    if not isinstance(column, NumberColumn) or not column.infinite:
        return None
    plural = "s" if column.infinite > 1 else ""
    words = f"holds {column.infinite:,} infinite value{plural}, left out of its figures"
    return words, "hold infinite values, left out of their figures"


def no_level(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """Some cells hold none of the levels of an ordered column."""
    if not isinstance(column, OrdinalColumn) or not column.unknown:
        return None
    one = column.unknown == 1
    words = f"holds {column.unknown:,} value{'' if one else 's'} that {'is' if one else 'are'} none of its levels"
    return f"{words}, left out", "hold values that are none of their levels, left out"


def constant(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """All values are the same, and there are at least two."""
    if column.rows - column.missing < 2 or not _is_constant(column):
        return None
    return "is constant", "are constant"


def _is_constant(column: ColumnDescription) -> bool:
    if isinstance(column, NumberColumn):
        return column.minimum == column.maximum and not column.infinite
    if isinstance(column, CategoryColumn):
        return column.distinct == 1
    if isinstance(column, OrdinalColumn):
        return column.lowest == column.highest
    return column.earliest == column.latest


def nearly_constant(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """At least 99 % of the values are one and the same, and not all."""
    if column.rows - column.missing < _ENOUGH or _is_constant(column):
        return None
    value = None
    if isinstance(held, CategorySummary) and held.frequent.exact:
        value, times = held.frequent.top(1)[0]
        value = value if times >= _NEARLY_ALL * held.frequent.total else None
    elif isinstance(held, NumberSummary) and held.quantiles.rank_error < 0.004:
        value = _nearly_all(held)
    if value is None:
        return None
    return f"holds {value} in at least 99 % of the rows where it has a value", "hold one value in at least 99 % of rows"


def _nearly_all(held: NumberSummary) -> str | None:
    """The number that stands in at least 99 % of the rows, at the lower end, in the middle, or at the upper end."""
    spare = 0.01 - 2 * held.quantiles.rank_error
    for first in (0.0, spare / 2, spare):
        low, high = held.quantiles.at([first, 1 - spare + first]).tolist()
        if low == high:
            return figure(low)
    return None


def row_number(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """Whole numbers that only name the rows: all different, and consecutive in no order, or called an id.

    One called an id may repeat now and then.
    """
    if not isinstance(held, NumberSummary) or held.missing or held.infinite or held.rows < MANY_ROWS:
        return None
    found = held.quantiles
    values = np.concatenate(found.levels)
    if held.rising and not is_called_id(column.name):
        return None
    if not number_rows(column.name, values, held.rows, found.minimum, found.maximum):
        return None
    different = len(np.unique(values))
    if different < len(values):
        of = "rows" if found.exact else "rows looked at"
        words = f"is called an id and has {different:,} different whole numbers in {len(values):,} {of}"
        return words, "are called ids and hardly repeat"
    where = "every row" if found.exact or held.rising else f"each of {len(values):,} rows looked at"
    return (
        f"has a different whole number in {where}, like an id",
        "have a different whole number in every row looked at",
    )


def like_an_id(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """Every row has another value: exact while the distinct values are counted; beyond, none comes twice in a piece."""
    if column.rows - column.missing < MANY_ROWS or is_free_text(held) or row_number(column, held):
        return None
    if isinstance(held, NumberSummary):
        unique = held.rising and not held.infinite
    elif isinstance(held, CategorySummary) and column.kind == "categorical":
        present = held.frequent.total
        unique = held.frequent.distinct == present if held.frequent.exact else held.repeats == 0
    else:
        unique = False
    words = "a different value in every row, like an id"
    return (f"has {words}", f"have {words}") if unique else None


def free_text(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """Long texts that are nearly all different."""
    if not is_free_text(held) or not isinstance(held, CategorySummary):
        return None
    mean = held.letters / held.frequent.total
    words = f"holds free text ({figure(mean, 3)} characters on average, hardly two alike), which is no category"
    return words, "hold free text, which is no category"


def is_free_text(held: Summary) -> bool:
    """Whether a column holds sentences rather than categories."""
    if not isinstance(held, CategorySummary) or held.frequent.total < MANY_ROWS:
        return False
    total = held.frequent.total
    different = held.frequent.distinct if held.frequent.exact else total - held.repeats
    return held.letters >= _LONG_TEXT * total and 2 * held.spaced > total and 10 * different >= 9 * total


def zeros_among_positive(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """A few zeros far below all other values, which are positive."""
    if not isinstance(held, NumberSummary) or held.quantiles.minimum != 0 or not held.zeros:
        return None
    n = held.quantiles.count
    share = held.zeros / n
    if n < MANY_ROWS or share > _RARE_ZEROS or held.rising:
        return None
    quarter, most, low = held.quantiles.at([0.25, 0.75, min(1.0, share + 0.01 + held.quantiles.rank_error)]).tolist()
    if not quarter < most or low <= 1.5 * (most - quarter):
        return None
    rows = "1 row" if held.zeros == 1 else f"{held.zeros:,} rows"
    words = f"is 0 in {rows} and at least {figure(held.least_positive)} in all others: perhaps 0 stands for missing"
    return words, "have a few zeros far below all other values: perhaps 0 stands for missing"


def placeholder(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """A number such as -999 or 9999 in several rows, far from all others: the distance is more than their range."""
    if not isinstance(held, NumberSummary) or not held.quantiles.exact or held.quantiles.count < MANY_ROWS:
        return None
    values = np.concatenate(held.quantiles.levels)
    for code, side, end in ((values.min(), "at least", np.min), (values.max(), "at most", np.max)):
        others = values[values != code]
        if not len(others) or _NINES.fullmatch(f"{code:g}") is None or len(values) - len(others) < 2:
            continue
        nearest = float(end(others))
        if abs(code - nearest) > np.ptp(others):
            shown, rows = f"{code:g}", counted(len(values) - len(others), "row")
            words = (
                f"is {shown} in {rows} and {side} {figure(nearest)} in all others: perhaps {shown} stands for missing"
            )
            return words, "hold a number such as 999 far from all others: perhaps it stands for missing"
    return None


def same_but_spelling(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """Some categories differ only in case or spaces."""
    if not isinstance(held, CategorySummary) or not held.frequent.exact:
        return None
    if held.frequent.distinct > _MANY_NAMES or like_an_id(column, held) or free_text(column, held):
        return None
    alike = spelled_alike(str(name) for name, _ in held.frequent.top(_MANY_NAMES))
    if not alike:
        return None
    words = f"holds {' and '.join(map(repr, alike[0][:3]))}, which differ only in case or spaces: perhaps they are one"
    return words, "hold categories that differ only in case or spaces: perhaps they are one"


def outliers(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """The largest or the smallest value is far beyond nearly all others."""
    if not isinstance(held, NumberSummary) or held.quantiles.count < _ENOUGH:
        return None
    low, middle, high = held.quantiles.at([0.01, 0.5, 0.99]).tolist()
    least, most = held.quantiles.minimum, held.quantiles.maximum
    said = []
    if middle < high and most - high > _FAR * (high - middle):
        said.append(f"reaches up to {figure(most)}, while about 99 % of its values are at most {figure(high)}")
    if low < middle and low - least > _FAR * (middle - low):
        said.append(f"reaches down to {figure(least)}, while about 99 % of its values are at least {figure(low)}")
    return (" and ".join(said), "have values far beyond nearly all others") if said else None


def skewed(column: ColumnDescription, held: Summary) -> tuple[str, str] | None:
    """One end of the values lies much farther from the median than the other."""
    if not isinstance(held, NumberSummary) or held.quantiles.count < _ENOUGH or outliers(column, held):
        return None
    low, middle, high = held.quantiles.at([0.01, 0.5, 0.99]).tolist()
    if not low < middle < high or held.rising:
        return None
    ratio = (high - middle) / (middle - low)
    if 1 / _SKEWED < ratio < _SKEWED:
        return None
    side, times = ("right", ratio) if ratio > 1 else ("left", 1 / ratio)
    far = f"one end (1 % of the values) lies {figure(times, 2)} times as far from the median as the other"
    return f"is skewed to the {side}: {far}", "are skewed: one end lies far farther from the median than the other"


LOOKS: dict[str, Look] = {
    "empty": no_values,
    "infinite": infinite,
    "no level": no_level,
    "constant": constant,
    "nearly constant": nearly_constant,
    "row number": row_number,
    "id": like_an_id,
    "free text": free_text,
    "zeros": zeros_among_positive,
    "placeholder": placeholder,
    "spelling": same_but_spelling,
    "outliers": outliers,
    "skewed": skewed,
}
_EXPLAINED = {"row number", "placeholder"}  # of what is far from other values


def remarks(column: ColumnDescription, held: Summary) -> Iterable[Remark]:
    """All that is odd about a column."""
    explained = False
    for kind, look in LOOKS.items():
        found = None if explained and kind in ("outliers", "skewed") else look(column, held)
        if found is not None:
            explained |= kind in _EXPLAINED
            yield Remark(kind, column.name, *found)


MOST_LINES = 3  # warnings of one kind that are said one by one


def sentences(found: Sequence[Remark]) -> list[str]:
    """The remarks in words; many of one kind are one line.

    >>> sentences([Remark("constant", name, "is constant", "are constant") for name in "abcd"])
    ["4 columns are constant: 'a', 'b', 'c', 'd'"]
    """
    by_kind: dict[str, list[Remark]] = {}
    for remark in found:
        by_kind.setdefault(remark.kind, []).append(remark)
    many = {kind: alike for kind, alike in by_kind.items() if len(alike) > MOST_LINES}
    said = []
    for remark in found:
        if remark.kind not in many:
            said.append(f"column {remark.column!r} {remark.words}")
        elif remark is many[remark.kind][0]:
            names = listed([repr(alike.column) for alike in many[remark.kind]])
            said.append(f"{counted(len(many[remark.kind]), 'column')} {remark.of_many}: {names}")
    return said
