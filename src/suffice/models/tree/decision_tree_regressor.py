"""A tree that predicts numbers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.growth import Nodes
from ...backend.weights import given_or_ones
from ...data import Needs
from ...errors import InvalidData
from ...estimator import estimator
from ...growth import TreeRows, means, medians, number_targets, ranked_targets
from ...params import param
from ...scikit_learn import Counterpart
from .decision_tree import DecisionTree, mean_impurity
from .numbers import TreeRegressor, check_counts, checked_targets
from .task import Task


@estimator
class DecisionTreeRegressor(TreeRegressor, DecisionTree):
    """A tree of splits that make the targets of rows ever more alike: the prediction is the mean in the leaf of x.

    A node is split where Σ w (y − ȳ)² over both halves, each around its own mean, is least; with `criterion="poisson"`
    where the deviance Σ w y log(y / ȳ) of counts is. With `criterion="absolute_error"` it is Σ w |y − m| around the
    median m of each half, and a leaf says its median: where half of its weight is reached exactly at a target, the
    middle between that and the next. Numbers are cut between two values, sets of categories are told
    apart by the order of their means, and missing values go to the side where they do better. y may have several
    columns; a split then lowers the sum of their squares. Weights count as repeated rows.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0], [9.0]], [0.0, 0.2, 5.0, 5.2])
    >>> model.trees_.threshold.tolist(), model.predict([[0.0], [10.0]])
    ([5.0, 0.0, 0.0], array([0.1, 5.1]))
    """

    counterpart: ClassVar = Counterpart("sklearn.tree")
    needs: ClassVar = Needs(target="numbers", missing=True, categories=True)

    criterion: str = param(
        "squared_error", choices=("squared_error", "friedman_mse", "absolute_error", "poisson"),
        doc="What splits lower: squared errors, absolute errors, or the deviance of counts; friedman_mse is "
        "squared_error here.",
    )  # fmt: skip

    def _needs_all_rows(self) -> str:
        return "take criterion='squared_error'" if self.criterion == "absolute_error" else super()._needs_all_rows()

    def _task(self, rows: TreeRows) -> Task:
        if self.criterion == "absolute_error":
            return self._of_medians(rows)
        y, poisson = checked_targets(rows.y, rows.weight, type(self).__name__), self.criterion == "poisson"
        if poisson:
            check_counts(y, rows.weight, type(self).__name__)
        targets, centre = number_targets(y, rows.weight, "deviance" if poisson else "squared")
        Y, w = y.reshape(len(y), -1), given_or_ones(rows.weight, len(rows))
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(Y > 0, Y * np.log(Y), 0.0) if poisson else (Y - centre) ** 2
        whole = float(w @ own.sum(axis=1))
        return Task(
            rows, targets,
            values=lambda nodes: means(targets, nodes.sums, centre),
            impurity=lambda nodes: mean_impurity(targets, nodes, whole) / Y.shape[1],
            truth=Y,
            unit=float(Y.shape[1]),
            learned={"_flat": y.ndim == 1},
        )  # fmt: skip

    def _of_medians(self, rows: TreeRows) -> Task:
        y = checked_targets(rows.y, rows.weight, type(self).__name__)
        Y, w = y.reshape(len(y), -1), given_or_ones(rows.weight, len(rows))
        if Y.shape[1] > 1:
            raise InvalidData(
                f"{type(self).__name__}: criterion='absolute_error' takes one target, and y has {Y.shape[1]} columns; "
                "fit a tree for each, or take squared_error."
            )
        targets, levels = ranked_targets(Y[:, 0], rows.weight)

        def impurity(nodes: Nodes) -> float:
            root = medians(nodes.sums[:1], levels)[0, 0]
            return max(0.0, float(w @ np.abs(Y[:, 0] - root)) - float(nodes.gain.sum())) / max(float(w.sum()), 1e-300)

        return Task(
            rows, targets,
            values=lambda nodes: medians(nodes.sums, levels),
            impurity=impurity,
            truth=Y,
            learned={"_flat": y.ndim == 1},
        )  # fmt: skip
