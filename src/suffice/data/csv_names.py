"""The names of the columns of a CSV file, where its header leaves some out or repeats them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..text import counted, listed

_FEW = 3  # names that come again, each with a sentence of its own


def given_names(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The names of the header, with "" for a column that it leaves out.

    R writes no name for its row names, and some programs end each row with a delimiter: all rows then have a cell more
    than the header.

    >>> given_names(["x"], [["ann", "1"], ["bob", "2"]]), given_names(["x", "y"], [["1", "2", ""]])
    (('', 'x'), ('x', 'y', ''))
    """
    if not rows or any(len(row) != len(header) + 1 for row in rows):
        return tuple(header)
    return (*header, "") if all(not row[-1].strip() for row in rows) else ("", *header)


def own_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names for all columns, no two the same: column_1 where there is none, name.2 where one comes again.

    >>> own_names(["", "x", "x", "x.2"])
    ('column_1', 'x', 'x.3', 'x.2')
    """
    taken, made, seen = {name for name in names if name.strip()}, [], set()
    for j, name in enumerate(names, start=1):
        wanted, again = name if name.strip() else f"column_{j}", 1
        if wanted in seen or (wanted in taken and not name.strip()):
            again = next(k for k in range(2, len(names) + 3) if f"{wanted}.{k}" not in taken)
        made.append(wanted if again == 1 else f"{wanted}.{again}")
        seen.add(made[-1])
        taken.add(made[-1])
    return tuple(made)


def said_of_names(names: Sequence[str], made: Sequence[str]) -> list[str]:
    """Which columns were given names."""
    unnamed = [own for name, own in zip(names, made, strict=True) if not name.strip()]
    repeated = [name for name, times in Counter(names).items() if times > 1 and name.strip()]
    said = []
    if unnamed:
        has = "has" if len(unnamed) == 1 else "have"
        shown = listed([repr(name) for name in unnamed])
        said.append(f"{counted(len(unnamed), 'column')} without a name {has} one now: {shown}")
    if len(repeated) > _FEW:
        shown = listed([repr(name) for name in repeated])
        return [
            *said,
            f"{counted(len(repeated), 'name')} come again and are numbered, such as {repeated[0]}.2: {shown}",
        ]
    for name in repeated:
        alike = [repr(own) for own, given in zip(made, names, strict=True) if given == name]
        said.append(f"{counted(len(alike), 'column')} are named {name!r}; they are called {listed(alike)}")
    return said
