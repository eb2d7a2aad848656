"""What trees and forests of classes share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...backend.growth import Nodes, Targets
from ...backend.growth.scores import weights_of
from ...data.labels import encode
from ...data.scratch import IN_MEMORY, Room
from ...errors import InvalidData
from ...estimator import Classifier, declares
from ...growth import TreeRows, Trees, class_targets
from ...params import derived, param
from ...typing import Floats, Labels, Reals, TableLike, Whole
from ..linear.targets import class_weights
from .base import TreeModel


def _entropy(shares: Floats) -> Floats:
    """In bits."""
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1.0))).sum(axis=1))


# Of shares of classes (nodes, k), by criterion.
IMPURITIES: dict[str, Callable[[Floats], Floats]] = {
    "gini": lambda shares: np.asarray(1.0 - (shares**2).sum(axis=1)),
    "entropy": _entropy,
    "error": lambda shares: np.asarray(1.0 - shares.max(axis=1)),
}


@dataclass(frozen=True)
class KnownClasses:
    """The classes, sorted, the code of each row's, (n,), and what a row of each counts, (k,), or None."""

    classes: Labels
    code: Whole
    each: Floats | None

    def weighted(self, rows: TreeRows) -> TreeRows:
        """The rows with the weights of their classes."""
        return rows if self.each is None else replace(rows, weight=self.weights(rows.weight, rows.room))

    def weights(self, weight: Floats | None, room: Room = IN_MEMORY) -> Floats | None:
        """The weights of rows times those of their classes."""
        if self.each is None:
            return weight
        found: Floats = room.empty((len(self.code),), np.float64)
        for own in room.blocks(len(self.code)):
            found[own] = self.each[self.code[own]] if weight is None else weight[own] * self.each[self.code[own]]
        return found

    def targets(self, rows: TreeRows, criterion: str) -> Targets:
        """What rows add to a node."""
        own = "entropy" if criterion == "log_loss" else criterion
        return class_targets(self.code, rows.weight, len(self.classes), own, rows.room)

    def node_weights(self, targets: Targets, nodes: Nodes) -> Floats:
        """The weights of the nodes."""
        return weights_of(targets, nodes.sums)


def classes_of(
    y: Labels, weight: Floats | None, class_weight: object, owner: str, known: Labels | None = None
) -> KnownClasses:
    """The classes of rows that weigh something, and codes; other rows have that of the first class.

    `known` are the classes whose places `y` holds already.
    """
    classes, code = encode(np.asarray(y)) if known is None else (known, np.asarray(y, dtype=np.int64))
    counts = np.bincount(code, weight, len(classes))
    if not (counts > 0).all():
        kept = counts > 0
        place = np.where(kept, np.cumsum(kept) - 1, 0)
        classes, code, counts = classes[kept], place[code], counts[kept]
    each = class_weights(class_weight, classes, counts, owner)  # type: ignore[arg-type]
    return KnownClasses(classes, code.astype(np.int64, copy=False), each)


@declares
class TreeClassifier(TreeModel, Classifier):
    """Base of trees of classes: leaves hold shares of classes."""

    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )

    @derived
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    @derived
    def n_outputs_(self) -> int:
        """The number of targets, 1."""
        return 1

    def _width(self) -> int:
        return max(2, len(self.classes_))

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes): the shares of the classes in the leaf of each row, the mean over the trees."""
        found = self._means(X)
        return found if len(self.classes_) > 1 else found[:, :1]

    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes)."""
        with np.errstate(divide="ignore"):  # a class that no row of a leaf has
            found: Reals = np.log(self.predict_proba(X))
        return found

    def predict(self, X: TableLike) -> Labels:
        """The class of the greatest share; the first of equals."""
        shares = self.predict_proba(X)
        found: Labels = np.take(self.classes_, np.argmax(shares, axis=1))
        return found

    def _training_errors(self, tree: Trees) -> Floats:
        return np.asarray(tree.weight * (1.0 - tree.value.max(axis=1)) / tree.weight[0])

    def _truth(self, y: Labels) -> Whole:
        code = np.searchsorted(self.classes_, y)
        code[code == len(self.classes_)] = 0
        found = np.where(self.classes_[code] == y, code, -1)  # a class never seen is always wrong
        if len(found) and np.all(found < 0) and isinstance(y[0], str) != isinstance(self.classes_[0], str):
            raise InvalidData(
                f"{type(self).__name__}: y has no class of the fit; its first is {y[0]!r}, and those of the fit are "
                f"{', '.join(map(repr, self.classes_[:5].tolist()))}. Give labels of the same kind."
            )
        return found

    def _losses(self, value: Floats, truth: Labels) -> Floats:
        return np.asarray((np.argmax(value, axis=1) != truth).astype(np.float64))
