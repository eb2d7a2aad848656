"""A tree as code that was written for scikit-learn's reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...data import Chunk
from ...data.rows import as_rows
from ...growth import Trees
from ...growth.cells import dense
from ...growth.paths import decision_path
from ...typing import Floats, Numbers, Whole

N = TypeVar("N", bound=np.generic)
_LEAF, _UNDEFINED = -1, -2  # of children, and of columns and thresholds, where there are none


@dataclass(frozen=True, eq=False)
class TreeView:
    """The nodes of one tree of numbers under scikit-learn's names, as arrays that cannot be written to.

    Weights count as repeated rows, so `n_node_samples` are weights as well, rounded. `impurities` are those of the
    nodes, where they are known, and `classes` is how many there are, 0 of numbers.
    """

    tree: Trees
    classes: int
    impurities: Floats | None

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.tree.left)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(self.tree.leaf_counts[0])

    @property
    def max_depth(self) -> int:
        """The most splits above a leaf."""
        return int(self.tree.depths.max())

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.tree.words)

    @property
    def n_outputs(self) -> int:
        """The number of targets."""
        return 1 if self.classes else int(self.tree.value.shape[1])

    @property
    def n_classes(self) -> Whole:
        """The number of classes of each target, (targets,), 1 of numbers."""
        return np.full(self.n_outputs, self.max_n_classes, dtype=np.int64)

    @property
    def max_n_classes(self) -> int:
        """The number of classes, 1 of numbers."""
        return max(1, self.classes)

    @cached_property
    def children_left(self) -> Whole:
        """The first child of each node, −1 of leaves, (nodes,)."""
        return _fixed(np.where(self.tree.is_inner, self.tree.left, _LEAF).astype(np.int64))

    @cached_property
    def children_right(self) -> Whole:
        """The second child of each node, −1 of leaves, (nodes,)."""
        return _fixed(np.where(self.tree.is_inner, self.tree.left + 1, _LEAF).astype(np.int64))

    @cached_property
    def feature(self) -> Whole:
        """The column of each split, −2 of leaves, (nodes,)."""
        return _fixed(np.where(self.tree.is_inner, self.tree.column, _UNDEFINED).astype(np.int64))

    @cached_property
    def threshold(self) -> Floats:
        """Up to which number rows go left, −2 of leaves, (nodes,)."""
        return _fixed(np.where(self.tree.is_inner, self.tree.threshold, _UNDEFINED))

    @cached_property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """Whether missing cells go left, (nodes,)."""
        return _fixed((self.tree.is_inner & self.tree.missing_left).astype(np.uint8))

    @cached_property
    def value(self) -> Floats:
        """The shares of classes, (nodes, 1, classes), or the means of targets, (nodes, targets, 1)."""
        value = self.tree.value
        return _fixed(value[:, None, : self.classes] if self.classes else value[:, :, None])

    @cached_property
    def impurity(self) -> Floats:
        """The impurity of each node, (nodes,)."""
        if self.impurities is None:
            raise AttributeError(
                "tree_.impurity is not known of the trees of a forest of numbers; fit a DecisionTreeRegressor, or ask "
                "for what does not need it: plot_tree(…, impurity=False)."
            )
        return _fixed(self.impurities)

    @cached_property
    def weighted_n_node_samples(self) -> Floats:
        """The weight of the rows of each node, (nodes,)."""
        return _fixed(self.tree.weight)

    @cached_property
    def n_node_samples(self) -> Whole:
        """The same, rounded, (nodes,)."""
        return _fixed(np.rint(np.minimum(self.tree.weight, 2.0**62)).astype(np.int64))

    def apply(self, X: Numbers) -> Whole:
        """The leaf of each row, (n,)."""
        rows = Chunk(as_rows(X, "tree_", sparse=True))
        return dense(lambda chunk: self.tree.leaves(chunk.X).astype(np.int64))(rows)[:, 0]

    def decision_path(self, X: Numbers) -> csr_matrix:
        """The nodes that each row passes, (n, nodes) of 0 and 1."""
        return decision_path(self.tree, self.apply(X)[:, None].astype(np.int32))

    def predict(self, X: Numbers) -> Floats:
        """What the leaf of each row says, as `value` does; (n, classes) of one target."""
        found = np.asarray(self.value[self.apply(X)])
        return found[:, 0] if self.n_outputs == 1 else found

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """By how much the splits of each column lower the mean impurity, or shares of that, (d,)."""
        if normalize:
            return self.tree.importances
        inner, right = self.tree.is_inner, self.children_right
        mass = self.tree.weight * self.impurity
        lowered = np.where(inner, mass - mass[self.children_left] - mass[right], 0.0)
        found = np.bincount(np.where(inner, self.feature, 0), lowered, self.n_features)
        return np.asarray(found / max(float(self.tree.weight[0]), 1e-300))


def _fixed(array: NDArray[N]) -> NDArray[N]:
    found = array.view()
    found.flags.writeable = False
    return found
