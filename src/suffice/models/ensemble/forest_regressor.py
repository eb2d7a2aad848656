"""What forests of numbers share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Needs
from ...engine import Step
from ...estimator import Attributes, declares
from ...growth import TreeRows, number_targets
from ...holds import either, floats, number, sometimes
from ...params import derived, learned, param
from ...resampling import Interval, Units, jackknife
from ...resampling.jackknife import MOST
from ...typing import Floats, Whole
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ..tree.numbers import TreeRegressor, check_counts, checked_targets
from .bags import said_out_of_bag
from .forest import Forest, all_weight, mean_rise


@declares
class ForestRegressor(Forest, TreeRegressor):
    """Base: leaves hold mean targets, and a forest their means."""

    needs: ClassVar = Needs(target="numbers", missing=True, categories=True)

    criterion: str = param(
        "squared_error", choices=("squared_error", "friedman_mse", "poisson"),
        doc="What splits lower: squared errors, or the deviance of counts; friedman_mse is squared_error here.",
    )  # fmt: skip
    oob_score_: float = learned(
        "R² on rows by trees that did not see them, if asked for.", holds=sometimes(number(finite=False))
    )
    oob_prediction_: Floats = learned(
        "The prediction of each row by trees that did not see it; NaN where all did.",
        holds=sometimes(either(floats("n", finite=False), floats("n", None, finite=False))),
    )

    @derived
    def estimators_(self) -> list[DecisionTreeRegressor]:
        """The trees, each as a model of its own."""
        return [self._as_tree(DecisionTreeRegressor, self.trees_[t]) for t in range(len(self.trees_))]

    def _grown_forest(self, rows: TreeRows) -> Step[Attributes]:
        draws, weight = self._drawing(rows)
        y, poisson = checked_targets(rows.y, rows.weight, type(self).__name__), self.criterion == "poisson"
        if poisson:
            check_counts(y, rows.weight, type(self).__name__)
        targets, centre = number_targets(y, weight, "deviance" if poisson else "squared", rows.room)
        standing = self._standing(len(centre))
        weighs = all_weight(weight, len(rows), draws)
        state = {**self._trees(rows, targets, draws, weighs, standing, centre), "_flat": y.ndim == 1}
        if self.oob_score:
            said = said_out_of_bag(rows, state["trees_"], state["_bags"], draws.mass)
            state |= _out_of_bag_scores(*said, y, rows.weight)
        return Step(state, -mean_rise(state["trees_"]))


def _out_of_bag_scores(total: Floats, seen: Whole, y: Floats, weight: Floats | None) -> Attributes:
    with np.errstate(invalid="ignore"):
        found = total / np.where(seen > 0, seen, np.nan)[:, None]
    score = _r2(y.reshape(len(y), -1), found, given_or_ones(weight, len(y)) * (seen > 0))
    ends = np.array([score.low, score.high])
    told = found[:, 0] if y.ndim == 1 else found
    return {"oob_prediction_": told, "oob_score_": score.value, "oob_interval_": ends}


def _r2(Y: Floats, said: Floats, weight: Floats) -> Interval:
    """R², the mean over the targets, with its jackknife interval over rows, or over blocks where there are many."""
    here = np.flatnonzero(weight > 0)
    if len(here) == 0:
        return Interval(np.nan, np.nan, np.nan, 0.95, "jackknife t")
    w, rest = weight[here], Y[here] - said[here]
    spread = Y[here] - (w @ Y[here]) / w.sum()
    sums = w[:, None] * np.column_stack([np.ones(len(w)), spread, spread**2, rest**2])
    begins = np.unique(np.arange(min(MOST, len(w))) * len(w) // min(MOST, len(w)))
    sums = np.add.reduceat(sums, begins)
    mass, q = sums[:, 0], Y.shape[1]

    def r2(weight: Floats) -> float:
        total, first, second, errors = np.split(weight / mass @ sums, [1, 1 + q, 1 + 2 * q])
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(np.mean(1 - errors / (second - first**2 / total)))

    return jackknife(r2, Units(np.ones(len(mass)), np.arange(len(mass)), mass)).interval(0.95)
