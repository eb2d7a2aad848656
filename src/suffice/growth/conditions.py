"""What a split asks of a row, in words, in Python and in SQL."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..data import Column, Schema
from ..text import figure
from .trees import Trees

_MOST_NAMES = 8  # categories that are listed in words


@dataclass(frozen=True)
class Split:
    """A split of a node: rows go left where `column` is at most `threshold`, or in `inside`.

    Of categories, `inside` are those on the left and `outside` those on the right that the sets know of. Missing cells
    and categories never seen go left where `missing_left` says so.
    """

    column: Column
    place: int
    threshold: float
    missing_left: bool
    inside: tuple[str | int, ...] | None = None
    outside: tuple[str | int, ...] = ()

    @classmethod
    def of(cls, trees: Trees, node: int, schema: Schema) -> Split:
        """The split of a node, by its place among all nodes."""
        j = int(trees.column[node])
        column, missing_left = schema.columns[j], bool(trees.missing_left[node])
        if trees.words[j] == 0:
            return cls(column, j, float(trees.threshold[node]), missing_left)
        first = int(trees.threshold[node])
        words = trees.sets[first : first + int(trees.words[j])]
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little").astype(bool)
        names: Sequence[str | int] = column.categories or range(len(bits))
        left = bits[: len(names)]
        inside, outside = (tuple(names[i] for i in np.flatnonzero(own).tolist()) for own in (left, ~left))
        return cls(column, j, 0.0, missing_left, inside, outside)

    @property
    def levels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The levels of an ordered column on the left and on the right."""
        names = self.column.categories
        cut = len(names) if np.isinf(self.threshold) else int(np.floor(self.threshold)) + 1
        return names[: max(0, cut)], names[max(0, cut) :]

    # ---- in words ----

    def words(self, is_left: bool) -> str:
        """What holds for the rows on one side."""
        if self.inside is None and np.isinf(self.threshold):
            return self.asks(is_left)
        return f"{self.asks(is_left)} or missing" if self.missing_left == is_left else self.asks(is_left)

    def asks(self, is_left: bool) -> str:
        """The same for rows whose cell is known."""
        return f"{one_line(self.column.name)} {self.relation(is_left)}"

    def relation(self, is_left: bool, digits: int | None = None) -> str:
        """The same without the name of the column; thresholds have 15 digits, or so many."""
        if self.inside is not None and not self.column.categories:
            return f"{'in' if is_left else 'not in'} {_listed(self.inside)}"
        if self.inside is not None:
            return f"in {_listed(self.inside if is_left else self.outside)}"
        if np.isinf(self.threshold):
            return f"is {'known' if is_left else 'missing'}"
        if self.column.kind == "boolean":
            return f"is {'false' if is_left else 'true'}"
        number = shortest(self.threshold) if digits is None else figure(self.threshold, digits)
        last = self.levels[0][-1:] if self.column.categories else (number,)
        return f"{'≤' if is_left else '>'} {last[0] if last else 'none'}"

    # ---- as code: what is true of the rows that go left ----

    def python(self, x: str) -> str:
        """An expression of Python about the value x, of which NaN is missing."""
        if self.inside is not None and self.column.categories:
            return f"{x} not in {_set(self.outside)}" if self.missing_left else f"{x} in {_set(self.inside)}"
        if self.inside is not None:
            known = f"{x} in {_set(self.inside)}"
            return f"{known} or not 0 <= {x} < {self._known}" if self.missing_left else known
        if self.column.categories:
            above = f"{x} not in {_set(self.levels[1])}"
            return above if self.missing_left else f"{x} == {x} and {above}"
        if np.isinf(self.threshold):
            return "True" if self.missing_left else f"{x} == {x}"
        return f"not {x} > {self.threshold!r}" if self.missing_left else f"{x} <= {self.threshold!r}"

    def sql(self) -> str:
        """An expression of SQL, in which NULL is missing; it is not true of the rows on the right."""
        x = identifier(self.column.name)
        if self.inside is not None and self.column.categories:
            asked = _not_in(x, self.outside) if self.missing_left else _in(x, self.inside)
        elif self.inside is not None:
            asked = f"{_in(x, self.inside)}{f' OR {x} < 0 OR {x} >= {self._known}' if self.missing_left else ''}"
        elif self.column.categories:
            asked = _not_in(x, self.levels[1]) if self.levels[1] else f"{x} IS NOT NULL"
        elif np.isinf(self.threshold):
            asked = f"{x} IS NOT NULL"
        else:
            asked = f"NOT {x}" if self.column.kind == "boolean" else f"{x} <= {self.threshold!r}"
        return f"{asked} OR {x} IS NULL" if self.missing_left else asked

    @property
    def _known(self) -> int:
        """How many categories that are numbers the sets know of."""
        return len(self.inside or ()) + len(self.outside)


def shortest(x: float) -> str:
    """The number to 15 digits, which tell the halves of all but neighbouring doubles apart.

    >>> shortest(2.45), shortest(18.700000000000003), shortest(1e22)
    ('2.45', '18.7', '1e+22')
    """
    return f"{float(x):.15g}"


def one_line(name: str) -> str:
    """A name without breaks of lines, in quotes where it is blank."""
    return " ".join(name.split()) or repr(name)


def identifier(name: str) -> str:
    """A name as SQL quotes it.

    >>> identifier('the "best" column')
    '"the ""best"" column"'
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A value as SQL writes it.

    >>> literal("it's"), literal(2), literal(0.1), literal(True)
    ("'it''s'", '2', '0.1', '1')
    """
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(int(value)) if isinstance(value, bool) else repr(value)


def quoted(text: str) -> str:
    """A name as Newick quotes it."""
    return "'" + text.replace("'", "''") + "'"


def _set(values: Iterable[object]) -> str:
    return "{" + inside + "}" if (inside := ", ".join(map(repr, values))) else "()"


def _in(x: str, values: Sequence[object]) -> str:
    return f"{x} IN ({', '.join(map(literal, values))})" if values else "1 = 0"


def _not_in(x: str, values: Sequence[object]) -> str:
    return f"{x} NOT IN ({', '.join(map(literal, values))})" if values else "1 = 1"


def _listed(names: Sequence[str | int]) -> str:
    shown = [_name(name) for name in names[:_MOST_NAMES]]
    more = [f"… {len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    return "{" + ", ".join([*shown, *more]) + "}"


def _name(name: str | int) -> str:
    """A category; in quotes where it would be read as something else."""
    text = str(name)
    plain = isinstance(name, int) or (text and text == text.strip() and not set(text) & set(',{}"\n\t'))
    return text if plain else json.dumps(text, ensure_ascii=False)
