"""Single trees that can be pruned: by cost and complexity, on a validation set, or pessimistically."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from ... import params
from ...backend.weights import given_or_ones
from ...data import Source
from ...data.rows import as_array
from ...errors import InvalidData
from ...estimator import Attributes, declares
from ...growth import Trees
from ...growth.pruning import (
    PrunedNodes,
    along,
    cut_back,
    distinct,
    pruned_nodes,
    replaced_subtrees,
    subtree_sums,
    weakest_links,
)
from ...holds import floats, instance, number, require, sometimes
from ...params import check_argument, forget_derived, learned, param
from ...typing import Flags, Floats, Labels, TableLike, TargetLike, WeightLike, Whole
from ..linear.paths import CrossValidatedPath
from .base import TreeModel
from .pruning_path import PruningPath
from .task import Grown, Task


@declares
class PrunedTree(TreeModel):
    """Base of single trees: what is cut from them, and why."""

    ccp_alpha: float | str = param(
        0.0, number=True, at_least=0, choices=("cv",),
        doc="How much a leaf costs: splits that lower the impurity by less for each leaf are pruned. 0 prunes nothing, "
        "cv chooses by cross-validation.",
    )  # fmt: skip
    folds: int = param(10, integer=True, at_least=2, doc="The number of folds of cross-validation.")
    rule: str = param(
        "1se",
        choices=("min", "1se"),
        doc="What cross-validation chooses: the least error, or the smallest tree within one standard error of it.",
    )

    impurity_: float = learned("The mean impurity of the leaves, by weight.", holds=number(at_least=0))
    impurities_: Floats = learned("The impurity of each node, (nodes,).", holds=floats(None, at_least=0))
    pruned_: PrunedNodes = learned(
        "What was pruned: nodes that had splits below them, and errors before and after.", holds=instance(PrunedNodes)
    )
    holds: ClassVar = {
        "_unit": number(above=0),
        "alpha_": sometimes(number(at_least=0)),
        "cv_path_": sometimes(instance(CrossValidatedPath)),
    }
    _unit: ClassVar[float]  # scores are impurities times weight times this; set by a fit

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.impurities_) == len(self.trees_.left), "impurities_ must have a number for each node")

    def cost_complexity_path(
        self,
        X: TableLike | None = None,
        y: TargetLike = None,
        sample_weight: WeightLike = None,
        *,
        measure: str = "impurity",
    ) -> PruningPath:
        """The trees that pruning gives for rising costs α of a leaf, down to the root alone.

        Each has the least risk + α · leaves (Breiman et al., 1984). The risk is the mean impurity of the leaves, as in
        scikit-learn, or with `measure="error"` the share of wrong classes, as in R's rpart, whose cp is α over the risk
        of the root. With X and y the path also has the error of each tree for them.
        """
        self._check_fitted("trees_")
        check_argument(type(self).__name__, "measure", measure, choices=("impurity", "error"))
        tree, drop = self.trees_, self._drops(self.trees_, measure)
        cut_at = weakest_links(tree, drop).cut_at(tree)
        alphas = distinct(np.unique(cut_at[cut_at >= 0]))
        order = np.argsort(cut_at, kind="stable")
        rises = np.cumsum(np.where(tree.is_inner, drop, 0.0)[order])
        risk = self._risk(measure) + rises[np.searchsorted(cut_at[order], alphas, side="right") - 1]
        leaves = along(tree, cut_at, np.ones(len(drop)), alphas).round().astype(np.int64)
        own = self._training_errors(tree)
        error = risk if own is None else along(tree, cut_at, own, alphas)
        test = None
        if X is not None:
            errors, weight = self._node_errors(X, y, sample_weight)
            test = along(tree, cut_at, errors, alphas) / weight
        return PruningPath(alphas, leaves, risk, error, test)

    def cost_complexity_pruning_path(self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None) -> Bunch:
        """As of scikit-learn: grows a tree and gives `ccp_alphas` and `impurities`, cut by cut.

        `cost_complexity_path` has more to say, of the tree that was fitted.
        """
        params.check(self)
        grown = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        links = weakest_links(grown.trees_, grown._drops(grown.trees_, "impurity"))
        return Bunch(
            ccp_alphas=np.concatenate([[0.0], links.alpha]),
            impurities=grown.impurity_ + np.concatenate([[0.0], np.cumsum(links.rise)]),
        )

    def prune(self, alpha: float, *, measure: str = "impurity") -> Self:
        """A copy of the model whose tree is pruned at the cost α of a leaf; see `cost_complexity_path`.

        A subtree goes where its splits lower the risk by at most α for each leaf. `pruned_` of the copy says what went.
        """
        self._check_fitted("trees_")
        owner = type(self).__name__
        check_argument(owner, "alpha", alpha, number=True, at_least=0)
        check_argument(owner, "measure", measure, choices=("impurity", "error"))
        tree, drop = self.trees_, self._drops(self.trees_, measure)
        inner = weakest_links(tree, drop).cut_at(tree) > alpha * (1 + 1e-12)
        return self._with(self._cut(self._as_grown(), inner, _below(tree, drop), self._risk(measure)))

    def prune_on(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Self:
        """A copy of the model, pruned on rows that it was not fitted to: sub-tree replacement by reduced error.

        From the leaves upwards, a subtree becomes a leaf where that makes no more errors for these rows: wrong classes,
        or the mean squared error. `pruned_` of the copy says what went, and the errors of the tree before and after.
        """
        self._check_fitted("trees_")
        errors, weight = self._node_errors(X, y, sample_weight)
        return self._replaced(errors / weight)

    def _replaced(self, errors: Floats) -> Self:
        """The copy without subtrees whose root errs no more by itself."""
        tree = self.trees_
        inner, _ = replaced_subtrees(tree, errors)
        rise = errors - subtree_sums(tree, np.where(tree.is_inner, 0.0, errors))
        before = float(errors[~tree.is_inner].sum())
        return self._with(self._cut(self._as_grown(), inner, rise, before))

    # ---- in a fit ----

    def _pruned(self, task: Task, grown: Grown) -> Attributes:
        """What a fit learns of a grown tree."""
        tree = grown.tree
        found: Attributes = {
            "_unit": task.unit, "trees_": tree, "impurity_": grown.impurity, "impurities_": grown.impurities,
            "pruned_": PrunedNodes.none(),
        }  # fmt: skip
        if self.ccp_alpha == 0:
            return found
        drop, alpha = _impurity_drops(tree, task.unit), 0.0 if isinstance(self.ccp_alpha, str) else self.ccp_alpha
        if self.ccp_alpha == "cv":
            path = self._validated(task, tree, drop)
            alpha = path.alpha
            found |= {"cv_path_": path, "alpha_": alpha}
        if alpha > 0:
            inner = weakest_links(tree, drop).cut_at(tree) > alpha * (1 + 1e-12)
            if not inner[tree.is_inner].all():
                found |= self._cut(grown, inner, _below(tree, drop), grown.impurity)
        return found

    def _validated(self, task: Task, tree: Trees, drop: Floats) -> CrossValidatedPath:
        """The errors of the trees of folds, each pruned at the geometric means of the strengths of the whole tree."""
        fold = task.folds(self.folds)
        known = np.unique(fold[task.weight > 0])
        if len(known) < 2:
            raise InvalidData(
                f"{type(self).__name__}: cross-validation needs rows in at least 2 folds, and all rows that weigh "
                "something are in one; give a number as ccp_alpha, or more rows."
            )
        alphas = distinct(np.unique(weakest_links(tree, drop).alpha))
        middles = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.finfo(np.float64).max)
        grown = self._grown(task, (fold[None] != known[:, None]) & (task.weight > 0))
        trees = Trees.joined([own.tree for own in grown])
        leaf = trees.leaves(task.rows.represented())
        errors, weights = [], []
        for t, part in enumerate(known):
            own, at = trees[t], np.flatnonzero((fold == part) & (task.weight > 0))
            cut_at = weakest_links(own, _impurity_drops(own, task.unit)).cut_at(own)
            lost = node_errors(own, leaf[at, t], task.weight[at], partial(self._losses, truth=task.truth[at]))
            errors.append(along(own, cut_at, lost, middles) / task.weight[at].sum())
            weights.append(task.weight[at].sum())
        return CrossValidatedPath(alphas[::-1], np.array(errors)[:, ::-1], np.array(weights), self.rule)

    def _grown(self, task: Task, times: Whole | None = None) -> list[Grown]:
        raise TypeError(f"{type(self).__name__} does not define _grown")

    # ---- risks ----

    def _drops(self, tree: Trees, measure: str) -> Floats:
        """By how much the split of each node lowers the risk of the tree, (nodes,)."""
        own = self._training_errors(tree) if measure == "error" else None
        if own is None:
            return _impurity_drops(tree, self._unit)
        inner = tree.is_inner
        return np.where(inner, own - own[tree.left] - own[tree.left + inner], 0.0)

    def _risk(self, measure: str) -> float:
        own = self._training_errors(self.trees_) if measure == "error" else None
        return self.impurity_ if own is None else float(own[~self.trees_.is_inner].sum())

    def _training_errors(self, tree: Trees) -> Floats | None:
        """The share of all weight that is wrong in each node, (nodes,); None where the impurity is the error."""
        return None

    def _node_errors(self, X: TableLike, y: TargetLike, sample_weight: WeightLike) -> tuple[Floats, float]:
        """The error of each node for the rows of a validation set that come to it, (nodes,), and their weight."""
        owner = type(self).__name__
        if isinstance(X, Source):
            source = X.suited_to(self._needs())
            y = source.target()
            if sample_weight is None:
                sample_weight = source.map(lambda chunk: given_or_ones(chunk.weight, len(chunk)))
        leaf = self.apply(X)
        known = as_array(y, owner, "y must have one entry a row")
        if known.ndim == 0 or known.dtype.kind == "V":
            raise InvalidData(f"{owner}: y must have one entry a row, a label or a number; got {y!r:.80}.")
        truth = self._truth(known)
        weight = None if sample_weight is None else as_array(sample_weight, owner, "weights must be numbers")
        w = np.asarray(given_or_ones(weight, len(leaf)), dtype=np.float64)
        if len(truth) != len(leaf) or len(w) != len(leaf):
            raise InvalidData(f"{owner}: X has {len(leaf)} rows, but y has {len(truth)} and sample_weight {len(w)}.")
        if not w.sum() > 0:
            raise InvalidData(f"{owner}: the rows of a validation set must weigh something; all weights are 0.")
        return node_errors(self.trees_, leaf, w, partial(self._losses, truth=truth)), float(w.sum())

    def _truth(self, y: Labels) -> Labels:
        """Given targets as what values are judged by."""
        raise TypeError(f"{type(self).__name__} does not define _truth")

    def _losses(self, value: Floats, truth: Labels) -> Floats:
        """How wrong values (m, q) are, (m,)."""
        raise TypeError(f"{type(self).__name__} does not define _losses")

    # ---- the result ----

    def _as_grown(self) -> Grown:
        return Grown(self.trees_, self.impurities_)

    def _cut(self, grown: Grown, inner: Flags, rise: Floats, error: float) -> Attributes:
        """What is learned of a tree with splits only where `inner` (nodes,) says so."""
        pruned, former = cut_back(grown.tree, inner)
        kept = Grown(pruned, grown.impurities[former])
        return {
            "trees_": pruned,
            "impurity_": kept.impurity,
            "impurities_": kept.impurities,
            "pruned_": pruned_nodes(grown.tree, pruned, former, self._schema.names, rise, error),
        }

    def _with(self, state: Attributes) -> Self:
        found = copy(self)
        forget_derived(found)
        for name, value in state.items():
            setattr(found, name, value)
        return found


def _impurity_drops(tree: Trees, unit: float) -> Floats:
    """By how much the split of each node lowers the mean impurity, (nodes,)."""
    return np.asarray(np.where(tree.is_inner, np.maximum(tree.gain, 0.0), 0.0) / (tree.weight[0] * unit))


def _below(tree: Trees, drop: Floats) -> Floats:
    """By how much the risk rises where each node becomes a leaf, (nodes,)."""
    return subtree_sums(tree, np.where(tree.is_inner, drop, 0.0))


def node_errors(tree: Trees, leaf: Whole, weight: Floats, loss: Callable[[Floats], Floats]) -> Floats:
    """The weighted losses in each node of rows that end in these leaves, (nodes,), were the node a leaf."""
    found, parent = np.zeros(len(tree.left)), tree.parents
    at = leaf.astype(np.int64)
    while True:
        there = at >= 0
        if not there.any():
            return found
        each = weight * loss(tree.value[np.where(there, at, 0)])
        found += np.bincount(at[there], each[there], len(found))
        at = np.where(there, parent[at], -1)
