"""A tree that predicts numbers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from ...data import Needs
from ...errors import InvalidParameter
from ...estimator import estimator
from ...growth import TreeRows, Trees, means, medians, number_targets, ranked_targets
from ...growth.significance import count_splits, mean_splits
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats
from .decision_tree import DecisionTree
from .numbers import TreeRegressor, check_counts, checked_targets
from .task import Task, row_impurities


@estimator
class DecisionTreeRegressor(TreeRegressor, DecisionTree):
    """A tree of splits that make the targets of rows ever more alike: the prediction is the mean in the leaf of x.

    A node is split where Σ w (y − ȳ)² over both halves, each around its own mean, is least; with `criterion="poisson"`
    where the deviance Σ w y log(y / ȳ) of counts is. With `criterion="absolute_error"` it is Σ w |y − m| around the
    median m of each half, and a leaf says its median: where half of its weight is reached exactly at a target, the
    middle between that and the next. Numbers are cut between two values, sets of categories are told
    apart by the order of their means, and missing values go to the side where they do better. y may have several
    columns; a split then lowers the sum over all of them. Weights count as repeated rows.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0], [9.0]], [0.0, 0.2, 5.0, 5.2])
    >>> model.trees_.threshold.tolist(), model.predict([[0.0], [10.0]])
    ([5.0, 0.0, 0.0], array([0.1, 5.1]))
    """

    complexity = "max_depth"

    counterpart: ClassVar = Counterpart("sklearn.tree")
    needs: ClassVar = Needs(target="numbers", missing=True, sparse=True, categories=True)

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
        Y = y.reshape(len(y), -1)
        q = Y.shape[1]
        return Task(
            rows, targets,
            values=lambda nodes: means(targets, nodes.sums, centre),
            impurities=row_impurities(_deviance if poisson else _squares, Y, q),
            chances=(lambda tree, impurities: count_splits(tree)) if poisson else mean_splits,
            truth=Y,
            unit=float(q),
            learned={"_flat": y.ndim == 1},
        )  # fmt: skip

    def _of_medians(self, rows: TreeRows) -> Task:
        y = checked_targets(rows.y, rows.weight, type(self).__name__)
        Y = y.reshape(len(y), -1)
        targets, levels = ranked_targets(Y, rows.weight)
        return Task(
            rows, targets,
            values=lambda nodes: medians(nodes.sums, levels),
            impurities=row_impurities(_differences, Y, Y.shape[1]),
            chances=self._no_test,
            truth=Y,
            unit=float(Y.shape[1]),
            learned={"_flat": y.ndim == 1},
        )  # fmt: skip

    def _no_test(self, tree: Trees, impurities: Floats) -> Floats:
        raise InvalidParameter(
            f"{type(self).__name__}: significance={self.significance!r} tests means, but criterion='absolute_error' "
            "splits by medians; take squared_error, or min_impurity_decrease."
        )


def _squares(value: Floats, y: Floats) -> Floats:
    return np.asarray(((y - value) ** 2).sum(axis=1))


def _deviance(value: Floats, y: Floats) -> Floats:
    return np.asarray(xlogy(y, y / np.where(value > 0, value, 1.0)).sum(axis=1))


def _differences(value: Floats, y: Floats) -> Floats:
    return np.asarray(np.abs(y - value).sum(axis=1))
