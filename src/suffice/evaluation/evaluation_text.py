"""An evaluation as text: its head, the cells of its table, and what stands below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..text import counted, figure
from .gaps import Gap
from .row_folds import RowFolds

if TYPE_CHECKING:
    from .results import Evaluation

_NUMBERS = ("predicted", "probability", "decision", "log_density")  # columns of answers that may not be numbers


def head(made: Evaluation) -> str:
    """What was evaluated, how, and how long it took."""
    if isinstance(made.folds, RowFolds):
        fit, answer, how = made.folds.fit_seconds(), 0.0, " by a formula from one fit"
    else:
        fit, answer = sum(fold.fit_seconds for fold in made.done), sum(fold.predict_seconds for fold in made.done)
        how = " from sums of folds" if made.done and all(fold.shared for fold in made.done) else ""
    times = f"fitted in {figure(fit, 2)} s, answered in {figure(answer, 2)} s"
    return f"{made.name}: {counted(made.problem.n, 'row')}, {counted(len(made.folds), 'fold')}{how}, {times}"


def table_rows(made: Evaluation) -> list[tuple[str, ...]]:
    """The header and a row a measure."""
    percent = f"{100 * made.level:g} %"
    ends = (f"low {percent}", f"high {percent}")
    training = ("training", "worse by") if made.has_training else ()
    header = ("measure", "value", *ends, "interval", "mean of folds", "std", *training)
    rows = [
        (row["measure"], *(figure(row[key]) for key in ("value", "low", "high")), row["method"],
         figure(row["fold_mean"]), figure(row["fold_std"], 2),
         *((figure(row["training"]), figure(row["gap"])) if made.has_training else ()))
        for row in made.table()
    ]  # fmt: skip
    return [header, *rows]


def notes(made: Evaluation) -> list[str]:
    """The gap to training rows, folds that failed, and answers that are no numbers."""
    gap = [str(made.gaps[made.measures[0].name])] if made.has_training else []
    failed = [f"fold {number} failed: {why}" for number, why in made.failed.items()]
    return [*gap, *failed, *_no_numbers(made)]


def _no_numbers(made: Evaluation) -> list[str]:
    columns = {name: np.asarray(getattr(made.answers, name, None)) for name in _NUMBERS}
    gone = {name: np.isnan(values).reshape(len(values), -1).any(axis=1).sum()
            for name, values in columns.items() if values.dtype.kind == "f" and values.ndim}  # fmt: skip
    most = max(gone.values(), default=0)
    return [f"{made.name} said NaN of {counted(int(most), 'row')}: what measures them is not a number"] if most else []


def gap_columns(gap: Gap) -> dict[str, object]:
    """A gap as entries of a row of figures."""
    worse = gap.worse
    return {
        "training": gap.training, "gap": worse.value, "gap_low": worse.low, "gap_high": worse.high,
        "gap_verdict": gap.verdict,
    }  # fmt: skip
