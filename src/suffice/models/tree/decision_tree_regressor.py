"""A tree that predicts numbers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.growth.scores import weights_of
from ...backend.weights import given_or_ones
from ...data import Needs
from ...engine import Step
from ...estimator import Attributes, estimator
from ...growth import TreeRows, means, number_targets
from ...params import param
from ...scikit_learn import Counterpart
from .decision_tree import DecisionTree, mean_impurity
from .numbers import TreeRegressor, as_targets, check_counts


@estimator
class DecisionTreeRegressor(DecisionTree, TreeRegressor):
    """A tree of splits that make the targets of rows ever more alike: the prediction is the mean in the leaf of x.

    A node is split where Σ w (y − ȳ)² over both halves, each around its own mean, is least; with `criterion="poisson"`
    where the deviance Σ w y log(y / ȳ) of counts is. Numbers are cut between two values, sets of categories are told
    apart by the order of their means, and missing values go to the side where they do better. y may have several
    columns; a split then lowers the sum of their squares. Weights count as repeated rows.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0], [9.0]], [0.0, 0.2, 5.0, 5.2])
    >>> model.trees_.threshold.tolist(), model.predict([[0.0], [10.0]])
    ([5.0, 0.0, 0.0], array([0.1, 5.1]))
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.tree", absent={"ccp_alpha": "use `prune`, which cuts a grown tree back"}
    )
    needs: ClassVar = Needs(target="numbers", missing=True, categories=True)

    criterion: str = param(
        "squared_error", choices=("squared_error", "friedman_mse", "poisson"),
        doc="What splits lower: squared errors, or the deviance of counts; friedman_mse is squared_error here.",
    )  # fmt: skip

    def _tree(self, rows: TreeRows) -> Step[Attributes]:
        y, poisson = as_targets(rows.y), self.criterion == "poisson"
        if poisson:
            check_counts(y, rows.weight, type(self).__name__)
        targets, centre = number_targets(y, rows.weight, "deviance" if poisson else "squared")
        nodes = self._grown(rows, targets)
        found = rows.trees(nodes, weights_of(targets, nodes.sums), means(targets, nodes.sums, centre))
        w = given_or_ones(rows.weight, len(rows))
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(y > 0, y * np.log(y), 0.0) if poisson else (y - (centre if y.ndim > 1 else centre[0])) ** 2
        whole = float(w @ own.reshape(len(w), -1).sum(axis=1))
        return Step({"trees_": found, "_flat": y.ndim == 1}, mean_impurity(targets, nodes, whole))
