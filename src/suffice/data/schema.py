"""What the columns of a table are: name and kind, in order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from ..holds import choice, flag, instance, sometimes, text, tuples
from ..registry import registered

# Models use the first three; "date" is for `describe`, and models refuse it.
Kind = Literal["numeric", "boolean", "categorical", "date"]


@registered("schema/Column")
@dataclass(frozen=True)
class Column:
    """One column; a categorical one lists its values, and its cells hold their positions in that list.

    The values of an `ordered` one are levels, the lowest first: it is an ordinal column.
    """

    name: str
    kind: Kind = "numeric"
    categories: tuple[str, ...] = ()
    ordered: bool = False

    @property
    def measured(self) -> str:
        """The kind as descriptions name it: that of an ordered column is "ordinal"."""
        return "ordinal" if self.ordered else self.kind

    holds: ClassVar = {
        "kind": choice("numeric", "boolean", "categorical", "date"),
        "categories": tuples(text()),
        "ordered": sometimes(flag()),  # files of earlier versions do not know it
    }


@registered("schema/Schema")
@dataclass(frozen=True)
class Schema:
    """The columns of a table; `named` is False where the names were made up for a plain array."""

    columns: tuple[Column, ...]
    named: bool = True

    holds: ClassVar = {"columns": tuples(instance(Column), "d")}

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def not_numeric(self) -> tuple[int, ...]:
        """The positions of the columns that hold something else than numbers."""
        return tuple(j for j, column in enumerate(self.columns) if column.kind != "numeric")

    @cached_property
    def text_columns(self) -> tuple[int, ...]:
        """The positions of the columns that hold categories by name."""
        return tuple(j for j in self.not_numeric if self.columns[j].kind == "categorical")

    def describe(self, j: int) -> str:
        """Column j as messages name it.

        >>> Schema((Column("FL"),)).describe(0), unnamed(3).describe(1)
        ("column 'FL'", 'column 1')
        """
        return f"column {self.columns[j].name!r}" if self.named else f"column {j}"

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self is other or (self.named == other.named and self.columns == other.columns)


class _Numbered(Schema):
    """Numeric columns of a plain array, which may have many: they are made when somebody looks at them."""

    count: int

    def __init__(self, count: int) -> None:
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "named", False)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns, named by their numbers."""
        return tuple(Column(f"x{j}") for j in range(len(self)))

    @property
    def not_numeric(self) -> tuple[int, ...]:
        """None of them."""
        return ()

    def __len__(self) -> int:
        return self.count

    def packed(self) -> Schema:
        """As model files hold it."""
        return Schema(self.columns, named=False)


@lru_cache(maxsize=64)
def unnamed(d: int) -> Schema:
    """The schema of a plain array of d numeric columns."""
    return _Numbered(d)
