"""What a search for columns did, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...holds import choice, flag, floats, integers, require, text, tuples, whole
from ...registry import registered
from ...text import aligned, figure
from ...typing import AxesLike, Floats, Labels, Whole

if TYPE_CHECKING:
    from ...plots import BandsDisplay

ALL = -1  # in place of a column: the beginning with all of them


@registered("result/SelectionPath")
@dataclass(frozen=True, eq=False)
class SelectionPath:
    """The columns that were taken or left out one after the other, and the measure after each step.

    `steps` (s,) are the numbers of the columns, −1 for the beginning with all of them; `value` (s,) the measure of all
    folds, `each` (s, folds) that of every fold, and `weight` (folds,) what the rows weigh that were tested there.
    `chosen` is the place of the step that was chosen. Print it, plot it, or take the figures.
    """

    names: tuple[str, ...]
    steps: Whole
    value: Floats
    each: Floats
    weight: Floats
    measure: str
    larger: bool
    forward: bool
    chosen: int
    rule: str

    holds: ClassVar = {
        "names": tuples(text(), "d"),
        "steps": integers("s", at_least=ALL, below="d"),
        "value": floats("s", finite=False),
        "each": floats("s", "folds", finite=False),
        "weight": floats("folds", at_least=0),
        "measure": text(),
        "larger": flag(),
        "forward": flag(),
        "chosen": whole(at_least=0),
        "rule": choice("min", "1se", "number"),
    }

    def check_loaded(self) -> None:
        require(self.chosen < len(self.steps), "chosen must be a step of the path")

    @property
    def sizes(self) -> Whole:
        """How many columns there are after each step, (s,)."""
        along = np.arange(len(self.steps))
        return along + 1 if self.forward else len(self.names) - along

    @property
    def standard_error(self) -> Floats:
        """Of the measure, from the spread of the folds, (s,); NaN where one fold alone is known."""
        known = np.isfinite(self.each)
        weight = np.where(known, self.weight, 0.0)
        cells = np.where(known, self.each, 0.0)
        total, count = weight.sum(axis=1), known.sum(axis=1)
        safe = np.where(total > 0, total, 1.0)
        mean = (weight * cells).sum(axis=1) / safe
        spread = (weight * (cells - mean[:, None]) ** 2).sum(axis=1) / safe
        return np.asarray(np.where(count > 1, np.sqrt(spread / np.maximum(count - 1, 1)), np.nan))

    def columns(self, step: int | None = None) -> Whole:
        """The numbers of the columns after a step, the chosen one by default."""
        end = (self.chosen if step is None else step) + 1
        taken = self.steps[:end]
        if self.forward:
            return np.sort(taken)
        return np.setdiff1d(np.arange(len(self.names)), taken)

    @property
    def table(self) -> dict[str, Labels]:
        """Columns by name: how many columns there are, the one that was taken or left out, the measure, its error."""
        said = ["" if step == ALL else self.names[step] for step in self.steps]
        return {
            "columns": self.sizes,
            "taken" if self.forward else "left_out": np.array(said, dtype=object),
            self.measure: self.value,
            "standard_error": self.standard_error,
        }

    def __str__(self) -> str:
        error = self.standard_error
        mark = {self.chosen: "chosen"}
        rows = [
            (name or "(all columns)", str(size), figure(value), figure(spread, 2), mark.get(i, ""))
            for i, (size, name, value, spread) in enumerate(zip(*self.table.values(), strict=True))
        ]
        head = ("taken" if self.forward else "left out", "columns", self.measure, "±", "")
        return aligned([head, *rows]) if len(error) else ""

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """Draw the measure over the number of columns, a band of one standard error, and what was chosen."""
        from ...plots import BandsDisplay

        return BandsDisplay.from_selection(self, ax=ax)


def losses_of(value: Floats, larger: bool) -> Floats:
    """What is to be small in place of a measure; infinite where that is not known."""
    return np.asarray(np.where(np.isfinite(value), -value if larger else value, np.inf))


def chosen_step(value: Floats, error: Floats, sizes: Whole, larger: bool, rule: str) -> int:
    """The place of the step with the best measure, of equal ones that with the fewest columns.

    By "1se", that with the fewest columns of those within one standard error of the best.
    """
    losses = losses_of(value, larger)
    best = int(np.lexsort((sizes, losses))[0])
    if rule != "1se" or not np.isfinite(error[best]):
        return best
    near = np.flatnonzero(losses <= losses[best] + error[best])
    return int(near[np.argmin(sizes[near])])
