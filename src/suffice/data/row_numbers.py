"""Columns that only number the rows: there is nothing in them that a model should learn."""

from __future__ import annotations

import re

import numpy as np

from ..typing import Floats

FEWEST = 20  # rows; fewer different numbers say nothing
_WORD = re.compile(r"(^|[\W_])(id|ids|uid|uuid|guid|idx|index|key|nr|no|number|code)$|^id([\W_]|$)", re.IGNORECASE)
_ID = re.compile(r"(^|[\W_])(id|uid|uuid|guid)$|^id([\W_]|$)|^I[Dd]$|[a-z](ID|Id)$")
_HARDLY = 0.9  # of the numbers of a column called id must differ
_CAMEL = re.compile(r"[a-z](ID|Id|Key|No)$")


def is_called_id(name: str) -> bool:
    """Whether a name is one that people give to what names rows.

    >>> [is_called_id(name) for name in ("id", "customer_id", "OrderID", "row no", "paid", "grid", "period")]
    [True, True, True, True, False, False, False]
    """
    return _WORD.search(name) is not None or _CAMEL.search(name) is not None


def number_rows(name: str, values: Floats, rows: int, low: float, high: float) -> bool:
    """Whether the numbers of a column name its rows: whole, all different, and consecutive or called an id.

    Where the name says no less than id, nine tenths of them must differ: a few rows may be of one patient.

    `values` are all of `rows` numbers, or a sample of them; `low` and `high` are the ends of all of them. Consecutive
    numbers that rise from row to row may be a time: who knows their order must not ask.

    >>> number_rows("x", np.arange(30.0)[::-1], 30, 0, 29), number_rows("x", np.ones(30), 30, 1, 1)
    (True, False)
    """
    if rows < FEWEST or not len(values) or not np.isfinite([low, high]).all():
        return False
    if not np.array_equal(values, np.floor(values)):
        return False
    different = len(np.unique(values))
    if different < len(values):
        return different >= _HARDLY * len(values) and _ID.search(name) is not None
    return high - low + 1 == rows or is_called_id(name)
