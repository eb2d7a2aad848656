"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import sklearn.ensemble as sk

import suffice as sf

from .contest import Contest, as_accurate, at_most, installed
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


CONTESTS = [
    Contest(
        sf.HistGradientBoostingClassifier,
        {"scikit-learn": sk.HistGradientBoostingClassifier, **_lightgbm("LGBMClassifier")},
        as_accurate(), rows=classes, options=_as_long, shape=at_most(200_000, 100), only_fit=True,
    ),
    Contest(
        sf.HistGradientBoostingRegressor,
        {"scikit-learn": sk.HistGradientBoostingRegressor, **_lightgbm("LGBMRegressor")},
        as_accurate(), rows=numbers, options=_as_long, shape=at_most(200_000, 100), only_fit=True,
    ),
]  # fmt: skip
