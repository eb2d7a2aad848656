"""What ID3 and C4.5 share: trees with a branch for each category."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, Classifier, declares
from ...growth.contributions import Contributions
from ...growth.multiway import MultiwayTree, pruned
from ...growth.multiway_growth import Growth
from ...growth.multiway_reading import base_shares, column_contributions, passed
from ...growth.multiway_rules import MultiwayRules
from ...growth.pruning import PrunedNodes, pessimistic_errors
from ...holds import floats, instance, require
from ...params import derived, learned, param
from ...typing import AxesLike, Floats, Labels, Reals, TableLike, Whole
from ..cluster.alternation import memory_param
from .base import HasCategories
from .classes import classes_of
from .limits import GrowthLimits, significance_param, weight_param

if TYPE_CHECKING:
    from ...plots import TreeDisplay

_LARGE = 1e100


@declares
class MultiwayTreeModel(GrowthLimits, HasCategories, Classifier):
    """Base of trees with a branch for each category."""

    missing: str = param(
        "fractions",
        choices=("fractions", "branch", "learned"),
        doc="Where rows with a missing value go: in parts to all branches, to a branch of their own, or to the branch "
        "where they do best.",
    )
    min_samples_leaf: float = weight_param(1, 0, "The least weight that at least two branches of a split have")
    min_gain: float = param(0.0, number=True, at_least=0, doc="The least information gain of a split, in bits.")
    significance: float | None = significance_param("a χ² test of classes against branches")
    confidence: float | None = param(
        None, number=True, above=0, below=1, choices=(None,),
        doc="How sure pessimistic pruning is; the lower, the more is cut. None: nothing is pruned.",
    )  # fmt: skip
    memory: int = memory_param("rows that are gathered from files or Dask")

    tree_: MultiwayTree = learned("The tree: splits, gains and weights of classes.", holds=instance(MultiwayTree))
    gain_: Floats = learned(
        "The information gain of each column in the root, in bits, (d,); 0 where it cannot be split.",
        holds=floats("d", at_least=0),
    )
    pruned_: PrunedNodes = learned(
        "What was pruned: nodes that had branches, and errors before and after.", holds=instance(PrunedNodes)
    )

    needs: ClassVar = Needs(target="classes", missing=True, categories=True)
    units = "columns"
    _criterion: ClassVar[str]

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.tree_.counts.shape[1] == len(self.classes_), "tree_ must have a count for each class")
        require(np.all(self.tree_.column < len(self._schema)), "tree_ must split columns of the table")

    @derived
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return int(self.tree_.is_leaf.sum())

    @derived
    def depth_(self) -> int:
        """The most splits above a leaf."""
        return int(self.tree_.depths.max())

    @derived
    def feature_importances_(self) -> Floats:
        """The share of each column in all that splits gained, (d,)."""
        tree = self.tree_
        inner = ~tree.is_leaf
        gains = np.bincount(tree.column[inner], (tree.gain * tree.counts.sum(axis=1))[inner], len(self._schema))
        return np.asarray(gains / gains.sum() if gains.sum() > 0 else gains)

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes): the shares of the classes in the leaf of each row, or in its leaves by parts."""
        self._check_fitted("tree_")
        return self._rows(X, lambda chunk: _shares(self.tree_, chunk).astype(chunk.X.dtype))

    def predict(self, X: TableLike) -> Labels:
        """The class of the greatest share; the first of equals."""
        self._check_fitted("tree_")
        code = self._rows(X, lambda chunk: np.argmax(np.round(_shares(self.tree_, chunk), 12), axis=1))
        found: Labels = np.take(self.classes_, code)
        return found

    def apply(self, X: TableLike) -> NDArray[np.int64]:
        """The leaf of each row, (n,): the one to which most of it goes."""
        self._check_fitted("tree_")
        return self._rows(X, lambda chunk: _leaves(self.tree_, chunk))

    def decision_path(self, X: TableLike) -> csr_matrix:
        """The part of each row that passes each node, (n, nodes): 1 where all of it does."""
        self._check_fitted("tree_")
        return self._rows(X, lambda chunk: passed(self.tree_, np.asarray(chunk.X, dtype=np.float64)), lean=True)

    def contributions(self, X: TableLike) -> Contributions:
        """What each column adds to the shares of the classes: Shapley values, which with the base sum up to them.

        A column that is not known sends a row to all branches, by their weights in the fit.

        >>> import suffice as sf
        >>> table = sf.datasets.load("play_tennis").to_frame()
        >>> model = sf.ID3Classifier().fit(table.drop(columns="play"), table["play"])
        >>> found = model.contributions(table.drop(columns="play"))
        >>> dict(zip(found.names, found.values[0, :, 1].round(2).tolist()))  # a sunny, humid morning
        {'outlook': -0.44, 'temperature': 0.0, 'humidity': -0.27, 'wind': 0.07}
        """
        self._check_fitted("tree_")
        tree = self.tree_
        values = self._rows(X, lambda chunk: column_contributions(tree, np.asarray(chunk.X, dtype=np.float64)))
        return Contributions(base_shares(tree), values, self._schema.names)

    def plot(self, max_depth: int | None = 3, ax: AxesLike = None) -> TreeDisplay:
        """The tree as a picture, down to some depth."""
        from .picture import multiway_display

        return multiway_display(self.rules(), max_depth).drawn(ax)

    def rules(self) -> MultiwayRules:
        """The tree as text, a line for each branch; `as_python`, `as_sql` and `newick` write it for programs."""
        self._check_fitted("tree_")
        return MultiwayRules(self.tree_, self._schema, self.classes_)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._tree(source))

    def _tree(self, source: Source) -> Step[Attributes]:
        categorical = np.isin(np.arange(len(self._schema)), list(self._categories(source)))
        chunk = source.gather(self.memory, "give fewer rows, or take DecisionTreeClassifier(splitter='histogram')")
        X = np.asarray(chunk.X, dtype=np.float64) + 0.0
        known = classes_of(np.asarray(chunk.y), chunk.weight, None, type(self).__name__)
        w = np.asarray(given_or_ones(chunk.weight, len(X)), dtype=np.float64)
        self._warn_of_light_rows(chunk.weight)
        unit = 1.0 if w.max() < _LARGE else float(w.max())  # their products with logarithms would be too large
        growth, k, w = self._growth(float(w.sum()), unit), len(known.classes), w / unit
        tree = growth.grown(X, known.code, w, k, categorical)
        gains = growth.gains(X[w > 0], known.code[w > 0], w[w > 0], k, categorical)
        cut, told = self._pruned(replace(tree, counts=tree.counts * unit))
        state = {"tree_": cut, "gain_": gains, "pruned_": told, "classes_": known.classes}
        wrong = (1.0 - cut.shares.max(axis=1)) * (cut.counts.sum(axis=1) / cut.counts[0].sum())
        return Step(state, float(wrong[cut.is_leaf].sum()))

    def _growth(self, weight: float, unit: float) -> Growth:
        split, leaf = self._least_weights(weight)
        return Growth(
            self._criterion, self.missing,
            most_depth=self._most_depth,
            least_split=split / unit, least_leaf=leaf / unit, least_gain=self.min_gain,
            most_p=1.0 if self.significance is None else self.significance,
        )  # fmt: skip

    def _pruned(self, tree: MultiwayTree) -> tuple[MultiwayTree, PrunedNodes]:
        weight = tree.counts.sum(axis=1)
        wrong = weight - tree.counts.max(axis=1)
        if self.confidence is None:
            cut, former, errors = tree, np.arange(len(tree)), wrong
        else:
            errors = pessimistic_errors(wrong, weight, self.confidence)
            cut, former = pruned(tree, errors)
        return cut, _told(tree, cut, former, errors / weight[0], self._schema.names)


