"""Models to compare: every public classifier or regressor that can learn from the table in the time there is."""

from __future__ import annotations

import importlib
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline

from ..engine import limits
from ..estimator import Estimator
from ..models.prepare import Standardize

_PILOT_ROWS = (250, 1_000)


@dataclass(frozen=True)
class Candidates:
    """Models by name, not fitted and without preparation, and why others were left out."""

    models: dict[str, Any]
    left_out: dict[str, str]


def estimators() -> dict[str, type[Any]]:
    """Every public estimator by name, so that one that is added later is found."""
    package = importlib.import_module(__name__.partition(".")[0])
    found = ((name, getattr(package, name)) for name in sorted(dir(package)) if name[:1].isupper())
    return {name: cls for name, cls in found if isinstance(cls, type) and issubclass(cls, Estimator)}


def prepared(model: Any) -> Pipeline:
    """The model after gaps are filled by medians and columns are brought to one scale, both learned in its own fit."""
    return make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), Standardize(), model)


def candidates(X: NDArray[Any], y: NDArray[Any], kind: str, *, seconds: float = 2.0, folds: int = 5) -> Candidates:
    """The models of a kind, "classes" or "numbers", that fit some rows of the table and need few seconds for all."""
    wanted = is_classifier if kind == "classes" else is_regressor
    models, left_out = {}, {}
    for name, cls in estimators().items():
        try:
            model = cls()
        except TypeError:  # it cannot be made without arguments
            continue
        if wanted(model):
            reason = _refusal(model, X, y, seconds, folds)
            if reason is None:
                models[name] = model
            else:
                left_out[name] = reason
    return Candidates(models, left_out)


def _refusal(model: Any, X: NDArray[Any], y: NDArray[Any], seconds: float, folds: int) -> str | None:
    """Why a model cannot be compared, in a sentence, or None."""
    order = np.random.default_rng(0).permutation(len(y))
    spent: list[tuple[int, float]] = []
    for size in dict.fromkeys(min(most, len(y)) for most in _PILOT_ROWS):
        some = order[:size]
        began = time.perf_counter()
        try:
            with warnings.catch_warnings(), limits(seconds=seconds):
                warnings.simplefilter("ignore")
                prepared(model).fit(X[some], y[some]).predict(X[some])
        except Exception as error:  # whatever a model says, the report goes on without it
            return " ".join(str(error).split())
        spent.append((size, time.perf_counter() - began))
    needed = folds * _extrapolated(spent, len(y))
    return None if needed <= seconds * folds else f"It would need about {needed:.0f} s on these rows."


def _extrapolated(spent: list[tuple[int, float]], n: int) -> float:
    """Seconds for n rows, from those for fewer: at least in proportion, at most by the cube."""
    (first, early), (last, late) = spent[0], spent[-1]
    power = np.clip(np.log(late / early) / np.log(last / first), 1.0, 3.0) if last > first else 1.0
    return float(late * (n / last) ** power)
