"""What is to be said about copies of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..text import counted
from ..typing import Floats
from .column_summaries import CategorySummary, NumberSummary, Summary
from .described import Copies
from .table_summary import TableSummary

_MORE = 3.0  # times as many copies as independent columns would have
_DATES = 10_000  # of which nobody counts how often each occurs
_FEW = 10.0  # times as many possible rows as different ones, or fewer


def copies_of(summary: TableSummary, aside: Sequence[str] = ()) -> Copies:
    """How many rows are copies, and how many there would be in any table with such columns.

    Columns `aside` only name the rows, and were not compared, unless there are no others.
    """
    held = dict(zip(summary.schema.names, summary.columns, strict=True))
    compared = [own for name, own in held.items() if name not in aside] or list(held.values())
    found = summary.copies
    n, copied = found.checked, found.equal_pairs
    pairs = max(1.0, n * (n - 1) / 2)
    counts = [_counts(own) for own in compared]
    alike = [max(0.0, (c * (c - 1)).sum() / 2 - copied) / pairs for c in counts] if found.exact else [0.0]
    expected = min(float(n), pairs * float(np.prod(alike)))
    with np.errstate(over="ignore"):
        possible = float(np.prod([max(1.0, len(c)) for c in counts]))
    return Copies(found.copies, n, found.rows, expected, possible)


def _counts(held: Summary) -> Floats:
    """How often each value of a column occurs, missing ones too, as far as that is known."""
    missing = np.array([held.missing] if held.missing else [], dtype=np.float64)
    if isinstance(held, CategorySummary):
        return np.append(missing, held.frequent.counts)
    if isinstance(held, NumberSummary) and held.quantiles.count:
        items = np.concatenate(held.quantiles.levels)
        weights = np.concatenate([np.full(len(level), 8.0**h) for h, level in enumerate(held.quantiles.levels)])
        counts = np.bincount(np.unique(items, return_inverse=True)[1], weights)
        # An item of a higher level that stands alone says nothing about how often its value occurs.
        return np.append(missing, counts if held.quantiles.exact else np.where(counts > 512, counts, 1.0))
    return np.append(missing, np.ones(min(held.rows - held.missing, _DATES)))


def copied_rows(copies: Copies) -> list[str]:
    """That rows are copies of others, where there are more than such columns would have by chance.

    >>> copied_rows(Copies(2, 10, 10)), copied_rows(Copies(2, 10, 10, expected=1.0)), copied_rows(Copies(0, 10, 10))
    (['2 rows are copies of an earlier row'], [], [])
    """
    different = copies.checked - copies.count
    if copies.count <= _MORE * copies.expected or copies.possible <= _FEW * different:
        return []
    words = "row is a copy" if copies.count == 1 else "rows are copies"
    if copies.exact:
        return [f"{copies.count:,} {words} of an earlier row"]
    looked_at = f"of {copies.rows:,} rows, {copies.checked:,} were compared with all others"
    return [f"at least {copies.count:,} {words} of an earlier row ({looked_at})"]


def no_copies(copies: Copies | None) -> str:
    """What may be said where copies are no warning.

    >>> no_copies(Copies(0, 10, 10)), no_copies(Copies(4, 10, 10, possible=6))
    ('no copies of rows', 'copies of rows only as any table with so few possible rows has')
    >>> no_copies(Copies(0, 5, 10))
    'no copies among the 5 rows that were compared with all others'
    """
    if copies is None:
        return "copies of rows were not looked for"
    if not copies.exact and not copies.count:
        return f"no copies among the {counted(copies.checked, 'row')} that were compared with all others"
    return "no copies of rows" if not copies.count else "copies of rows only as any table with so few possible rows has"
