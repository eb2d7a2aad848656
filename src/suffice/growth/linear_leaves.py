"""What each column adds to a tree with linear models in its leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..typing import Floats
from .contributions import mean_value
from .products import Branch, add_shapley, leaf_factors
from .trees import Trees


@dataclass(frozen=True, eq=False)
class LinearLeaves:
    """A tree whose leaf l, numbered among the leaves, says m + (x − x̄)ᵀ b; a missing cell adds nothing."""

    tree: Trees
    intercept: Floats  # m, (leaves,)
    centre: Floats  # x̄, (leaves, d)
    slope: Floats  # b, (leaves, d)

    @property
    def base(self) -> float:
        """What it says of a row of which nothing is known: the columns of each leaf are at their means."""
        value = np.zeros((len(self.tree.column), 1))
        value[~self.tree.is_inner, 0] = self.intercept
        return float(mean_value(self.tree.valued(value))[0])

    def contributions(self, X: Floats) -> Floats:
        """Shapley values of the columns, (n, d).

        A column that is not known sends a row both ways, by the weights of the children, and is at its mean in a leaf:
        a slope is a factor that is 0 where its column is not known.
        """
        total, number = np.zeros((*X.shape, 1)), np.cumsum(~self.tree.is_inner) - 1
        for leaf, factors in leaf_factors(lambda node: self._split(node, X), len(X)):
            own = int(number[leaf])
            add_shapley(total, factors, self.intercept[own : own + 1])
            moved = np.where(np.isnan(X), 0.0, (X - self.centre[own]) * self.slope[own])
            for j in np.flatnonzero(self.slope[own]).tolist():
                known = factors.get(j, (np.ones(len(X)), 1.0))[0]
                add_shapley(total, {**factors, j: (known * moved[:, j], 0.0)}, np.ones(1))
        return total[:, :, 0]

    def _split(self, node: int, X: Floats) -> tuple[int, list[Branch]] | None:
        tree = self.tree
        if not tree.is_inner[node]:
            return None
        own, child = np.array([node, *[int(tree.left[node]) + k for k in (0, 1)]]), int(tree.left[node])
        stump = replace(
            tree, starts=np.array([0, 3]), left=np.array([1, -1, -1], dtype=np.int32),
            column=np.array([tree.column[node], -1, -1], dtype=np.int32),
            **{name: getattr(tree, name)[own] for name in ("threshold", "missing_left", "gain", "weight", "value")},
        )  # fmt: skip
        left, mass = stump.leaves(X)[:, 0] == 1, tree.weight[child : child + 2]
        share = float(mass[0] / mass.sum()) if mass.sum() > 0 else 0.5
        return int(tree.column[node]), [(child, left * 1.0, share), (child + 1, ~left * 1.0, 1 - share)]
