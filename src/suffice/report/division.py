"""How rows are divided to see how good models are: at random, forward in time, or by groups that stay together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from ..data.rows import is_gap
from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..text import counted, listed
from ..typing import Labels
from .learnable import fewer_folds, folds_of
from .rows import Rows

BLOCKS = 5  # of time that are tested


class Parts(TypedDict, total=False):
    """What `compare` and `search` are told of it."""

    splits: int
    time: Labels
    groups: Labels


@dataclass(frozen=True, eq=False)
class Divided:
    """The rows that take part and their target, the parts they fall into, and sentences about it."""

    rows: Rows
    y: Labels
    parts: int
    arguments: Parts
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Division:
    """At random: each fold is predicted by models that learned from the others.

    >>> division().told(5)
    'Each of 5 folds is predicted by models that learned from the others.'
    """

    column: str | None = None

    @property
    def unused(self) -> tuple[str, ...]:
        """Columns that nothing is learned from, since they say how rows are divided."""
        return ()

    def check(self, rows: Rows) -> None:
        """Refuse a column that rows cannot be divided by."""

    def divide(self, rows: Rows, y: Labels, kind: str, parts: int | None = None) -> Divided:
        """The rows divided into so many parts, by default as many as are worth it."""
        folds, said = (folds_of(y, kind), list[str]()) if parts is None else fewer_folds(parts, y, kind)
        return Divided(rows, y, folds, {"splits": folds}, said)

    def told(self, parts: int) -> str:
        """Which rows models learn from and which they predict."""
        return f"Each of {parts} folds is predicted by models that learned from the others."

    def keeping(self, rows: str) -> list[str]:
        """Python that leaves out of `rows` and y what takes no part."""
        return []

    def argument(self, rows: str) -> str:
        """What divides them, as an argument of `compare` and `search`, such as "time=rows.cells['day']"."""
        return ""


AT_RANDOM = Division()


@dataclass(frozen=True)
class _ByColumn(Division):
    """By what a column says of each row; rows where it says nothing are left out."""

    def _known(self, rows: Rows, y: Labels, what: str) -> tuple[Rows, Labels, list[str]]:
        known = np.array([not is_gap(cell) for cell in self._cells(rows).tolist()], dtype=bool)
        gone = len(known) - int(known.sum())
        said = [f"{counted(gone, 'row')} without a {what} {'is' if gone == 1 else 'are'} left out."] if gone else []
        return rows.only(known), y[known], said

    def _cells(self, rows: Rows) -> Labels:
        return rows.cells[str(self.column)]

    def _code(self, rows: str) -> str:
        return f"{rows}.cells[{self.column!r}]"

    def _check_is_there(self, rows: Rows, what: str) -> None:
        known = [column.name for column in rows.columns]
        if self.column not in known:
            hint = did_you_mean(str(self.column), known)
            raise InvalidData(f"{rows.name} has no column {self.column!r}.{hint} Its columns: {listed(known)}.")
        if rows.target is None:
            raise InvalidData(f"The {what} {self.column!r} say how a target is predicted; name one with target=….")
        if self.column == rows.target:
            raise InvalidData(f"The {what} {self.column!r} are the target itself; name another column.")


@dataclass(frozen=True)
class ByTime(_ByColumn):
    """Forward in time: each block is predicted by models that learned from earlier rows.

    >>> division(time="day").told(5)
    "Each of 5 blocks of rows, in the order of 'day', is predicted by models fitted to earlier rows."
    """

    def check(self, rows: Rows) -> None:
        """Refuse what is no column of times, and a time where nothing is predicted."""
        self._check_is_there(rows, "times")
        if self._cells(rows).dtype == object:
            raise InvalidData(f"The time {self.column!r} holds text; numbers or dates are needed, such as 2024-12-31.")

    def divide(self, rows: Rows, y: Labels, kind: str, parts: int | None = None) -> Divided:
        """Blocks of the rows whose time is known."""
        rows, y, said = self._known(rows, y, "time")
        blocks = BLOCKS if parts is None else parts
        return Divided(rows, y, blocks, {"splits": blocks, "time": self._cells(rows)}, said)

    def told(self, parts: int) -> str:
        """Which rows models learn from and which they predict."""
        return (
            f"Each of {parts} blocks of rows, in the order of {self.column!r}, is predicted by models fitted to "
            "earlier rows."
        )

    def keeping(self, rows: str) -> list[str]:
        """Python that leaves out rows without a time."""
        return [f"timed = np.isfinite({self._code(rows)})", f"{rows}, y = {rows}.only(timed), y[timed]"]

    def argument(self, rows: str) -> str:
        """The times, as an argument."""
        return f"time={self._code(rows)}"


@dataclass(frozen=True)
class ByGroups(_ByColumn):
    """By groups: all rows of one are predicted by models that saw none of them.

    >>> division(groups="patient").told(5)
    "Each of 5 folds is predicted by models that learned from the others; rows of one 'patient' are in one fold."
    """

    @property
    def unused(self) -> tuple[str, ...]:
        """The column of groups: those of new rows are others."""
        return (str(self.column),)

    def check(self, rows: Rows) -> None:
        """Refuse what is no column of groups, and groups where nothing is predicted."""
        self._check_is_there(rows, "groups")

    def divide(self, rows: Rows, y: Labels, kind: str, parts: int | None = None) -> Divided:
        """Folds of whole groups, of the rows whose group is known."""
        rows, y, said = self._known(rows, y, "group")
        there = len(set(self._cells(rows).tolist()))
        if there < 2:
            raise InvalidData(
                f"{'All rows with a target are of one group' if there else 'No row with a target has a group'} of "
                f"{self.column!r}; models are fitted to some groups and tested on others."
            )
        folds, fewer = (folds_of(y, kind), list[str]()) if parts is None else fewer_folds(parts, y, kind)
        if there < folds:
            fewer = [] if parts is None else [f"{there} folds instead of {parts}, since there are {there} groups."]
        folds = min(folds, there)
        return Divided(rows, y, folds, {"splits": folds, "groups": self._cells(rows)}, [*said, *fewer])

    def told(self, parts: int) -> str:
        """Which rows models learn from and which they predict."""
        return f"{super().told(parts)[:-1]}; rows of one {self.column!r} are in one fold."

    def keeping(self, rows: str) -> list[str]:
        """Python that leaves out rows without a group."""
        known = f"np.array([cell is not None and cell == cell for cell in {self._code(rows)}])"
        return [f"grouped = {known}", f"{rows}, y = {rows}.only(grouped), y[grouped]"]

    def argument(self, rows: str) -> str:
        """The groups, as an argument."""
        return f"groups={self._code(rows)}"


def division(time: str | None = None, groups: str | None = None) -> Division:
    """How rows are divided: by a column of times, by one of groups, or at random."""
    if time is not None and groups is not None:
        raise InvalidParameter(
            f"Rows are divided by time={time!r} or by groups={groups!r}, not by both; leave one of them out."
        )
    if time is not None:
        return ByTime(time)
    return AT_RANDOM if groups is None else ByGroups(groups)
