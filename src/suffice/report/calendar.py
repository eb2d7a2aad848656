"""Dates as features: days since 1970, and month, weekday and hour where they come again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..typing import Floats, Labels

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LONGEST = {"month": 366.0, "weekday": 14.0, "hour": 2.0}
"""Days after which a part of a date has come again."""


def part_of(days: Floats, part: str) -> Labels:
    """The month, weekday or hour of moments in days since 1970, as texts; None where a moment is missing.

    >>> part_of(np.array([0.0, 31.5, np.nan]), "month").tolist(), part_of(np.array([0.0]), "weekday").tolist()
    (['Jan', 'Feb', None], ['Thu'])
    """
    known = np.isfinite(days)
    whole = np.floor(np.where(known, days, 0.0))
    if part == "month":
        codes = whole.astype("M8[D]").astype("M8[M]").astype(np.int64) % 12
        texts = np.array(_MONTHS, dtype=object)[codes]
    elif part == "weekday":
        texts = np.array(_WEEKDAYS, dtype=object)[(whole.astype(np.int64) + 3) % 7]  # 1970 began on a Thursday
    else:
        hours = np.floor(np.where(known, days - whole, 0.0) * 24 + 1e-6).astype(np.int64)
        texts = np.array([f"{hour:02d}h" for hour in range(25)], dtype=object)[hours]
    texts[~known] = None
    return texts


def parts_of(days: Floats) -> tuple[str, ...]:
    """Which parts of the dates of a column come again and differ."""
    known = days[np.isfinite(days)]
    if not len(known):
        return ()
    span = float(np.ptp(known))
    return tuple(p for p, longest in _LONGEST.items() if span >= longest and len(set(part_of(known, p).tolist())) > 1)


def named_part(name: str, part: str) -> str:
    """The name of a part of a column."""
    return f"{name} ({part})"


def column_and_part(name: str, known: Mapping[str, NDArray[np.generic]]) -> tuple[str, str] | None:
    """The column and the part that a name is of; None where it is a column itself, or neither.

    >>> column_and_part("day (month)", {"day": np.zeros(1)})
    ('day', 'month')
    """
    if name in known:
        return None
    pairs = ((column, part) for column in known for part in _LONGEST)
    return next((pair for pair in pairs if named_part(*pair) == name), None)
