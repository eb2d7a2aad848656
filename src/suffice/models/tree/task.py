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
from ...typing import Floats, Labels, Whole


@dataclass(frozen=True, eq=False)
class Task:
    """Rows and targets; `values` are what nodes say, (nodes, q), and `impurity` the mean impurity of the leaves.

    Scores are impurities times weight times `unit`. `truth` is what values are judged by: codes of classes (n,), or
    numbers (n, q).
    """

    rows: TreeRows
    targets: Targets
    values: Callable[[Nodes], Floats]
    impurity: Callable[[Nodes], float]
    truth: Labels
    unit: float = 1.0
    learned: Mapping[str, object] = field(default_factory=dict)

    @property
    def weight(self) -> Floats:
        """The weight of each row, (n,)."""
        return given_or_ones(self.rows.weight, len(self.rows))

    def trees(self, nodes: Nodes) -> Trees:
        """Grown nodes as trees."""
        return self.rows.trees(nodes, weights_of(self.targets, nodes.sums), self.values(nodes))

    def folds(self, count: int) -> Whole:
        """The fold of each row, which depends on its cells and its target alone: equal rows are in the same one."""
        y = self.targets.same.astype(np.float64)[:, None]
        drawn = (row_uniforms(self.rows.represented(), 0) + row_uniforms(y, 0)) % 1.0
        return np.minimum((drawn * count).astype(np.int64), count - 1)
