"""Models to compare: every public classifier or regressor that can learn from the table in the time there is."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np

from ..engine import limits
from ..models.registry import estimators
from ..models.tree import DecisionTreeClassifier, DecisionTreeRegressor
from ..observing import unobserved
from ..pipeline import Pipeline, prepared
from ..resampling.rows import rows_of
from ..typing import EstimatorLike, Labels, TableLike, Whole

_PILOT_ROWS = (250, 1_000, 3_000)
_HOPELESS = 5  # times the time there is
_QUICK = 1 / 40  # of the seconds: what needs no more is taken in any case
_FIRST = {  # among the slow ones
    "classes": ("LogisticRegression", "RandomForestClassifier", "HistGradientBoostingClassifier"),
    "numbers": ("Ridge", "RandomForestRegressor", "HistGradientBoostingRegressor"),
}
SMALL_TREE = "small tree"
DEPTH, LEAST = 3, 0.01  # of the small tree, and the share of the rows of its leaves


@dataclass(frozen=True)
class Candidates:
    """Models by name, not fitted and without preparation, and why others were left out."""

    models: dict[str, EstimatorLike]
    left_out: dict[str, str]


def candidates(X: TableLike, y: Labels, kind: str, *, seconds: float = 10.0, folds: int = 5) -> Candidates:
    """The models of a kind, "classes" or "numbers", that can learn from the table.

    Each is tried on a few rows. As many are taken as all folds of all of them need `seconds` for, by what the trials
    say: the quick ones, then what most tables should be tried with, then the others by their time.
    """
    needed: dict[str, float] = {}
    models, left_out = {}, {}
    for name, model in _made(kind).items():
        try:
            needed[name] = folds * _seconds(prepared(model, X), X, y, seconds / folds)
            models[name] = model
        except Exception as error:  # whatever a model says, the report goes on without it
            left_out[name] = " ".join(str(error).split())
    spent = 0.0
    for name in sorted(needed, key=lambda own: (needed[own] > _QUICK * seconds, own not in _FIRST[kind], needed[own])):
        if spent + needed[name] <= seconds:
            spent += needed[name]
            continue
        about = f"It would need about {needed[name]:.1f} s"
        left_out[name] = f"{about}, more than was left of {seconds:g} s; give more seconds."
        del models[name]
    return Candidates(models, left_out)


def _made(kind: str) -> dict[str, EstimatorLike]:
    """Every estimator of a kind with its defaults, and a tree that people can read.

    Estimators that need arguments, or other models, are left out.
    """
    made: dict[str, EstimatorLike] = {SMALL_TREE: small_tree(kind)}
    for name, cls in estimators("classifier" if kind == "classes" else "regressor").items():
        try:
            made |= {name: cls()} if cls.proposed and not cls.compound else {}
        except TypeError:
            continue
    return made


def small_tree(kind: str) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """A tree of few splits."""
    cls = DecisionTreeClassifier if kind == "classes" else DecisionTreeRegressor
    return cls(max_depth=DEPTH, min_samples_leaf=LEAST)


def _seconds(model: Pipeline, X: TableLike, y: Labels, most: float) -> float:
    """How long a fit and predictions for all rows will take, by trials of more and more rows.

    They end where it is clear that `most` seconds will do, or will not.
    """
    order = np.random.default_rng(0).permutation(len(y))
    spent: list[tuple[int, float]] = []
    for size in dict.fromkeys(min(rows, len(y)) for rows in _PILOT_ROWS):
        spent.append((size, _spent(model, X, y, order[:size], most)))
        all_rows = _expected(spent, len(y))
        if all_rows > _HOPELESS * most or (len(spent) > 1 and all_rows < most / _HOPELESS):
            break
    return all_rows


def _expected(spent: list[tuple[int, float]], n: int) -> float:
    """The seconds for n rows, by those for fewer: where they rise slowly, a part does not depend on the rows."""
    (first, early), (last, late) = spent[-2:] if len(spent) > 1 else (spent[0], spent[0])
    if last == first:
        return late * n / last
    power = np.log(late / early) / np.log(last / first)
    if power > 1:
        return float(late * (n / last) ** min(power, 3.0))
    each = max((late - early) / (last - first), late / last / 2)
    return late + each * (n - last)


def _spent(model: Pipeline, X: TableLike, y: Labels, some: Whole, most: float) -> float:
    """How long a fit and predictions take for some rows."""
    began = time.perf_counter()
    with warnings.catch_warnings(), unobserved(), limits(seconds=most):
        warnings.simplefilter("ignore")
        rows = rows_of(X, some)
        model.fit(rows, y[some]).predict(rows)
    return time.perf_counter() - began
