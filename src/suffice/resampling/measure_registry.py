"""What a measure is, and which there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import InvalidParameter, did_you_mean
from ..typing import Floats
from .answers import Answers

Task = Literal["classes", "numbers", "clusters", "density", "anomalies"]
Counts = tuple[float, float]  # successes of trials
LOSS = (0.0, math.inf)  # the bounds of a loss


@dataclass(frozen=True)
class Measure:
    """A measure of how good answers are."""

    name: str
    task: Task
    compute: Callable[[Answers], float]
    larger: bool = True  # whether larger is better
    needs: str = "predicted"  # the column of the answers that it looks at; "ranking" is a probability or a decision
    bounds: tuple[float, float] = (0.0, 1.0)  # what the measure can be
    zone: float | None = None  # differences up to this do not matter; None: up to 1 % of the value
    counts: Callable[[Answers], Counts | None] | None = None  # of a rate, for Wilson's interval
    truth: bool = True  # whether it needs y
    two_classes: bool = False  # whether it is for two classes only
    pooled: bool = True  # whether answers of several fits may be put together; the labels of clusters may not
    doc: str = ""
    each: Callable[[Answers], Floats] | None = None  # what it is of each row by itself, (n,), where that is known

    def __call__(self, answers: Answers) -> float:
        return self.compute(answers)

    def over_folds(self, parts: Sequence[Answers]) -> float:
        """The measure of the answers of several folds together; the mean over folds where they may not be pooled.

        The sums that a ratio is made of are added first: the R² of a fold of two rows means little, and a mean of
        such ratios is not the ratio of the sums.
        """
        if self.pooled or len(parts) == 1:
            return self(Answers.joined(list(parts)))
        return float(np.mean([self(part) for part in parts]))

    def of_rows(self, answers: Answers) -> Floats:
        """The measure of each row by itself, (n,), as of folds of one row; NaN of a row that weighs nothing."""
        if self.each is not None:
            return np.where(answers.weight > 0, self.each(answers), math.nan)
        if self.needs != "predicted" or not answers.classes:
            return np.array([self(answers.at(np.array([row]))) for row in range(len(answers.rows))])
        calls = np.column_stack([answers.truth, answers.predicted, answers.weight])
        first, of = np.unique(calls, axis=0, return_index=True, return_inverse=True)[1:]
        return np.array([self(answers.at(np.array([row]))) for row in first])[of.reshape(-1)]

    def __repr__(self) -> str:
        return f"Measure({self.name!r})"


def unknown(answers: Answers) -> Floats:
    """Of one row by itself nothing is known."""
    return np.full(len(answers.rows), math.nan)


MEASURES: dict[str, Measure] = {}

# What is measured where nothing is asked for, as far as the model gives what is needed.
DEFAULTS: dict[Task, tuple[str, ...]] = {
    "classes": ("accuracy", "balanced_accuracy", "f1", "roc_auc", "log_loss"),
    "numbers": ("rmse", "mae", "r2", "correlation"),
    "clusters": ("adjusted_rand", "alignment_accuracy", "purity", "silhouette"),
    "density": ("log_likelihood",),
    "anomalies": ("f1", "precision", "recall", "roc_auc", "average_precision"),
}


def measure(name: str, task: Task, **options: Any) -> Callable[[Callable[[Answers], float]], Measure]:
    """Register a function of `Answers` as a measure that `evaluate` knows by this name; its docstring is the doc."""

    def register(compute: Callable[[Answers], float]) -> Measure:
        MEASURES[name] = Measure(name, task, compute, doc=compute.__doc__ or "", **options)
        return MEASURES[name]

    return register


def chosen(
    wanted: Sequence[str | Measure] | str | Measure | None, task: Task, owner: str = "evaluate"
) -> tuple[Measure, ...]:
    """The measures by name, or given; None where the defaults of the task are meant."""
    if wanted is None:
        return tuple(MEASURES[name] for name in DEFAULTS[task])
    alone = isinstance(wanted, str | Measure) or not isinstance(wanted, Iterable)
    names: Iterable[Any] = (wanted,) if alone else wanted  # type: ignore[assignment]
    of: Task = "classes" if task == "anomalies" else task  # a row is an anomaly or normal: two classes
    found = tuple(_known(one, of, owner) for one in names)
    if not found:
        raise InvalidParameter(f"{owner}: measures must name at least 1 measure; got none.")
    return found


def _known(one: str | Measure, task: Task, owner: str) -> Measure:
    supervised = ("classes", "numbers")
    if isinstance(one, str):
        if one not in MEASURES:
            fitting = [name for name, m in MEASURES.items() if m.task == task]
            hint = did_you_mean(one, fitting) or did_you_mean(one, list(MEASURES))
            raise InvalidParameter(
                f"{owner}: there is no measure {one!r}.{hint} Measures of {task}: {', '.join(fitting)}."
            )
        one = MEASURES[one]
    if not isinstance(one, Measure):
        raise InvalidParameter(f"{owner}: a measure is a name or a Measure; got {one!r}.")
    if one.task != task and (task in supervised or one.task in supervised):
        fitting = [name for name, m in MEASURES.items() if m.task == task]
        raise InvalidParameter(
            f"{owner}: {one.name} measures {one.task}, and this model gives {task}. Use one of {', '.join(fitting)}."
        )
    return one
