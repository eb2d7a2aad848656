"""Trees and forests."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.ensemble as ensemble
import sklearn.tree as tree

import suffice as sf

from .contest import UNGROUPED, Contest, at_most
from .tables import Table, classes, numbers

TREES = 20  # of a forest: its time is proportional to them


def _as_good(ours: Any, theirs: Any, table: Table) -> None:
    """On the rows of the fit, since the sizes of the sweep leave none to hold out."""
    mine, other = (model.score(table.X, table.y) for model in (ours, theirs))
    assert mine > other - 0.05, f"the score on the rows of the fit is {mine:.3f}, and {other:.3f} for the peer"


def _no_worse(ours: Any, theirs: Any, table: Table) -> None:
    assert np.corrcoef(ours.score_samples(table.X), theirs.score_samples(table.X))[0, 1] > 0.8


def _by(cls: type, **options: Any) -> dict[str, Callable[..., Any]]:
    return {"scikit-learn": partial(cls, **options)}


COMMON: dict[str, Any] = {
    "alike_after_fit": False, "axes": UNGROUPED, "shape": at_most(100_000, 50),
    "unlike": dict.fromkeys(
        ("predict", "predict_proba", "predict_log_proba", "apply", "decision_function", "score_samples", "score",
         "decision_path", "cost_complexity_pruning_path"),
        "ties and random draws fall otherwise",
    ),
}  # fmt: skip
FOREST = {"n_estimators": TREES, "random_state": 0}
JOBS = {**FOREST, "n_jobs": -1}
CONTESTS = [
    Contest(sf.DecisionTreeClassifier, _by(tree.DecisionTreeClassifier), _as_good, rows=classes, **COMMON),
    Contest(sf.DecisionTreeRegressor, _by(tree.DecisionTreeRegressor), _as_good, rows=numbers, **COMMON),
    Contest(sf.RandomForestClassifier, _by(ensemble.RandomForestClassifier, **JOBS), _as_good, rows=classes,
            options=lambda table: FOREST, **COMMON),
    Contest(sf.RandomForestRegressor, _by(ensemble.RandomForestRegressor, **JOBS), _as_good, rows=numbers,
            options=lambda table: FOREST, **COMMON),
    Contest(sf.ExtraTreesClassifier, _by(ensemble.ExtraTreesClassifier, **JOBS), _as_good, rows=classes,
            options=lambda table: FOREST, **COMMON),
    Contest(sf.ExtraTreesRegressor, _by(ensemble.ExtraTreesRegressor, **JOBS), _as_good, rows=numbers,
            options=lambda table: FOREST, **COMMON),
    Contest(sf.IsolationForest, _by(ensemble.IsolationForest, random_state=0, n_jobs=-1), _no_worse,
            options=lambda table: {"random_state": 0}, **COMMON),
]  # fmt: skip
