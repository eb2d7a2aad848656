"""Trees as members of bagging and boosting: where rows end in them, and what columns add to what they decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ...estimator import Estimator, declares
from ...growth import Trees
from ...growth.contributions import Contributions
from ...growth.paths import decision_path
from ...typing import EstimatorLike, Floats, TableLike, Whole
from ..inner import columns_of
from ..tree.decision_tree import DecisionTree
from ..tree.reading import explained, fallen


def of_trees(self: MemberTrees) -> bool:
    """Whether the members are trees of this library."""
    return isinstance(self._inner(), DecisionTree)


@declares
class MemberTrees(Estimator):
    """Base of ensembles of any model; where the members are trees, they are read as those of a forest."""

    def _inner(self) -> EstimatorLike:
        """The model of which members are copies."""
        raise TypeError(f"{type(self).__name__} does not define _inner")

    def _member_trees(self) -> Trees:
        """The trees of the members, of all columns."""
        raise TypeError(f"{type(self).__name__} does not define _member_trees")

    @available_if(of_trees)  # type: ignore[untyped-decorator]
    def apply(self, X: TableLike) -> NDArray[np.int64]:
        """The leaf of each row in each tree, (n, members): its number within the tree. Only where members are trees."""
        check_is_fitted(self)
        return fallen(self, X, self._member_trees())

    @available_if(of_trees)  # type: ignore[untyped-decorator]
    def decision_path(self, X: TableLike) -> tuple[csr_matrix, Whole]:
        """The nodes that each row passes, (n, nodes), and where those of each tree begin. Only of trees."""
        check_is_fitted(self)
        trees = self._member_trees()
        return decision_path(trees, fallen(self, X, trees)), trees.starts

    def _node_values(self, model: EstimatorLike) -> Floats:
        """What the nodes of a tree say, (nodes, q)."""
        raise TypeError(f"{type(self).__name__} does not define _node_values")


@declares
class ExplainedTrees(MemberTrees):
    """Base of those that decide by a mean."""

    def _is_flat(self) -> bool:
        """Whether what is decided is one number."""
        return False

    @available_if(of_trees)  # type: ignore[untyped-decorator]
    def contributions(self, X: TableLike) -> Contributions:
        """What each column adds, as in a forest: to predicted numbers, to probabilities, of AdaBoost to its decisions.

        With the base value they sum up to it exactly. Only where members are trees.

        >>> import suffice as sf
        >>> iris = sf.datasets.load("iris")
        >>> model = sf.AdaBoostClassifier(n_estimators=9, random_state=0).fit(iris.matrix(), iris["species"])
        >>> found = model.contributions(iris.matrix())
        >>> bool(abs(found.predictions - model.decision_function(iris.matrix())).max() < 1e-10)
        True
        """
        check_is_fitted(self)
        base, values = explained(self, X, self._member_trees())
        names = columns_of(self).names
        if self._is_flat():
            return Contributions(float(base[0]), values[:, :, 0], names)
        return Contributions(base, values, names)


def joined(models: Sequence[EstimatorLike], values: Sequence[Floats], features: Sequence[Whole], d: int) -> Trees:
    """The trees of models, each of some of d columns, whose nodes say other values, (nodes, q) each."""
    words = np.zeros(d, dtype=np.int64)
    own = [model.trees_ for model in models if isinstance(model, DecisionTree)]
    for trees, columns in zip(own, features, strict=True):
        words[columns] = trees.words
    parts = []
    for trees, value, columns in zip(own, values, features, strict=True):
        column = np.where(trees.is_inner, columns[trees.column], -1).astype(np.int32)
        parts.append(replace(trees, column=column, value=value, words=words))
    return Trees.joined(parts)
