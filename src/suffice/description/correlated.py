"""Pairs of columns that say nearly the same, among rows drawn from a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from ..data.schema import Schema
from ..text import listed
from ..typing import Floats
from .drawn_rows import DrawnRows

STRONG = 0.98
MOST_COLUMNS = 200  # that are compared
ROWS = 2_000  # that are looked at
_FEWEST = 20  # rows in which both have a value
_LINES = 3


def correlated_pairs(drawn: DrawnRows, schema: Schema, aside: Sequence[str] = ()) -> list[str]:
    """Which columns of numbers are almost linear functions of one another; those `aside` only name the rows."""
    numbers_ = (column.name for column in schema.columns if column.kind == "numeric" and column.name not in aside)
    names = list(islice(numbers_, MOST_COLUMNS))
    table = drawn.rows
    places = {name: j for j, name in enumerate(schema.names)}
    if len(names) < 2 or table.num_rows < _FEWEST:
        return []
    from ..data.arrow import numbers  # pyarrow is optional

    X = np.column_stack([numbers(table.column(places[name]).combine_chunks()) for name in names]).astype(np.float64)
    looked_at = "" if table.num_rows == drawn.seen else f", in {table.num_rows:,} rows drawn"
    return said_of_pairs(strong_pairs(X, names), looked_at)


def strong_pairs(X: Floats, names: Sequence[str]) -> list[tuple[str, str, float]]:
    """The pairs of columns whose correlation is at least 0.98 in size, over the rows where both have values."""
    there = np.isfinite(X)
    n = there.T.astype(np.float64) @ there
    with np.errstate(all="ignore"):
        scale = np.nanmax(np.where(there, np.abs(X), 0.0), axis=0, initial=0.0)
        middle = np.where(there, X, 0.0).sum(axis=0) / there.sum(axis=0)
        Z = np.where(there, (X - middle) / np.where(scale > 0, scale, 1.0), 0.0)
        sums, squares = Z.T @ there, (Z * Z).T @ there
        covariance = Z.T @ Z - sums * sums.T / n
        variance = squares - sums**2 / n
        r = covariance / np.sqrt(variance * variance.T)
    r[(n < _FEWEST) | (variance <= 1e-20) | (variance.T <= 1e-20)] = 0.0
    found = np.argwhere(np.triu(np.abs(np.nan_to_num(r)) >= STRONG, k=1))
    return [(names[i], names[j], float(np.clip(r[i, j], -1.0, 1.0))) for i, j in found]


def said_of_pairs(pairs: Sequence[tuple[str, str, float]], looked_at: str = "") -> list[str]:
    """One line a pair, or one for many.

    >>> said_of_pairs([("x", "y", -0.99123)])
    ["columns 'x' and 'y' are strongly correlated (r = -0.991)"]
    """
    if len(pairs) > _LINES:
        names = listed([f"{one!r} and {other!r} ({r:.3f})" for one, other, r in pairs], 5)
        return [f"{len(pairs):,} pairs of columns are strongly correlated{looked_at}: {names}"]
    return [f"columns {a!r} and {b!r} are strongly correlated (r = {r:.3f}{looked_at})" for a, b, r in pairs]
