"""What each column adds to a prediction of trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backend.shapley import contributions
from ..errors import MemoryNeeded
from ..typing import Floats, Reals
from .trees import Trees

_MOST_BYTES = 1 << 31  # for the sums along the longest way through a tree
_LANES = 8  # rows side by side


@dataclass(frozen=True, eq=False)
class Contributions:
    """Predictions as sums: `base` is the mean prediction by weight, `values` what each column adds for each row.

    Of one number they are a float and (n, d), of q numbers (classes or targets) (q,) and (n, d, q).
    """

    base: float | Floats
    values: Floats
    names: tuple[str, ...]

    @property
    def predictions(self) -> Floats:
        """What they add up to, (n,) or (n, q)."""
        return np.asarray(self.base + self.values.sum(axis=1))

    def importances(self) -> Floats:
        """The mean size of what each column adds, (d,) or (d, q)."""
        return np.asarray(np.abs(self.values).mean(axis=0))


def shares_of_weight(trees: Trees) -> Floats:
    """The share of the weight of its tree that reaches each node, (nodes,), as far as children tell."""
    above = trees.parents
    sibling = np.arange(len(above))
    sizes = np.diff(trees.starts)
    inner = np.flatnonzero(trees.is_inner)
    left = np.repeat(trees.starts[:-1], sizes)[inner] + trees.left[inner]
    sibling[left], sibling[left + 1] = left + 1, left
    both = trees.weight + trees.weight[sibling]
    own = np.divide(trees.weight, both, out=np.full(len(both), 0.5), where=both > 0)
    share = np.ones(len(above))
    order = np.argsort(trees.depths, kind="stable")
    levels = np.searchsorted(trees.depths[order], np.arange(1, int(trees.depths.max()) + 1))
    for at in np.split(order, levels)[1:]:
        share[at] = share[above[at]] * own[at]
    return share


def tree_contributions(trees: Trees, X: Reals) -> Floats:
    """Shapley values of the columns for the mean of the trees, (n, d, q)."""
    depth = int(trees.depths.max())
    most = min(depth, len(trees.words))
    needed = 8 * _LANES * (depth + 1) * max(1, (most + 1) // 2) * (1 + trees.value.shape[1])
    if needed > _MOST_BYTES:
        raise MemoryNeeded(
            f"contributions: trees of depth {depth} with {trees.value.shape[1]} numbers a leaf take {needed:,} bytes "
            "on each thread; grow them with a lower max_depth."
        )
    return contributions(X, trees.forest, trees.weight, trees.value, most) / len(trees)


def mean_value(trees: Trees) -> Floats:
    """What the trees say of a row of which nothing is known, (q,)."""
    leaf = ~trees.is_inner
    return np.asarray((shares_of_weight(trees)[leaf, None] * trees.value[leaf]).sum(axis=0) / len(trees))
