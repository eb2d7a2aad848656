"""Trees with a branch for each category as people read them: lines of text, code that predicts, and Newick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..data import Schema
from ..errors import InvalidParameter
from ..text import figure
from ..typing import Labels
from .conditions import Split, identifier, literal, quoted
from .multiway import MISSING, NUMBER, MultiwayTree
from .rules_as_code import sql_vote

_HEAD = '    """The prediction for a row, a mapping from column names to values; None and NaN are missing."""'


@dataclass(frozen=True, eq=False, repr=False)
class MultiwayRules:
    """The rules of a tree, with the names of columns, categories and classes; as text, a line for each branch."""

    tree: MultiwayTree
    schema: Schema
    classes: Labels

    def __str__(self) -> str:
        return "\n".join(self._lines(0, ""))

    __repr__ = __str__

    def as_python(self, name: str = "predict") -> str:
        """The source of a function that predicts a row, with one of its own for each split.

        It takes a mapping from the names of columns to values; None and NaN are missing. A row of which parts go to
        several branches gets the shares of the classes in all of them.
        """
        if not name.isidentifier():
            raise InvalidParameter(f"as_python: name must be a name of Python; got {name!r}.")
        k = len(self.classes)
        own = ["\n".join(self._function(node, name)) for node in np.flatnonzero(~self.tree.is_leaf)[::-1].tolist()]
        main = [
            f"def {name}(row):",
            _HEAD,
            f"    shares = {self._python_of(0, name)}",
            f"    return {self.classes.tolist()!r}[max(range({k}), key=lambda c: round(shares[c], 12))]",
        ]
        return "\n\n\n".join([*own, "\n".join(main)]) + "\n"

    def as_sql(self, table: str, name: str = "prediction") -> str:
        """A query of a table with the prediction beside its columns; NULL is missing."""
        shares = [self._sql_share(c) for c in range(len(self.classes))]
        return sql_vote(shares, self.classes.tolist(), table, name)

    def newick(self) -> str:
        """The tree in Newick's format: every node but the root has the name of its branch, leaves also their class."""

        def written(node: int, told: str) -> str:
            if self.tree.is_leaf[node]:
                return quoted(f"{told}: {self._says(node)}" if told else self._says(node))
            own = [written(child, self.told(node, k)) for k, child in self.branches(node)]
            return f"({','.join(own)}){quoted(told) if told else ''}"

        return written(0, "") + ";"

    # ---- nodes ----

    def branches(self, node: int) -> Iterator[tuple[int, int]]:
        """The branches of a node, numbered, and the nodes that they lead to."""
        first = int(self.tree.first[node])
        return enumerate(range(first, first + int(self.tree.branches[node])))

    def _says(self, node: int) -> str:
        return str(self.classes[int(np.argmax(self.tree.counts[node]))])

    def _split(self, node: int) -> Split:
        """The cut of a number."""
        place = int(self.tree.column[node])
        return Split(self.schema.columns[place], place, float(self.tree.threshold[node]), False)

    def _category(self, child: int, place: int) -> str | int:
        names, code = self.schema.columns[place].categories or (), int(self.tree.category[child])
        return names[code] if code < len(names) else code

    def _parts(self, node: int) -> list[float]:
        """The part of a row for each branch, where it is not known to which it goes."""
        if self.tree.other[node] >= 0:
            return [float(k == self.tree.other[node]) for k, _ in self.branches(node)]
        mass = self.tree.counts[[child for _, child in self.branches(node)]].sum(axis=1)
        return [float(part) for part in mass / mass.sum()]

    # ---- text ----

    def _lines(self, node: int, indent: str) -> list[str]:
        if self.tree.is_leaf[node]:
            return [] if indent else [self._leaf(node)]
        found = []
        for k, child in self.branches(node):
            end = f": {self._leaf(child)}" if self.tree.is_leaf[child] else ""
            found += [f"{indent}{self.told(node, k)}{end}", *self._lines(child, indent + "|   ")]
        return found

    def _leaf(self, node: int) -> str:
        counts = self.tree.counts[node]
        wrong = counts.sum() - counts.max()
        return f"{self._says(node)} ({figure(counts.sum())}{f', {figure(wrong)} wrong' if wrong > 1e-9 else ''})"

    def told(self, node: int, k: int) -> str:
        """What leads to a branch of a node."""
        return f"{self.schema.columns[int(self.tree.column[node])].name} {self.relation(node, k)}"

    def relation(self, node: int, k: int) -> str:
        """The same without the name of the column."""
        place, child = int(self.tree.column[node]), int(self.tree.first[node]) + k
        category = float(self.tree.category[child])
        if category == MISSING:
            return "missing"
        if category == NUMBER:
            return f"{'>' if k else '≤'} {float(self.tree.threshold[node]):.6g}"
        return f"= {self._category(child, place)}"

    # ---- Python ----

    def _python_of(self, node: int, name: str) -> str:
        """What gives the shares of the classes of a row that is in a node."""
        return repr(self.tree.shares[node].tolist()) if self.tree.is_leaf[node] else f"{name}_{node}(row)"

    def _function(self, node: int, name: str) -> Iterator[str]:
        place = int(self.tree.column[node])
        asked = repr(self.schema.names[place])
        yield f"def {name}_{node}(row):"
        yield f'    x = float("nan") if row[{asked}] is None else row[{asked}]'
        numbers = [child for _, child in self.branches(node) if self.tree.category[child] == NUMBER]
        for _, child in self.branches(node):
            if self.tree.category[child] == MISSING:
                condition = "x != x"
            elif child in numbers:
                left = self._split(node).python("x")
                condition = left if child == numbers[0] else f"x == x and not ({left})"
            else:
                condition = f"x == {self._category(child, place)!r}"
            yield f"    if {condition}:"
            yield f"        return {self._python_of(child, name)}"
        each = [self._python_of(child, name) for _, child in self.branches(node)]
        parts = self._parts(node)
        if max(parts) == 1.0:
            yield f"    return {each[parts.index(1.0)]}"
        else:
            yield f"    branches = zip({parts!r}, [{', '.join(each)}])"
            yield "    parts = [[part * share for share in shares] for part, shares in branches]"
            yield "    return [sum(own) for own in zip(*parts)]"

    # ---- SQL ----

    def _sql_share(self, c: int) -> str:
        """The share of a class: the sum over the leaves that have it of the part of a row that comes there."""
        terms, open_ = [], [(0, "")]
        while open_:
            node, way = open_.pop()
            if self.tree.is_leaf[node]:
                share = float(self.tree.shares[node][c])
                terms += [f"{way}{share!r}"] if share > 0 else []
                continue
            children = [child for _, child in self.branches(node)]
            ways = [f"{way}{self._sql_part(node, child)} * " for child in children]
            open_ += list(zip(children, ways, strict=True))[::-1]
        return "\n+ ".join(terms) if terms else "0.0"

    def _sql_part(self, node: int, child: int) -> str:
        """The part of a row in a node that goes to one of its branches."""
        k = child - int(self.tree.first[node])
        cases = [f"WHEN {self._sql_asked(node, j, one)} THEN {int(j == k)}" for j, one in self.branches(node)]
        return f"CASE {' '.join(cases)} ELSE {self._parts(node)[k]!r} END"

    def _sql_asked(self, node: int, k: int, child: int) -> str:
        place = int(self.tree.column[node])
        x = identifier(self.schema.names[place])
        if self.tree.category[child] == MISSING:
            return f"{x} IS NULL"
        if self.tree.category[child] == NUMBER:
            left = self._split(node).sql()
            return f"NOT ({left})" if k else left
        return f"{x} = {literal(self._category(child, place))}"
