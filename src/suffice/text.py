"""Small tables as text, aligned with spaces."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

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
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names with commas between; where there are too many, how many are shown.

    >>> listed(["a", "b"]), listed([str(i) for i in range(312)], 3)
    ('a, b', '0, 1, 2, … (3 of 312)')
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, … ({most} of {len(names):,})"


def spelled_alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Which names differ only in case or spaces.

    >>> spelled_alike(["yes", "no", "No", "north ", "north", "south"])
    [('no', 'No'), ('north ', 'north')]
    """
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(" ".join(name.casefold().split()), []).append(name)
    return [tuple(alike) for alike in found.values() if len(alike) > 1]


def html_table(rows: Sequence[Sequence[str]], title: str = "", notes: Sequence[str] = (), *, words: int = 1) -> str:
    """Rows, of which the first is the header, as a notebook shows them: figures to the right, everything escaped.

    >>> html_table([("a", "b"), ("<x>", "1")]).count("&lt;x&gt;")
    1
    """
    lines = [_html_row(row, "td" if i else "th", words) for i, row in enumerate(rows)]
    head, body = lines[0], "".join(lines[1:])
    above = f"<p>{escape(title)}</p>" if title else ""
    below = "".join(f"<div>{escape(note)}</div>" for note in notes)
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f'<div style="overflow-x: auto">{above}{table}{below}</div>'


def _html_row(row: Sequence[str], tag: str, words: int) -> str:
    sides = ("left" if j < words else "right" for j in range(len(row)))
    cells = (
        f'<{tag} style="text-align: {side}; white-space: nowrap">{escape(cell)}</{tag}>'
        for cell, side in zip(row, sides, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def figure(x: float, digits: int = 4) -> str:
    """A number with so many significant digits, its thousands set apart; nothing where there is none.

    >>> [figure(x) for x in (25.5, 0.000123456, 1234567.8, 3, float("nan"), float("inf"))]
    ['25.5', '0.0001235', '1,234,568', '3', '', 'inf']
    """
    if math.isnan(x):
        return ""
    return f"{x:,.0f}" if 10.0 ** (digits - 1) <= abs(x) < 1e12 else f"{x:.{digits}g}"


def rounded(values: Iterable[float], digits: int = 10) -> list[float]:
    """Numbers with so many significant digits: enough to reckon with, and none that only rounding has made.

    >>> rounded([0.1 + 0.2, 0.49999999999999994, 1 / 3])
    [0.3, 0.5, 0.3333333333]
    """
    return [float(f"{value:.{digits}g}") for value in values]
