"""A person as an oracle: rows are shown in the terminal, and answers are read until somebody has enough."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..active import Labelling

_COMMANDS = {"?": "do not know", "u": "undo", "q": "quit"}
_MOST_COLUMNS, _LONGEST = 40, 100  # of a row that is shown: columns, and characters of a cell


class Quit(Exception):
    """Somebody has enough."""


@dataclass
class Conversation:
    """Questions about rows and what is typed; every answer goes into the session at once."""

    session: Labelling
    rows: Mapping[str, Any]  # the columns that are shown, as lists
    target: str
    hints: bool = True  # whether it is said what the model takes a row for
    new: set[str] = field(default_factory=set)  # classes that turned up here and were confirmed

    def hold(self, queries: int | None) -> str:
        """Ask until there are so many answers, no row is left, or somebody quits; says how it ended."""
        asked = 0
        try:
            while queries is None or asked < queries:
                rows = self.session.ask()
                if not rows:
                    return "no row is left to ask about"
                asked += self._about(rows[0])
            return f"{asked} answered"
        except (Quit, KeyboardInterrupt, click.Abort):
            click.echo()
            return "stopped"

    def _about(self, row: int) -> int:
        """One row: 1 where it has an answer, −1 where the one before was taken back."""
        click.echo(f"\n{self._shown(row)}")
        while True:
            text = self._read()
            command = self._command(text)
            if command == "q":
                raise Quit
            if command == "u":
                return self._undone()
            if command == "?":
                self.session.skip(row)
                return 1
            label = self._label(text)
            if label is not None:
                self.session.tell(row, label)
                return 1

    def _undone(self) -> int:
        back = self.session.undo()
        click.echo("nothing to undo" if back is None else f"taken back: row {back + 1}")
        return 0 if back is None else -1

    def _read(self) -> str:
        classes = "/".join(map(str, self.session.classes)) if self.session.learner.task == "classes" else ""
        shown = f"{self.target} [{classes}]" if classes and len(classes) <= _LONGEST else self.target
        commands = ", ".join(f"{self._mark()}{key} {words}" for key, words in _COMMANDS.items())
        click.echo(f"{shown} ({commands}): ", nl=False)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise Quit
        return line.strip()

    def _command(self, text: str) -> str | None:
        """The command that was typed, by its letter or its words."""
        mark = self._mark()
        return next((key for key, words in _COMMANDS.items() if text in (f"{mark}{key}", f"{mark}{words}")), None)

    def _mark(self) -> str:
        """What stands before a command where a class begins like one."""
        classes = map(str, self.session.classes) if self.session.learner.task == "classes" else ()
        return ":" if any(name.casefold().startswith(tuple(_COMMANDS)) for name in classes) else ""

    def _label(self, text: str) -> object:
        """What was typed as a label; None, and a sentence, where it can be none."""
        if not text:
            return None
        if self.session.learner.task == "numbers":
            return self._number(text)
        known = list(map(str, self.session.classes))
        if text in known:
            return text
        begun = [name for name in known if name.casefold().startswith(text.casefold())]
        if len(begun) == 1 and (self.session.declared or begun[0].casefold() == text.casefold()):
            return begun[0]
        if len(begun) > 1 and self.session.declared:
            click.echo(f"{text!r} may be {' or '.join(begun)}; type more of it.")
            return None
        if self.session.declared:
            click.echo(f"{text!r} is none of {', '.join(known)}.")
            return None
        if known and text not in self.new:
            self.new.add(text)
            click.echo(f"{text!r} would be a new class beside {', '.join(known)}; type it again to add it.")
            return None
        return text

    def _number(self, text: str) -> float | None:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            click.echo(f"{text!r} is no number; type one such as 3.5.")
            return None
        return value

    def _shown(self, row: int) -> str:
        from ..text import counted

        columns = list(self.rows)[:_MOST_COLUMNS]
        cells = [(name, _cut(self.rows[name][row])) for name in columns]
        wide = max((len(name) for name, _ in cells), default=0)
        lines = [f"  {name.ljust(wide)}  {cell}" for name, cell in cells]
        left = len(self.rows) - len(columns)
        lines += [f"  and {counted(left, 'column')} more"] if left else []
        said = self._said(row) if self.hints else []
        done = len(self.session.labels)
        return "\n".join([f"row {row + 1:,} of {self.session.n:,}, {counted(done, 'label')} so far", *lines, *said])

    def _said(self, row: int) -> list[str]:
        """What the model takes the row for, once it knows something."""
        from ..active.query import quiet
        from ..resampling.rows import rows_of
        from ..text import figure

        session = self.session
        if session.is_beginning:
            return []
        model, asked = quiet(lambda: session.model), rows_of(session.X, _at(row))
        if session.learner.task == "numbers":
            return [f"  the model says {figure(float(model.predict(asked)[0]))}"]
        if not hasattr(model, "predict_proba"):
            return [f"  the model says {model.predict(asked)[0]}"]
        chance = sorted(zip(model.predict_proba(asked)[0], model.classes_, strict=True), key=lambda pair: -pair[0])
        return [f"  the model says {', '.join(f'{name} {100 * p:.0f} %' for p, name in chance[:5])}"]


def _at(row: int) -> Any:
    import numpy as np

    return np.array([row])


def _cut(cell: object) -> str:
    from ..description.text import printable

    text = "" if cell is None else printable(f"{cell:g}" if isinstance(cell, float) else str(cell))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
