"""Trees as people read them: a table of rules, code that predicts, and Newick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data import Schema
from ..errors import InvalidParameter
from ..params import check_argument
from ..typing import Labels
from .conditions import Split, quoted
from .rules_as_code import python_source, sql_query
from .trees import Trees

_MOST_CLASSES = 8  # whose shares are listed


@dataclass(frozen=True)
class Line:
    """A node as a line of a table: how deep it lies, what leads to it, its weight, and what it says."""

    node: int
    depth: int
    asked: str
    weight: float
    says: tuple[float, ...]
    split: Split | None  # None for leaves
    is_cut: bool  # whether what is below it is left out
    bars: str


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """The rules of trees, with the names of columns, categories and classes; as text, it is a table of nodes."""

    trees: Trees
    schema: Schema
    classes: Labels | None = None

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, max_depth: int | None = None, digits: int = 3) -> str:
        """A table: one line a node with its rule, weight, prediction and shares of classes.

        Splits further down than `max_depth` are left out, and "…" stands for them. Thresholds are exact.
        """
        check_depth(max_depth, "rules")
        parts = []
        for t in range(len(self.trees)):
            rows = [self._header(), *(self._cells(line, digits) for line in self._lines(t, max_depth))]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            table = "\n".join(_aligned(row, widths) for row in rows)
            parts.append(f"tree {t}\n{table}" if len(self.trees) > 1 else table)
        return "\n\n".join(parts)

    def shown(self, most: int = 60) -> str:
        """The table down to a depth at which it has no more than so many lines, and a note of what is left out."""
        depth = int(self.trees.depths.max())
        while depth > 1 and int((self.trees.depths <= depth).sum()) > most:
            depth -= 1
        left_out = int((self.trees.depths > depth).sum())
        return self.text(depth) + (f"\n… and {left_out:,} nodes further down" if left_out else "")

    def as_python(self, name: str = "predict") -> str:
        """The source of a function that predicts a row as the model does, to the last bit.

        It takes a mapping from the names of columns to values; None and NaN are missing.
        """
        if not name.isidentifier():
            raise InvalidParameter(f"as_python: name must be a name of Python; got {name!r}.")
        return python_source(self.trees, self.schema, self.labels, name)

    def as_sql(self, table: str | None = None, name: str = "prediction") -> str:
        """The prediction as an expression of SQL, or as a query of a table; NULL is missing."""
        return sql_query(self.trees, self.schema, self.labels, table, name)

    def newick(self) -> str:
        """The trees in Newick's format, one a line: predictions at the leaves, splits at the other nodes."""
        return "\n".join(self._newick(t) for t in range(len(self.trees)))

    # ---- nodes ----

    @cached_property
    def labels(self) -> list[str | int | float | bool] | None:
        """The classes as plain values."""
        return None if self.classes is None else self.classes.tolist()

    def lines(self, t: int = 0, max_depth: int | None = None) -> list[Line]:
        """The nodes of a tree, each before those below it."""
        check_depth(max_depth, "rules")
        return list(self._lines(range(len(self.trees))[t], max_depth))

    def prediction(self, says: tuple[float, ...], digits: int = 3) -> str:
        """What a node predicts, in short."""
        if self.labels is not None:
            return str(self.labels[int(np.argmax(says))])
        return ", ".join(f"{x:.{digits}g}" for x in says)

    def split(self, t: int, node: int) -> Split:
        """The split of a node of a tree."""
        return Split.of(self.trees, int(self.trees.starts[t]) + node, self.schema)

    def _lines(self, t: int, max_depth: int | None) -> Iterator[Line]:
        trees, first = self.trees, int(self.trees.starts[t])
        open_: list[tuple[int, int, str, str, str]] = [(0, 0, "all rows", "", "")]
        while open_:
            node, depth, asked, bars, own = open_.pop()
            left, at = int(trees.left[first + node]), first + node
            split = self.split(t, node) if left >= 0 else None
            cut = split is not None and max_depth is not None and depth >= max_depth
            says = tuple(trees.value[at].tolist())
            yield Line(node, depth, asked, float(trees.weight[at]), says, split, cut, bars + own)
            if split is not None and not cut:
                below = bars + {"": "", "├─ ": "│  ", "└─ ": "   "}[own]
                open_ += [
                    (left + 1, depth + 1, split.words(False), below, "└─ "),
                    (left, depth + 1, split.words(True), below, "├─ "),
                ]

    def _header(self) -> list[str]:
        if self.labels is None:
            return ["rule", "weight", "value"]
        return ["rule", "weight", "class", *(map(str, self.labels) if self._lists_shares else ["share"])]

    @property
    def _lists_shares(self) -> bool:
        return self.labels is not None and len(self.labels) <= _MOST_CLASSES

    def _cells(self, line: Line, digits: int) -> list[str]:
        found = [
            line.bars + line.asked + (" …" if line.is_cut else ""),
            f"{line.weight:.10g}",
            self.prediction(line.says, digits),
        ]
        if self.labels is None:
            return found
        says = line.says[: len(self.labels)]
        return found + [f"{x:.{digits}g}" for x in (says if self._lists_shares else [max(says)])]

    def _newick(self, t: int) -> str:
        first = int(self.trees.starts[t])
        text: list[str] = []
        open_: list[int | str] = [0]
        while open_:
            node = open_.pop()
            if isinstance(node, str):
                text.append(node)
                continue
            left = int(self.trees.left[first + node])
            if left < 0:
                text.append(quoted(self.prediction(tuple(self.trees.value[first + node].tolist()), 17)))
            else:
                open_ += [")" + quoted(self.split(t, node).words(True)), left + 1, ",", left, "("]
        return "".join(text) + ";"


def check_depth(max_depth: int | None, owner: str) -> None:
    """Refuse what is no depth down to which a tree is shown."""
    check_argument(owner, "max_depth", max_depth, integer=True, at_least=0, choices=(None,))


def _aligned(cells: list[str], widths: list[int]) -> str:
    """Rules and predictions to the left, numbers to the right."""
    sides = "<><" + ">" * (len(cells) - 3)
    return "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(cells, sides, widths, strict=True)).rstrip()
