"""The categories of files, found by reading them. Needs pyarrow, so it is imported only where files are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing

from ..errors import InvalidData
from .arrow import dictionary, distinct, is_ordered
from .declared import agreed, in_order
from .file_source import Names, batches
from .files import TableFile
from .readahead import ReadAhead
from .schema import Column

MOST_CATEGORIES = 100_000  # a text column with more values is an id, not a category


def find_categories(files: Sequence[TableFile], columns: Sequence[Column], owner: str) -> dict[str, Names]:
    """The distinct values of text columns, in one pass: sorted, those of ordered columns in their order."""
    found: dict[str, set[str]] = {column.name: set() for column in columns}
    levels: dict[str, Names] = {}
    with closing(ReadAhead(batches(files, tuple(found)))) as parts:
        for file, _, batch in parts:
            for column in columns:
                name, cells = column.name, batch.column(column.name)
                found[name] |= distinct(cells)
                if column.ordered and is_ordered(cells.type):
                    levels[name] = agreed(name, levels.get(name, ()), dictionary(cells), owner)
                if len(found[name]) > MOST_CATEGORIES:
                    raise InvalidData(
                        f"{owner}: column {name!r} of {file.stamp} has more than {MOST_CATEGORIES:,} different "
                        "texts, as an id has; leave it out with columns=…."
                    )
    unordered = {c.name: (in_order if c.ordered else _sorted)(found[c.name]) for c in columns}
    return {**unordered, **levels}


def _sorted(values: Iterable[str]) -> Names:
    return tuple(sorted(values))
