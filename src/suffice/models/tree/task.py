"""What a single tree learns: whole-number targets, what nodes say of them, and how wrong that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...backend.growth import Nodes, Targets
from ...backend.growth.scores import weights_of
from ...backend.weights import given_or_ones
from ...data.sampling import row_uniforms
from ...growth import TreeRows, Trees
from ...growth.pruning import subtree_sums
from ...growth.trees import Numbers32
from ...typing import Floats, Labels, Whole


@dataclass(frozen=True, eq=False)
class Grown:
    """One tree, and the impurities of its nodes, (nodes,), where they were asked for."""

    tree: Trees
    impurities: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def impurity(self) -> float:
        """The mean impurity of the leaves, by weight."""
        leaf = ~self.tree.is_inner
        weight = self.tree.weight[leaf]
        return float(weight @ self.impurities[leaf]) / max(float(weight.sum()), 1e-300)


@dataclass(frozen=True, eq=False)
class Task:
    """Rows and targets; `values` are what nodes say, (nodes, q).

    `impurities` gives the impurity of each node of a tree, (nodes,), whose rows have these leaves, if `by_rows`, and
    weights; `chances` the p-values of its splits, (nodes,), given impurities. Scores are impurities times weight times
    `unit`. `truth` is what values are judged by: codes of classes (n,), or numbers (n, q).
    """

    rows: TreeRows
    targets: Targets
    values: Callable[[Nodes], Floats]
    impurities: Callable[[Trees, Numbers32 | None, Floats], Floats]
    chances: Callable[[Trees, Floats], Floats]
    truth: Labels
    by_rows: bool = True
    unit: float = 1.0
    learned: Mapping[str, object] = field(default_factory=dict)

    @property
    def weight(self) -> Floats:
        """The weight of each row, (n,)."""
        return given_or_ones(self.rows.weight, len(self.rows))

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.rows) if self.rows.weight is None else self.rows.weight.sum())

    def trees(self, nodes: Nodes) -> Trees:
        """Grown nodes as trees."""
        return self.rows.trees(nodes, weights_of(self.targets, nodes.sums), self.values(nodes))

    def folds(self, count: int) -> Whole:
        """The fold of each row, which depends on its cells and its target alone: equal rows are in the same one."""
        y = self.targets.same.astype(np.float64)[:, None]
        drawn = (row_uniforms(self.rows.represented(), 0) + row_uniforms(y, 0)) % 1.0
        return np.minimum((drawn * count).astype(np.int64), count - 1)


def row_impurities(
    loss: Callable[[Floats, Floats], Floats], truth: Floats, unit: float
) -> Callable[[Trees, Numbers32 | None, Floats], Floats]:
    """Impurities of trees of numbers: `loss` gives those of rows with values (n, q) and truths, (n,), in leaves.

    What the splits below a node gain, and what is lost in its leaves, was lost in it.
    """

    def found(tree: Trees, leaf: Numbers32 | None, weight: Floats) -> Floats:
        at = np.zeros(len(weight), dtype=np.int64) if leaf is None else np.where(leaf < 0, -1 - leaf, leaf)
        lost = np.bincount(at, weight * loss(tree.value[at], truth), len(tree.left))
        below = subtree_sums(tree, np.where(tree.is_inner, np.maximum(tree.gain, 0.0), lost))
        return np.asarray(below / (np.maximum(tree.weight, 1e-300) * unit))

    return found
