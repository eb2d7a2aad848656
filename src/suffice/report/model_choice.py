"""Models to compare: every public classifier or regressor that can learn from the table in the time there is."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np

from ..engine import limits
from ..models.registry import estimators
from ..observing import unobserved
from ..pipeline import Pipeline, prepared
from ..resampling.rows import rows_of
from ..typing import EstimatorLike, Labels, TableLike

_PILOT_ROWS = (250, 1_000)


@dataclass(frozen=True)
class Candidates:
    """Models by name, not fitted and without preparation, and why others were left out."""

    models: dict[str, EstimatorLike]
    left_out: dict[str, str]


def candidates(X: TableLike, y: Labels, kind: str, *, seconds: float = 10.0, folds: int = 5) -> Candidates:
    """The models of a kind, "classes" or "numbers", that can learn from the table, quick ones first.

    Each is tried on a few rows. As many are taken as all folds of all of them need `seconds` for, by what the trials
    say; the others are left out.
    """
    needed: dict[str, float] = {}
    models, left_out = {}, {}
    for name, model in _made("classifier" if kind == "classes" else "regressor").items():
        try:
            needed[name] = folds * _seconds(prepared(model, X), X, y, seconds)
            models[name] = model
        except Exception as error:  # whatever a model says, the report goes on without it
            left_out[name] = " ".join(str(error).split())
    spent = np.cumsum(sorted(needed.values()))
    for (name, own), all_so_far in zip(sorted(needed.items(), key=lambda item: item[1]), spent, strict=True):
        if all_so_far > seconds:
            left_out[name] = f"It would need about {own:.1f} s, more than was left of {seconds:g} s; give more seconds."
            del models[name]
    return Candidates(models, left_out)


def _made(kind: str) -> dict[str, EstimatorLike]:
    """Every estimator of a kind with its defaults; those that need arguments, or other models, are left out."""
    made: dict[str, EstimatorLike] = {}
    for name, cls in estimators(kind).items():
        try:
            made |= {name: cls()} if cls.proposed and not cls.compound else {}
        except TypeError:
            continue
    return made


def _seconds(model: Pipeline, X: TableLike, y: Labels, most: float) -> float:
    """How long a fit and predictions for all rows will take, by those for fewer: in proportion at least."""
    order = np.random.default_rng(0).permutation(len(y))
    spent: list[tuple[int, float]] = []
    for size in dict.fromkeys(min(rows, len(y)) for rows in _PILOT_ROWS):
        some = order[:size]
        began = time.perf_counter()
        with warnings.catch_warnings(), unobserved(), limits(seconds=most):
            warnings.simplefilter("ignore")
            rows = rows_of(X, some)
            model.fit(rows, y[some]).predict(rows)
        spent.append((size, time.perf_counter() - began))
    (first, early), (last, late) = spent[0], spent[-1]
    power = np.clip(np.log(late / early) / np.log(last / first), 1.0, 3.0) if last > first else 1.0
    return float(late * (len(y) / last) ** power)
