"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.ensemble as sk

import suffice as sf

from .contest import Contest, Differs, as_accurate, at_most, installed
from .tables import Table, classes, numbers


def _as_long(table: Table) -> dict[str, Any]:
    """All rounds, whatever the number of rows."""
    return {"early_stopping": False}


def _lightgbm(name: str) -> dict[str, Callable[..., Any]]:
    """LightGBM, if it is installed, which has no rows held out by itself."""
    found = installed("LightGBM", "lightgbm", name)
    return {label: partial(_quiet, model) for label, model in found.items()}


def _quiet(model: Callable[..., Any], early_stopping: bool) -> Any:
    return model(verbose=-1)


def _as_accurate(ours: Any, theirs: Any, table: Table) -> None:
    """Our score is at least the peer's, if its leaves hold as many rows as all are asked for.

    LightGBM counts the rows of a leaf by their part of the second derivatives: in a small table it has smaller ones.
    """
    try:
        as_accurate()(ours, theirs, table)
    except AssertionError as error:
        least = _smallest_leaf(theirs, table)
        if least < ours.min_samples_leaf:
            raise Differs(f"{error}, with leaves of {least} rows") from error
        raise


def _smallest_leaf(model: Any, table: Table) -> float:
    """How many rows are in the smallest leaf of LightGBM; other peers keep to what is asked for."""
    if not hasattr(model, "booster_"):
        return np.inf
    leaves = model.predict(table.X, pred_leaf=True).reshape(table.X.shape[0], -1)  # (n, trees)
    return min(int(np.unique(tree, return_counts=True)[1].min()) for tree in leaves.T)


CONTESTS = [
    Contest(
        sf.HistGradientBoostingClassifier,
        {"scikit-learn": sk.HistGradientBoostingClassifier, **_lightgbm("LGBMClassifier")},
        _as_accurate, rows=classes, options=_as_long, shape=at_most(200_000, 100), only_fit=True,
    ),
    Contest(
        sf.HistGradientBoostingRegressor,
        {"scikit-learn": sk.HistGradientBoostingRegressor, **_lightgbm("LGBMRegressor")},
        _as_accurate, rows=numbers, options=_as_long, shape=at_most(200_000, 100), only_fit=True,
    ),
]  # fmt: skip
