"""Rows that belong together: whether a column seems to name what several rows are of, such as a patient."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..data.row_numbers import is_called_id
from ..data.rows import is_gap
from ..data.schema import Column
from ..description.text import count
from ..text import counted, listed
from ..typing import Labels, Whole
from .rows import Rows

_FEWEST_GROUPS, _MANY_GROUPS = 10, 20  # of a column called an id, and of any other
_ROWS_EACH = 2.0  # on average
_MOST_SHARE = 0.2  # of the rows may be of one group
_NAMED = 3  # columns that are the same throughout each group
_UNITS = (
    "subj|subject|patient|person|participant|respondent|individual|user|customer|client|member|household|family|"
    "school|student|pupil|animal|rat|mouse|chick|dog|cow|litter|plant|tree|plot|site|station|clinic|hospital|batch|"
    "lot|session"
)
_UNIT = re.compile(rf"(^|[\W_])({_UNITS})s?([\W_]|$)", re.IGNORECASE)


def grouped_rows(rows: Rows) -> Iterator[str]:
    """That rows belong together: a column called an id whose values come again, or text that fixes other columns.

    Random folds then look too good where new rows are of other groups: their likes were learned from.
    """
    if rows.target is None:
        return
    aside = {*rows.left_out, rows.target}
    for column in rows.columns:
        if column.name in aside or column.kind not in ("categorical", "numeric"):
            continue
        codes = _groups(column, rows.cells[column.name])
        if codes is None:
            continue
        fixed = [c.name for c in rows.columns if c.name not in {*aside, column.name} and _fixed(rows, c, codes)]
        if names_units(column.name) or fixed:
            yield _sentence(rows, column.name, int(codes.max()) + 1, int((codes >= 0).sum()), fixed)


def names_units(name: str) -> bool:
    """Whether a name is one that people give to what several rows may be of.

    >>> [names_units(name) for name in ("patient_id", "Subject", "tree", "street", "dose")]
    [True, True, True, False, False]
    """
    return is_called_id(name) or _UNIT.search(name) is not None


def _sentence(rows: Rows, name: str, groups: int, n: int, fixed: list[str]) -> str:
    of = "" if rows.is_all else " looked at"
    same = ""
    if fixed:
        more = f" and {counted(len(fixed) - _NAMED, 'more column')}" if len(fixed) > _NAMED else ""
        are = "is" if len(fixed) == 1 else "are"
        same = f", and {listed([repr(one) for one in fixed[:_NAMED]])}{more} {are} the same in all rows of one"
    return (
        f"Column {name!r} has {count(groups)} different values in {count(n)} rows{of}{same}. If new rows are of "
        "others, random folds may look too good: keep the rows of one together, with "
        f"--groups {name} or groups={name!r}."
    )


def _groups(column: Column, cells: Labels) -> Whole | None:
    """The group of each row, -1 where it has none, if a column may name groups: many values that come again."""
    known = np.array([not is_gap(cell) for cell in cells.tolist()], dtype=bool)
    there = cells[known]
    if column.kind == "numeric" and not np.array_equal(there, np.floor(there.astype(np.float64))):
        return None
    codes = np.full(len(cells), -1, dtype=np.int64)
    names, codes[known] = np.unique(there, return_inverse=True)
    called = names_units(column.name)
    if column.kind == "numeric" and (not called or _counts(there)):
        return None
    sizes = np.bincount(codes[known]) if len(names) else np.zeros(1)
    enough = len(names) >= (_FEWEST_GROUPS if called else _MANY_GROUPS)
    if not enough or len(there) < _ROWS_EACH * len(names) or sizes.max() > _MOST_SHARE * len(there):
        return None
    return codes


def _counts(numbers: Labels) -> bool:
    """Whether numbers count rows anew from time to time, such as 1, 2, 3, 1, 2, 3, 4."""
    steps = np.diff(numbers.astype(np.float64))
    return bool(((steps == 1) | (numbers[1:] == numbers[:1])).all())


def _fixed(rows: Rows, column: Column, codes: Whole) -> bool:
    """Whether a column has one value in all rows of each group, but several in the table."""
    cells = rows.cells[column.name][codes >= 0]
    if any(is_gap(cell) for cell in cells.tolist()):
        return False
    values = np.unique(cells, return_inverse=True)[1]
    pairs = np.unique(np.column_stack([codes[codes >= 0], values]), axis=0)
    return bool(values.max(initial=0) > 0 and len(pairs) == codes.max() + 1)
