"""What people read from trees: rules, pictures, ways of rows, and what each column adds to a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...data import Schema
from ...errors import InvalidParameter
from ...estimator import Estimator, declares
from ...growth import Trees
from ...growth.cells import dense
from ...growth.contributions import Contributions, mean_value, tree_contributions
from ...growth.paths import decision_path
from ...growth.rules import Rules
from ...holds import instance
from ...params import learned
from ...typing import AxesLike, Floats, Labels, TableLike, Whole

if TYPE_CHECKING:
    from ...plots import TreeDisplay


def fallen(model: Estimator, X: TableLike, trees: Trees) -> Whole:
    """The leaves of rows in trees of the columns of a model, (n, trees)."""
    return model._rows(X, dense(lambda chunk: trees.leaves(np.asarray(chunk.X))), lean=True)


def explained(model: Estimator, X: TableLike, trees: Trees) -> tuple[Floats, Floats]:
    """What the mean of trees of the columns of a model says of no row, (q,), and what columns add, (n, d, q)."""
    values = model._rows(X, dense(lambda chunk: tree_contributions(trees, np.asarray(chunk.X))), lean=True)
    return mean_value(trees), values


@declares
class TreePaths(Estimator):
    """Base of models that are trees: the leaves of rows, and the ways there."""

    trees_: Trees = learned("The trees: splits, gains, weights and values of all nodes.", holds=instance(Trees, d="d"))
    _is_one_tree: ClassVar[bool] = False

    def apply(self, X: TableLike) -> NDArray[np.int64]:
        """The leaf of each row: its number within the tree, (n,), or (n, trees) of several."""
        self._check_fitted("trees_")
        found = fallen(self, X, self.trees_)
        return found[:, 0] if self._is_one_tree else found

    def decision_path(self, X: TableLike) -> csr_matrix | tuple[csr_matrix, Whole]:
        """The nodes that each row passes, (n, nodes) of 0 and 1; of several trees, also where the nodes of each begin.

        The column of the leaf is that of `apply`, from the beginning of its tree on.
        """
        self._check_fitted("trees_")
        nodes = decision_path(self.trees_, fallen(self, X, self.trees_))
        return nodes if self._is_one_tree else (nodes, self.trees_.starts)


@declares
class ReadableTrees(TreePaths):
    """Base of models with trees whose mean is what they predict."""

    holds: ClassVar = {"_schema": instance(Schema, d="d")}

    def rules(self, tree: int | None = None) -> Rules:
        """The rules of all trees or of one: printed they are a table, and `as_python` and `as_sql` make code of them.

        >>> import suffice as sf
        >>> model = sf.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0], [9.0]], [0.0, 0.2, 5.0, 5.2])
        >>> model.rules()
        rule                      weight  value
        all rows                       4  2.6
        ├─ x0 ≤ 5                      2  0.1
        └─ x0 > 5 or missing           2  5.1
        """
        self._check_fitted("trees_")
        classes: Labels | None = getattr(self, "classes_", None)
        return Rules(self.trees_ if tree is None else self.trees_[self._number(tree)], self._schema, classes)

    def plot(self, tree: int = 0, max_depth: int | None = 3, ax: AxesLike = None) -> TreeDisplay:
        """A tree as a picture, down to some depth."""
        from .picture import tree_display

        return tree_display(self.rules(tree), max_depth).drawn(ax)

    def contributions(self, X: TableLike) -> Contributions:
        """What each column adds to each prediction: Shapley values, which with the base value sum up to it exactly.

        The base value is the mean of the leaves by their weights in the fit. A column that is not known sends rows both
        ways by the weights of the children (path-dependent TreeSHAP). Of a classifier, shares of classes are explained.

        >>> import suffice as sf
        >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
        >>> model = sf.DecisionTreeRegressor().fit(X, [0.0, 1.0, 2.0, 5.0])
        >>> found = model.contributions([[1.0, 1.0]])
        >>> found.base, found.values
        (2.0, array([[1.75, 1.25]]))
        """
        self._check_fitted("trees_")
        base, values = explained(self, X, self.trees_)
        if getattr(self, "_flat", False):
            return Contributions(float(base[0]), values[:, :, 0], self._schema.names)
        classes: Labels | None = getattr(self, "classes_", None)
        q = len(base) if classes is None else len(classes)
        return Contributions(base[:q], values[:, :, :q], self._schema.names)

    def _number(self, tree: int) -> int:
        return tree_number(self.trees_, tree, type(self).__name__)


def tree_number(trees: Trees, tree: int, owner: str) -> int:
    """The number of one of the trees, from 0; negative ones count from the end."""
    count = len(trees)
    whole = isinstance(tree, int | np.integer) and not isinstance(tree, bool)
    if not whole or not -count <= tree < count:
        raise InvalidParameter(f"{owner}: tree must be a number from 0 to {count - 1}; got {tree!r:.80}.")
    return range(count)[tree]


@declares
class ReadableSteps(ReadableTrees):
    """Base of models with trees whose sum, added to where the predictors begin, is what they predict from."""

    _baseline: ClassVar[Floats]  # the predictors before the first tree, (k,); set by a fit

    def rules(self, tree: int | None = None) -> Rules:
        """The rules of one tree: what it adds to the predictor, times the learning rate.

        Of several classes the trees take turns: tree t is that of class t modulo the number of classes.

        >>> import suffice as sf
        >>> model = sf.HistGradientBoostingRegressor(max_iter=2, min_samples_leaf=1, learning_rate=0.5)
        >>> model.fit([[1.0], [2.0], [8.0], [9.0]], [0.0, 0.0, 8.0, 8.0]).rules(tree=1)
        rule                      weight  value
        all rows                       4  0
        ├─ x0 ≤ 5                      2  -1
        └─ x0 > 5 or missing           2  1
        """
        self._check_fitted("trees_")
        if tree is None:
            raise InvalidParameter(
                f"{type(self).__name__}: the rules of all {len(self.trees_)} trees together are no tree; say which, as "
                "rules(tree=0)."
            )
        number = self._number(tree)
        one = self.trees_[number]
        own = number % len(self._baseline)
        return Rules(one.valued(np.ascontiguousarray(one.value[:, own : own + 1])), self._schema)

    def contributions(self, X: TableLike) -> Contributions:
        """What each column adds to each predictor η: Shapley values, which with the base value sum up to it exactly.

        Of a classifier these are the numbers of `decision_function`, as logits; of a regressor what the link makes
        predictions of, the predictions themselves for squared errors. Otherwise as those of a forest.
        """
        self._check_fitted("trees_")
        mean, each = explained(self, X, self.trees_)
        base, values = self._baseline + len(self.trees_) * mean, len(self.trees_) * each
        if len(base) == 1:
            return Contributions(float(base[0]), values[:, :, 0], self._schema.names)
        return Contributions(base, values, self._schema.names)
