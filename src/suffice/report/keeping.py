"""The winner, fitted to all rows: what is kept in a file, and the code that makes it again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..evaluation import Comparison, Evaluation
from ..evaluation.comparing import DUMMY
from ..persist import Training, save
from ..persist.training import MOST_VALUES
from .parts import Part
from .rows import Rows, Task
from .study import Study

LEVEL = 0.9  # of the intervals of predictions


@dataclass(frozen=True, eq=False)
class Winner:
    """The best model of a comparison that is not the dummy, and the rows that models were compared on.

    `whole` reads all rows of the table, described in full.
    """

    comparison: Comparison
    rows: Rows
    task: Task
    columns: tuple[str, ...]
    whole: Callable[[], Rows]

    def keep(self, path: str | os.PathLike[str]) -> str:
        """Fit it to all rows whose target is known, write it to a file, and say what was done."""
        name, rows = self.comparison.winner, self.whole()
        found = self.comparison.evaluations[name]
        model = found.fitted() if self.rows.is_all else _fitted_to(rows, self.task, self.columns, found)
        described = [column.name for column in rows.description.columns]
        own = [name for name in self.columns if name in described]  # and no parts of dates
        record = Training.of(rows.description, own, rows.target, _within(found))
        save(model, path, record)
        return f"{name}, fitted to all rows{no_better(self.comparison)}"


def _fitted_to(rows: Rows, task: Task, columns: tuple[str, ...], found: Evaluation) -> object:
    """The model of an evaluation, fitted to more rows than it was measured on; of its classes."""
    labelled, y, kind = rows.labelled(task)
    if kind == "classes":
        known = np.isin(y, found.classes)
        labelled, y = labelled.only(known), y[known]
    return found.fitted(labelled.table(columns), y)


def _within(found: Evaluation) -> float | None:
    """How far from the target the predictions of rows left out were at the most, for a share `LEVEL` of the rows."""
    if found.problem.task != "numbers" or found.answers.truth is None or np.ndim(found.answers.truth) != 1:
        return None
    off = np.sort(np.abs(found.answers.truth - found.answers.predicted))
    place = int(np.ceil(LEVEL * (len(off) + 1)))
    return float(off[place - 1]) if place <= len(off) and np.isfinite(off).all() else None


def no_better(made: Comparison) -> str:
    """That the winner is not clearly better than the dummy, where that is so."""
    if made.best == DUMMY:
        return "; it tells the target no better than the dummy, which ignores all columns"
    against = made.to_dummy.get(made.winner)
    clear = against is not None and against.verdict == "better"
    return "" if clear else "; it is not clearly better than the dummy, which ignores all columns"


def winner_of(study: Study, whole: Callable[[], Rows]) -> Winner | None:
    """The winner of a study; None where no models were compared."""
    made = study.results.get("comparison")
    if made is None:
        return None
    return Winner(made, study.rows, study.task, tuple(study.results["table"].column_names), whole)


def keeping_part(study: Study) -> Part:
    """How to use the winner: the command that keeps it, and the code that fits it again."""
    made: Comparison = study.results["comparison"]
    name, target = made.winner, study.rows.target
    words = [how_kept(name, str(target), study.path)]
    if study.rows.is_all:
        return Part("The best model, to be used", words=words, code=f"best = comparison.fitted({name!r})")
    lines = [study.opening_of_all, f"every, all_y, kind = every.labelled({study.task!r})"]
    if study.results["kind"] == "classes":
        lines += [
            f"known = np.isin(all_y, comparison.evaluations[{name!r}].classes)",
            "every, all_y = every.only(known), all_y[known]",
        ]
    lines.append(f"best = comparison.fitted({name!r}, every.table(table.column_names), all_y)")
    return Part("The best model, to be used", words=words, code="\n".join(lines))


def how_kept(name: str, target: str, path: str | None) -> str:
    """The command that keeps the winner of a table in a file, and the Python that does of another table.

    >>> how_kept("Ridge", "unit price", "my sales.csv").count("`")
    4
    """
    command = f"suffice report {shlex.quote(path)} --target {shlex.quote(target)} --save best.sff" if path else ""
    kept = f"`{command}`" if path else "`report.winner.keep('best.sff')`, of what `sf.report` gave"
    used = "`suffice predict best.sff new.csv -o out.csv`"
    return f"{name}, with its preparation, is fitted to all rows and kept by {kept}; {used} uses it."


def described_in_full() -> dict[str, Any]:
    """The settings of `read_rows` for all rows and categories."""
    return {"rows": None, "top": MOST_VALUES}
