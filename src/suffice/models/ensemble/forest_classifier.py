"""What forests of classes share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Needs
from ...engine import Step
from ...estimator import Attributes, declares
from ...growth import TreeRows
from ...growth.targets import class_targets
from ...holds import floats, number, sometimes
from ...params import derived, is_share, learned, param
from ...resampling import wilson
from ...typing import Floats, Labels, TableLike, Whole
from ..tree.classes import TreeClassifier, classes_of
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from .bags import said_out_of_bag
from .forest import Forest, all_weight, mean_rise


@declares
class ForestClassifier(Forest, TreeClassifier):
    """Base: leaves hold shares of classes, and a forest their means."""

    needs: ClassVar = Needs(target="classes", missing=True, sparse=True, categories=True)

    max_features: float | str | None = param(
        "sqrt", integer=True, at_least=1, choices=(None, "sqrt", "log2"), accept=is_share, allowed="a share above 0",
        doc="How many columns a node looks at, drawn anew: a number, a share, sqrt or log2 of them; None is all.",
    )  # fmt: skip
    criterion: str = param(
        "gini", choices=("gini", "entropy", "log_loss", "error"),
        doc="The impurity that splits lower; log_loss is entropy.",
    )  # fmt: skip
    oob_score_: float = learned(
        "The accuracy on rows by trees that did not see them, if asked for.", holds=sometimes(number())
    )
    oob_decision_function_: Floats = learned(
        "The shares of the classes of each row by trees that did not see it, (n, classes); NaN where all did.",
        holds=sometimes(floats("n", None, finite=False)),
    )

    @derived
    def estimators_(self) -> list[DecisionTreeClassifier]:
        """The trees, each as a model of its own."""
        return [self._as_tree(DecisionTreeClassifier, self.trees_[t]) for t in range(len(self.trees_))]

    def staged_predict_proba(self, X: TableLike) -> Iterator[Floats]:
        """The probabilities by the first tree, the first two, and so on, (n, classes) each."""
        staged = self._staged(X)
        return (shares[:, : len(self.classes_)] for shares in staged)

    def staged_predict(self, X: TableLike) -> Iterator[Labels]:
        """The predicted classes by the first tree, the first two, and so on.

        >>> import suffice as sf
        >>> iris = sf.datasets.load("iris")
        >>> X, y = iris.matrix(), iris["species"]
        >>> model = sf.RandomForestClassifier(3, random_state=0).fit(X[::2], y[::2])
        >>> [round(float(np.mean(found != y[1::2])), 2) for found in model.staged_predict(X[1::2])]
        [0.07, 0.08, 0.04]
        """
        staged = self.staged_predict_proba(X)
        return (np.take(self.classes_, np.argmax(shares, axis=1)) for shares in staged)

    def _score_out_of_bag(self, total: Floats, seen: Whole, y: Labels, weight: Floats | None) -> float:
        return float(_out_of_bag_scores(total, seen, self._truth(y), weight)["oob_score_"])

    def _grown_forest(self, rows: TreeRows) -> Step[Attributes]:
        draws, weight = self._drawing(rows)
        known = classes_of(rows.y, rows.weight, self.class_weight, type(self).__name__, rows.classes)
        weight = known.weights(weight, rows.room)
        criterion = "entropy" if self.criterion == "log_loss" else self.criterion
        targets = class_targets(known.code, weight, len(known.classes), criterion, rows.room)
        standing = self._standing(max(2, len(known.classes)), known.classes)
        weighs = all_weight(weight, len(rows), draws)
        state = {**self._trees(rows, targets, draws, weighs, standing, None), "classes_": known.classes}
        if self.oob_score:
            said = said_out_of_bag(rows.represented, len(rows), state["trees_"], state["_bags"], draws.mass, rows.room)
            state |= _out_of_bag_scores(*said, known.code, rows.weight)
        return Step(state, -mean_rise(state["trees_"]))


def _out_of_bag_scores(total: Floats, seen: Whole, code: Whole, weight: Floats | None) -> Attributes:
    with np.errstate(invalid="ignore"):
        shares = total / np.where(seen > 0, seen, np.nan)[:, None]
    w = given_or_ones(weight, len(code)) * (seen > 0)
    found = wilson(float(w @ (np.argmax(total, axis=1) == code)), float(w.sum()))
    ends = np.array([found.low, found.high])
    return {"oob_decision_function_": shares, "oob_score_": found.value, "oob_interval_": ends}
