"""What forests of classes share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.growth.scores import weights_of
from ...backend.weights import given_or_ones
from ...data import Needs
from ...engine import Step
from ...estimator import Attributes, declares
from ...growth import TreeRows, Trees, class_shares
from ...growth.targets import class_targets
from ...holds import floats, number, sometimes
from ...params import derived, learned, param
from ...typing import Floats, Whole
from ..tree.base import is_share
from ..tree.classes import TreeClassifier, classes_of
from ..tree.decision_tree_classifier import DecisionTreeClassifier
from .forest import Forest, all_weight, mean_rise, out_of_bag


@declares
class ForestClassifier(Forest, TreeClassifier):
    """Base: leaves hold shares of classes, and a forest their means."""

    needs: ClassVar = Needs(target="classes", missing=True, categories=True)

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

    def _grown_forest(self, rows: TreeRows) -> Step[Attributes]:
        draws, weight = self._drawing(rows)
        known = classes_of(rows.y, rows.weight, self.class_weight, type(self).__name__, rows.classes)
        weight = known.weights(weight, rows.room)
        criterion = "entropy" if self.criterion == "log_loss" else self.criterion
        targets = class_targets(known.code, weight, len(known.classes), criterion, rows.room)
        standing = self._standing(max(2, len(known.classes)), known.classes)
        parts = [] if standing is None else [standing]
        total, seen = self._none_out_of_bag(len(rows), max(2, len(known.classes)))
        for nodes, leaves, _ in self._parts(rows, targets, draws, all_weight(weight, len(rows), draws), standing):
            own = rows.trees(nodes, weights_of(targets, nodes.sums), class_shares(targets, nodes.sums))
            parts.append(own)
            if leaves is not None:
                out_of_bag(total, seen, own, leaves)
        state: Attributes = {"trees_": Trees.joined(parts), "classes_": known.classes, "_grown_on": self._schema}
        if self.oob_score:
            state |= _out_of_bag_scores(total, seen, known.code, rows.weight)
        return Step(state, -mean_rise(state["trees_"]))


def _out_of_bag_scores(total: Floats, seen: Whole, code: Whole, weight: Floats | None) -> Attributes:
    with np.errstate(invalid="ignore"):
        shares = total / np.where(seen > 0, seen, np.nan)[:, None]
    w = given_or_ones(weight, len(code)) * (seen > 0)
    right = np.argmax(total, axis=1) == code
    score = float(w @ right / w.sum()) if w.sum() > 0 else float("nan")
    return {"oob_decision_function_": shares, "oob_score_": score}
