"""What forests of numbers share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.growth.scores import weights_of
from ...backend.weights import given_or_ones
from ...data import Needs
from ...engine import Step
from ...estimator import Attributes, declares
from ...growth import TreeRows, Trees, means, number_targets
from ...holds import either, floats, number, sometimes
from ...params import derived, learned, param
from ...typing import Floats, Whole
from ..tree.decision_tree_regressor import DecisionTreeRegressor
from ..tree.numbers import TreeRegressor, check_counts, checked_targets
from .forest import Forest, all_weight, mean_rise, out_of_bag


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
        parts = [] if standing is None else [standing]
        total, seen = self._none_out_of_bag(len(rows), targets.k - 1)
        for nodes, leaves, _ in self._parts(rows, targets, draws, all_weight(weight, len(rows), draws), standing):
            own = rows.trees(nodes, weights_of(targets, nodes.sums), means(targets, nodes.sums, centre))
            parts.append(own)
            if leaves is not None:
                out_of_bag(total, seen, own, leaves)
        state: Attributes = {"trees_": Trees.joined(parts), "_flat": y.ndim == 1, "_grown_on": self._schema}
        if self.oob_score:
            state |= _out_of_bag_scores(total, seen, y, rows.weight)
        return Step(state, -mean_rise(state["trees_"]))


def _out_of_bag_scores(total: Floats, seen: Whole, y: Floats, weight: Floats | None) -> Attributes:
    with np.errstate(invalid="ignore"):
        found = total / np.where(seen > 0, seen, np.nan)[:, None]
    Y = y.reshape(len(y), -1)
    w = given_or_ones(weight, len(y)) * (seen > 0)
    rest = np.where(seen[:, None] > 0, Y - found, 0.0)
    spread = Y - (w @ Y) / max(w.sum(), 1e-300)
    with np.errstate(invalid="ignore", divide="ignore"):
        score = float(np.mean(1 - (w @ rest**2) / (w @ spread**2)))
    return {"oob_prediction_": found[:, 0] if y.ndim == 1 else found, "oob_score_": score}
