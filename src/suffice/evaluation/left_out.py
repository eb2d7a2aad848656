"""What is left out in turn to see how sure a figure is: folds, rows, or groups of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..resampling import Answers, Fold, Problem, Units


def tested_once(answers: Answers) -> bool:
    """Whether no row was tested more than once."""
    return len(np.unique(answers.rows)) == len(answers.rows)


def units(of: Problem, answers: Answers) -> Any:
    """What is drawn in resampling: the groups, or rows that were tested more than once; None for rows."""
    if of.groups is not None:
        return of.groups[answers.rows]
    return None if tested_once(answers) else answers.rows


def left_out_of(of: Problem, answers: Answers, by_folds: bool) -> Units:
    """What a jackknife leaves out: folds, or rows, or groups where there are any."""
    parts = answers.fold if by_folds else units(of, answers)
    return Units.checked(len(answers.rows), answers.weight, parts, "evaluate")


def held_out_ratio(folds: Sequence[Fold]) -> float:
    """How many test rows there are for each training row, on average over folds."""
    return float(np.mean([len(fold.test) for fold in folds]) / np.mean([len(fold.learned_from) for fold in folds]))
