"""Rows that are like their neighbours in time: whether the order of the table says so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..typing import Floats
from .rows import Rows

_FEWEST = 30  # rows below which nothing is said
_ALIKE = 0.5  # correlation of a row's target with that of the row before


def time_order(rows: Rows) -> Iterator[str]:
    """That rows are in the order of a date, or that a target hardly changes from row to row.

    Random folds then look too good: a row is predicted from its neighbours in time.
    """
    if rows.target is None or len(rows) < _FEWEST:
        return
    try:
        known, y, kind = rows.labelled()
    except ValueError:
        return
    times = [c.name for c in known.columns if c.kind in ("date", "numeric") and c.name != rows.target]
    dated = [name for name in times if next(c.kind for c in known.columns if c.name == name) == "date"]
    sorted_by = next((name for name in dated if _rises(known.cells[name])), None)
    alike = lag_correlation(y) if kind == "numbers" else 0.0
    like_before = f"the target {rows.target!r} is much like that of the row before (correlation {alike:.2f})"
    where = "" if rows.is_all else f" among the {len(rows):,} looked at"
    if sorted_by is not None:
        more = f", and {like_before}" if alike >= _ALIKE else ""
        yield f"Rows{where} are in the order of {sorted_by!r}{more}. {_remedy(sorted_by)}"
    elif alike >= _ALIKE and not _is_sorted(y):
        rising = next((name for name in times if _rises(known.cells[name])), None)
        yield f"In the order of the rows{where}, {like_before}. {_remedy(dated[0] if dated else rising)}"


def _remedy(column: str | None) -> str:
    """What to do where rows are like their neighbours, with the column of times where there is one."""
    if column is None:
        return (
            "If new rows are not among these, but later or elsewhere, random folds may look too good; no column rises "
            "with the rows, to compare by time."
        )
    return (
        "If new rows come later than these, random folds may look too good: compare by time, with "
        f"--time {column} or time={column!r}."
    )


def lag_correlation(y: Floats) -> float:
    """The correlation of each number with the one before.

    >>> lag_correlation(np.sin(np.arange(100) / 5)) > 0.9, lag_correlation(np.ones(50))
    (True, 0.0)
    """
    if len(y) < _FEWEST or np.ptp(y[1:]) == 0 or np.ptp(y[:-1]) == 0:
        return 0.0
    return float(np.corrcoef(y[1:], y[:-1])[0, 1])


def _rises(times: Floats) -> bool:
    """Whether times never fall from row to row, or never rise, and are not all the same."""
    if not np.isfinite(times).all() or np.ptp(times) == 0:
        return False
    return _is_sorted(times)


def _is_sorted(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps >= 0).all() or (steps <= 0).all())
