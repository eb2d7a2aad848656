"""Small tables as text, aligned with spaces."""

from __future__ import annotations

import math
from collections.abc import Sequence

GAP = "  "


def aligned(rows: Sequence[Sequence[str]], *, words: int = 1) -> str:
    """The rows as lines: the first `words` cells to the left, all others, which are figures, to the right.

    >>> print(aligned([("code", "bits"), ("a", "3"), ("bcdef", "12")]))
    code   bits
    a         3
    bcdef    12
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return "\n".join(
        GAP.join(
            cell.ljust(width) if j < words else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def counted(n: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "iteration"), counted(12, "iteration")
    ('1 iteration', '12 iterations')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def figure(x: float, digits: int = 4) -> str:
    """A number with so many significant digits, its thousands set apart; nothing where there is none.

    >>> [figure(x) for x in (25.5, 0.000123456, 1234567.8, 3, float("nan"), float("inf"))]
    ['25.5', '0.0001235', '1,234,568', '3', '', 'inf']
    """
    if math.isnan(x):
        return ""
    return f"{x:,.0f}" if 10.0 ** (digits - 1) <= abs(x) < 1e12 else f"{x:.{digits}g}"