def _told(tree: MultiwayTree, cut: MultiwayTree, former: Whole, errors: Floats, names: tuple[str, ...]) -> PrunedNodes:
    """What was cut, with the errors of the tree before and after."""
    leaf = tree.is_leaf.astype(np.int64)
    leaves, below = leaf.copy(), np.where(tree.is_leaf, errors, 0.0)
    for i in np.flatnonzero(~tree.is_leaf)[::-1]:
        own = slice(tree.first[i], tree.first[i] + tree.branches[i])
        leaves[i], below[i] = leaves[own].sum(), below[own].sum()
    node = np.flatnonzero(cut.is_leaf & ~tree.is_leaf[former])
    at = former[node]
    rise = errors[at] - below[at]
    after = below[0] + np.cumsum(rise)
    column = tree.column[at]
    return PrunedNodes(node, column, tuple(names[j] for j in column), leaves[at], after - rise, after)


def _shares(tree: MultiwayTree, chunk: Chunk) -> Floats:
    return tree.probabilities(np.asarray(chunk.X, dtype=np.float64))


def _leaves(tree: MultiwayTree, chunk: Chunk) -> NDArray[np.int64]:
    found, most = np.zeros(len(chunk), dtype=np.int64), np.zeros(len(chunk))
    for node, rows, part in tree.parts(np.asarray(chunk.X, dtype=np.float64)):
        better = part > most[rows] + 1e-12
        found[rows[better]], most[rows[better]] = node, part[better]
    return found
