"""What to try next, one function a piece of advice: a sentence where it applies, nothing where it does not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from ..evaluation import Comparison
from ..evaluation.comparing import DUMMY
from ..evaluation.differences import Difference
from ..evaluation.gaps import Gap
from ..models.tree.base import TreeColumns
from ..text import figure
from ..typing import EstimatorLike, Floats
from .model_choice import SMALL_TREE

PLAIN = (  # easy to explain, the easiest first
    "LinearRegression", "Ridge", "Lasso", "LogisticRegression", "LinearDiscriminantAnalysis", "NaiveBayes", SMALL_TREE,
)  # fmt: skip
_MOST_TIMES = 100  # as many rows: nobody gets more
_TOO_GOOD = 0.999
_LITTLE = 0.1  # of what the best gains over the dummy
_GROWS = 0.3  # the rank correlation from which errors grow with predictions
_SEARCHES: Mapping[str, Mapping[str, tuple[float | int | str, ...]]] = {
    "DecisionTree": {"max_depth": (3, 5, 8, 12), "min_samples_leaf": (1, 5, 20)},
    "ExtraTrees": {"min_samples_leaf": (1, 3, 10), "max_features": (0.3, 0.6, 1.0)},
    "RandomForest": {"min_samples_leaf": (1, 3, 10), "max_features": (0.3, 0.6, 1.0)},
    "HistGradientBoosting": {"learning_rate": (0.03, 0.1, 0.3), "max_leaf_nodes": (7, 15, 31)},
    "KNeighbors": {"n_neighbors": (3, 5, 10, 20, 40)},
    "Ridge": {"alpha": (0.01, 0.1, 1.0, 10.0, 100.0)},
    "Lasso": {"alpha": (0.001, 0.01, 0.1, 1.0)},
    "LogisticRegression": {"C": (0.01, 0.1, 1.0, 10.0, 100.0)},
}


def not_to_be_used(made: Comparison) -> str:
    """Where the winner may have found nothing."""
    if made.winner not in made.to_dummy or made.to_dummy[made.winner].verdict == "better":
        return ""
    return (
        f"Do not use {made.winner} yet: it is not clearly better than the dummy, which ignores the columns. Other "
        "columns that have to do with the target, or more rows, are needed."
    )


def too_good(made: Comparison) -> str:
    """Where a score is so high that a column may give the target away."""
    value, one = made.evaluations[made.winner].intervals[made.measure.name].value, made.measure
    if not (one.larger and one.bounds[1] == 1.0 and value >= _TOO_GOOD):
        return ""
    return (
        f"{made.winner} reaches {one.name} {figure(value, 3)}, which is rare. Make sure that every column is known "
        "before the target is: one that is filled in later gives it away, and is not there when it is needed."
    )


def simpler(made: Comparison) -> str:
    """Where a model that is easier to explain is not clearly worse, and loses little of what the best gains."""
    if made.winner in PLAIN or made.best == DUMMY or DUMMY not in made.to_best:
        return ""
    gained = abs(made.to_best[DUMMY].interval.value)
    near = [name for name in PLAIN if name in made.to_best and _is_near(made.to_best[name], gained)]
    if not near:
        return ""
    values = ((name, figure(made.evaluations[name].intervals[made.measure.name].value, 3)) for name in near[:3])
    told = ", ".join(f"{name} ({made.measure.name} {value})" for name, value in values)
    return f"Easier to explain, and not clearly worse than {made.best}: {told}."


def _is_near(difference: Difference, gained: float) -> bool:
    return difference.verdict in ("equivalent", "undecided") and abs(difference.interval.value) <= _LITTLE * gained


def rows_to_choose(made: Comparison, n: int) -> str:
    """How many rows would show whether the best differs from the next, since intervals shrink by the root of rows."""
    rivals = [(name, d) for name, d in made.to_best.items() if d.verdict == "undecided" and name != DUMMY]
    if made.best == DUMMY or not rivals:
        return ""
    name, difference = rivals[0]
    half = (difference.interval.high - difference.interval.low) / 2
    if not (math.isfinite(half) and made.zone > 0 and half > made.zone):
        return ""
    times = (half / made.zone) ** 2
    if times > _MOST_TIMES or times < 1.5:
        return ""
    return (
        f"To know whether {made.best} is better than {name} by more than {figure(made.zone, 3)}, about "
        f"{times:.0f} times as many rows are needed, some {_rounded(times * n)}; until then, either will do."
    )


def _rounded(x: float) -> str:
    """A number with one significant digit.

    >>> _rounded(3850.0)
    '4,000'
    """
    return f"{float(f'{x:.1g}'):,.0f}"


def more_rows(gap: Gap | None, name: str) -> str:
    """Where new rows are surely worse off than training rows."""
    if gap is None or gap.verdict != "overfitting":
        return ""
    return (
        f"{name} is better on the rows it learned from ({gap.measure.name} {figure(gap.training, 3)}) than on new ones "
        f"({figure(gap.future, 3)}): more rows, fewer columns or a simpler setting may help."
    )


def bends(made: Comparison, models: Mapping[str, EstimatorLike]) -> str:
    """Where models of straight lines are surely worse than trees."""
    lines = ("LinearRegression", "Ridge", "Lasso", "LogisticRegression", "HuberRegressor", "LinearDiscriminantAnalysis")
    straight = [name for name in made.ranking if name in lines]
    if not straight or not isinstance(models.get(made.best), TreeColumns) or made.best == SMALL_TREE:
        return ""
    if made.to_best[straight[0]].verdict != "worse":
        return ""
    return (
        f"Straight lines do not follow the target: the best of them, {straight[0]}, is clearly worse than {made.best}. "
        "If a formula is wanted, try curves (`sf.SplineTransformer`) or products of columns (`sf.PolynomialFeatures`)."
    )


def logarithm(truth: Floats, predicted: Floats, target: str) -> str:
    """Where errors grow with the prediction, of a target above 0."""
    if len(truth) < 30 or np.min(truth) <= 0:
        return ""
    from scipy.stats import spearmanr

    found = spearmanr(predicted, np.abs(truth - predicted))
    if not (found.statistic >= _GROWS and found.pvalue < 0.001 and np.max(truth) > 3 * np.median(truth)):
        return ""
    return (
        "Errors grow with the prediction. If being off by a share matters more than being off by an amount, predict "
        f"the logarithm of {target!r}."
    )


def search_code(name: str, model: EstimatorLike, folds: int) -> str:
    """Code that searches the parameters of the winner, where some are worth it; its score is that of nested folds."""
    kind = type(model).__name__
    grid = next((own for start, own in _SEARCHES.items() if kind.startswith(start)), None)
    if grid is None or name == SMALL_TREE:
        return ""
    searched = ", ".join(f'"{kind.lower()}__{key}": {values!r}' for key, values in grid.items())
    return (
        f'searched = sf.evaluate(\n    sf.prepared(models["{name}"], table), table, y, splits={folds},\n'
        f"    search={{{searched}}},\n)\nprint(searched)\nbest = searched.fitted()"
    )


def given(sentences: Iterable[str]) -> list[str]:
    """Those that apply."""
    return [one for one in sentences if one]
