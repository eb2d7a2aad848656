"""`progress`: a bar for every fit and every long read, drawn by rich."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..errors import needed
from ..observing import Iteration, Observer, observe


class _Bars(Observer):
    """One line per fit under way; the rows of a pass move the bar, a finished iteration changes the words."""

    def __init__(self, display: Any) -> None:
        self.display = display
        self.tasks: list[tuple[object, str]] = []

    def fit_started(self, name: str, params: Mapping[str, object]) -> None:
        self.tasks.append((self.display.add_task(name, total=None), name))

    def iteration_done(self, done: Iteration, snapshot: Mapping[str, object]) -> None:
        task, name = self._current()
        self.display.update(task, description=f"{name}  iteration {done.number}  objective {done.objective:.6g}")

    def rows_read(self, rows: int, total: int | None) -> None:
        self.display.update(self._current()[0], completed=rows, total=total)

    def parts_done(self, parts: int, total: int | None) -> None:
        self.display.update(self._current()[0], completed=parts, total=total)

    def fit_ended(self, status: str) -> None:
        self.display.remove_task(self.tasks.pop()[0])

    def _current(self) -> tuple[object, str]:
        if not self.tasks:  # rows read outside any fit, as by a prediction
            self.fit_started("reading", {})
        return self.tasks[-1]


@contextmanager
def progress() -> Iterator[None]:
    """Show a progress bar for whatever is fitted or read within the block.

    >>> with progress():
    ...     pass
    """
    needed("rich", "cli")
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as display, observe(_Bars(display)):
        yield
