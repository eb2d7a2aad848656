"""Columns that know the target, perhaps because they were filled in after it: one function for each sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..data.rows import is_gap
from ..description.text import count
from ..text import counted
from ..typing import Floats, Labels
from .rows import Rows

_LINE = 1 - 1e-6  # r² of a straight line
_FEWEST = 10  # rows below which nothing is said
_FEWEST_ORDERED = 20  # different targets below which an order says nothing
_CHANCE = 1e-4  # how seldom it may come by chance that all filled rows are of one class


def leaks(rows: Rows) -> Iterator[str]:
    """All sentences about columns that know the target."""
    try:
        known, y, kind = rows.labelled()
    except ValueError:  # there is no target, or one that nothing can be learned about
        return
    columns = [c.name for c in known.columns if c.name not in (rows.target, *rows.left_out)]
    seen = "" if rows.is_all else f", of the {count(len(rows))} looked at"
    for name in columns:
        cells = known.cells[name]
        if kind == "numbers" and cells.dtype != object:
            line = list(straight_line(name, cells, y, str(rows.target), seen))
            yield from line or same_order(name, cells, y, str(rows.target), seen)
        elif kind == "classes":
            yield from filled_for_one(name, _gaps(cells), y, str(rows.target), seen)


def straight_line(name: str, x: Floats, y: Floats, target: str, seen: str = "") -> Iterator[str]:
    """That a column is a straight line of the target.

    >>> t = np.arange(12.0)
    >>> list(straight_line("awake", 24 - t, t, "asleep"))[0][:68]
    "Column 'awake' is a straight line of the target 'asleep' (r² = 1): p"
    """
    both = np.isfinite(x) & np.isfinite(y)
    a, b = x[both], y[both]
    if len(a) < _FEWEST or np.ptp(a) == 0 or np.ptp(b) == 0 or len(np.unique(b)) < 3:
        return
    r2 = float(np.corrcoef(a, b)[0, 1] ** 2)
    if r2 >= _LINE:
        where = _where(both, seen)
        said = "1" if r2 > 1 - 1e-9 else f"{r2:.7f}"
        yield (
            f"Column {name!r} is a straight line of the target {target!r} (r² = {said}{where}): perhaps it is the "
            "target in another form. If so, leave it out."
        )


def same_order(name: str, x: Floats, y: Floats, target: str, seen: str = "") -> Iterator[str]:
    """That a column rises, or falls, wherever the target rises, as its logarithm does.

    >>> t = np.arange(1.0, 31.0)
    >>> next(same_order("logarithm", np.log(t), t, "y"))[:63]
    "Column 'logarithm' puts the rows in the order of the target 'y'"
    >>> list(same_order("x", np.where(t == 7, 0.0, t), t, "y"))
    []
    """
    both = np.isfinite(x) & np.isfinite(y)
    order = np.argsort(y[both], kind="stable")
    a, b = x[both][order], y[both][order]
    if len(np.unique(b)) < _FEWEST_ORDERED:
        return
    up, steps = np.diff(b) > 0, np.diff(a)
    if (steps[~up] == 0).all() and ((steps[up] > 0).all() or (steps[up] < 0).all()):
        where = _where(both, seen)
        yield (
            f"Column {name!r} puts the rows in the order of the target {target!r} (rank correlation 1{where}): perhaps "
            "it is the target in another form. If so, leave it out."
        )


def filled_for_one(name: str, missing: NDArray[np.bool_], y: Labels, target: str, seen: str = "") -> Iterator[str]:
    """That a column is filled, or missing, in rows of one class alone, where that is hardly chance.

    >>> gone = np.arange(40) % 4 != 0
    >>> next(filled_for_one("reason", gone, np.where(gone, "no", "yes"), "left"))
    "Column 'reason' is filled only where the target 'left' is 'yes' (10 rows). If it is known only after the target, \
leave it out."
    """
    for words, there in (("filled", ~missing), ("missing", missing)):
        own, n = np.unique(y[there]), int(there.sum())
        if len(own) == 1 and n >= _FEWEST and n < len(y) and np.mean(y == own[0]) ** n < _CHANCE:
            where = f"the target {target!r} is {str(own[0])!r} ({count(n)} rows{seen})"
            yield (
                f"Column {name!r} is {words} only where {where}. If it is known only after the target, leave it out."
            )
            return


def _where(both: NDArray[np.bool_], seen: str) -> str:
    """In which rows something holds, where that is not all of the table."""
    if both.all() and not seen:
        return ""
    return f", in {counted(int(both.sum()), 'row')}{'' if both.all() else ' where both are known'}{seen}"


def _gaps(cells: NDArray[np.generic]) -> NDArray[np.bool_]:
    return np.array([is_gap(cell) for cell in cells.tolist()], dtype=bool)
