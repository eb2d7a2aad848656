"""A tree with a linear model in each leaf."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, Regressor, estimator
from ...growth import Trees
from ...growth.contributions import Contributions
from ...growth.linear_leaves import LinearLeaves
from ...growth.paths import decision_path
from ...holds import floats, instance, require
from ...params import learned, param
from ...randomness import random_state_param
from ...statistics import DiagonalMoments, Moments, PerClass
from ...typing import Flags, Floats, RandomState, Reals, TableLike, Whole
from .base import HasCategories
from .decision_tree_regressor import DecisionTreeRegressor
from .limits import GrowthLimits
from .reading import fallen


@estimator
class LinearTreeRegressor(GrowthLimits, HasCategories, Regressor):
    """A tree of splits with a ridge regression in each leaf: the prediction is m + (x − x̄)ᵀ b, each leaf its own.

    The tree is grown as by `DecisionTreeRegressor`, with means in its leaves. The rows of every leaf are then summed up
    by their moments, from any source, and b solves (S + α diag S) b = s, where S are the sums of squares and products
    of its columns about their means x̄, and s those with the target: α has no unit. A leaf whose weight is less than
    `min_samples_linear` says its mean m alone, and a column that does not vary in a leaf has the slope 0 there. Linear
    are the columns of numbers; a missing value counts as the mean of its column in the leaf, and adds nothing.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> x = np.linspace(-1, 1, 200)[:, None]
    >>> y = np.where(x[:, 0] < 0, x[:, 0], 5 - 2 * x[:, 0])
    >>> model = sf.LinearTreeRegressor(max_leaf_nodes=2, alpha=0).fit(x, y)
    >>> model.coef_.ravel().round(2), round(model.score(x, y), 3)
    (array([ 1., -2.]), 1.0)
    """

    complexity = "max_depth"

    needs: ClassVar = Needs(target="numbers", one_target=True, missing=True, categories=True)

    max_leaf_nodes: int | None = param(
        8, integer=True, at_least=2, choices=(None,),
        doc="The most leaves; the leaf whose split gains most is split first.",
    )  # fmt: skip
    splitter: str = param(
        "best",
        choices=("best", "histogram", "random"),
        doc="Cuts between all values of a column; between at most 255 bins, from any source; or one at random.",
    )
    ccp_alpha: float | str = param(
        0.0, number=True, at_least=0, choices=("cv",),
        doc="How much a leaf costs where the tree is pruned, with means in its leaves; 0 prunes nothing, cv chooses.",
    )  # fmt: skip
    alpha: float = param(1e-3, number=True, at_least=0, doc="The strength of the ridge penalty in the leaves.")
    min_samples_linear: float | None = param(
        None, number=True, at_least=0, choices=(None,),
        doc="The least weight of a leaf with slopes; None is twice the number of columns, and 2.",
    )  # fmt: skip
    random_state: RandomState = random_state_param()

    tree_: DecisionTreeRegressor = learned("The tree that was grown.", holds=instance(DecisionTreeRegressor))
    coef_: Floats = learned(
        "The slopes b of the leaves, (leaves, d), in their order in the tree.", holds=floats("l", "d")
    )
    intercept_: Floats = learned("The means m of the leaves, (leaves,).", holds=floats("l"))
    centre_: Floats = learned("The means x̄ of the columns in the leaves, (leaves, d).", holds=floats("l", "d"))

    units = "columns"

    def check_loaded(self) -> None:
        super().check_loaded()
        trees = self.tree_.trees_
        require(int(trees.leaf_counts[0]) == len(self.intercept_), "coef_ must have a row for each leaf of tree_")
        require(len(trees.words) == self.coef_.shape[1], "tree_ must have the columns of coef_")

    def predict(self, X: TableLike) -> Reals:
        """m + (x − x̄)ᵀ b of the leaf of each row, (n,)."""
        self._check_fitted("tree_")
        return self._rows(X, self._predicted)

    def apply(self, X: TableLike) -> NDArray[np.int64]:
        """The leaf of each row in `tree_`, (n,)."""
        self._check_fitted("tree_")
        return fallen(self, X, self.tree_.trees_)[:, 0]

    def decision_path(self, X: TableLike) -> csr_matrix:
        """The nodes of `tree_` that each row passes, (n, nodes) of 0 and 1."""
        self._check_fitted("tree_")
        return decision_path(self.tree_.trees_, fallen(self, X, self.tree_.trees_))

    def contributions(self, X: TableLike) -> Contributions:
        """What each column adds to each prediction, by splits and slopes: Shapley values, which sum up to it.

        A column that is not known sends a row both ways, by the weights of the children, and is at its mean in a leaf.

        >>> import numpy as np, suffice as sf
        >>> x = np.linspace(-1, 1, 200)[:, None]
        >>> y = np.where(x[:, 0] < 0, x[:, 0], 5 - 2 * x[:, 0])
        >>> found = sf.LinearTreeRegressor(max_leaf_nodes=2, alpha=0).fit(x, y).contributions([[0.5]])
        >>> round(found.base, 2), found.values.round(2)
        (1.75, array([[2.25]]))
        """
        self._check_fitted("tree_")
        leaves = LinearLeaves(self.tree_.trees_, self.intercept_, self.centre_, self.coef_)
        values = self._rows(X, lambda chunk: leaves.contributions(np.asarray(chunk.X, dtype=np.float64)))
        return Contributions(leaves.base, values, self._schema.names)

    def _predicted(self, chunk: Chunk) -> Reals:
        leaf, rows = _leaves(self.tree_.trees_, chunk), np.asarray(chunk.X, dtype=np.float64)
        moved = np.where(np.isnan(rows), 0.0, rows - self.centre_[leaf])
        found: Reals = (self.intercept_[leaf] + np.einsum("ij,ij->i", moved, self.coef_[leaf])).astype(chunk.X.dtype)
        return found

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._leafwise(source))

    def _fit_needs(self) -> Needs:
        return self._needs().but(squares=True)

    def _leafwise(self, source: Source) -> Step[Attributes]:
        d = len(self._schema)
        numeric = ~np.isin(np.arange(d), list(self._categories(source)))
        tree = DecisionTreeRegressor(
            max_depth=self.max_depth, max_leaf_nodes=self.max_leaf_nodes, min_samples_leaf=self.min_samples_leaf,
            min_samples_split=self.min_samples_split, splitter=self.splitter,
            ccp_alpha=self.ccp_alpha, categorical_features=self.categorical_features,
            random_state=self.random_state,
        ).fit_source(source)  # fmt: skip
        leaves = tree.n_leaves_
        means: PerClass[DiagonalMoments] = source.reduce(partial(_column_means, trees=tree.trees_))
        centre = np.zeros((leaves, d))
        centre[means.classes.astype(np.int64)] = [
            np.where(np.isfinite(part.mean), part.mean, 0.0) for part in means.parts
        ]
        sums: PerClass[Moments] = source.reduce(partial(_products, trees=tree.trees_, centre=centre))
        coef, intercept, lost = np.zeros((leaves, d)), tree.trees_.value[~tree.trees_.is_inner, 0].copy(), 0.0
        least = 2 * d + 2 if self.min_samples_linear is None else self.min_samples_linear
        for leaf, own in zip(sums.classes.astype(np.int64), sums.parts, strict=True):
            centre[leaf], intercept[leaf] = own.mean[:d], own.mean[d]
            if own.weight >= least:
                coef[leaf] = _slopes(own.scatter[:d, :d], own.scatter[:d, d], numeric, self.alpha)
            b = coef[leaf]
            lost += max(0.0, float(own.scatter[d, d] - 2 * b @ own.scatter[:d, d] + b @ own.scatter[:d, :d] @ b))
        state = {"tree_": tree, "coef_": coef, "intercept_": intercept, "centre_": centre}
        return Step(state, lost / float(sums.weight.sum()))


def _leaves(trees: Trees, chunk: Chunk) -> Whole:
    """The leaf of each row, numbered among the leaves."""
    number = np.cumsum(~trees.is_inner) - 1
    return np.asarray(number[trees.leaves(np.asarray(chunk.X))[:, 0]])


def _column_means(chunk: Chunk, trees: Trees) -> PerClass[DiagonalMoments]:
    return PerClass.of(np.asarray(chunk.X, dtype=np.float64), _leaves(trees, chunk), chunk.weight)


def _products(chunk: Chunk, trees: Trees, centre: Floats) -> PerClass[Moments]:
    """The moments of [X | y] in each leaf, missing cells at the mean there."""
    leaf, rows = _leaves(trees, chunk), np.asarray(chunk.X, dtype=np.float64)
    filled = np.where(np.isnan(rows), centre[leaf], rows)
    y = np.asarray(chunk.y, dtype=np.float64).reshape(len(rows), 1)
    return PerClass.full(np.hstack([filled, y]), leaf, chunk.weight)


def _slopes(S: Floats, s: Floats, numeric: Flags, alpha: float) -> Floats:
    """The slopes of the columns that vary; of least length where they determine each other."""
    scale = np.sqrt(np.diag(S))
    used = numeric & (scale > 0)
    found = np.zeros(len(s))
    if used.any():
        scale = scale[used]
        correlation = S[np.ix_(used, used)] / np.outer(scale, scale) + alpha * np.eye(len(scale))
        found[used] = np.linalg.lstsq(correlation, s[used] / scale, rcond=1e-12)[0] / scale
    return found
