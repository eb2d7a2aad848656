"""What single trees share."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ...backend.growth import Draws
from ...data import Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, declares
from ...growth import TreeRows, Trees, seeds_of
from ...growth.pruning import cut_back
from ...growth.significance import best_first
from ...growth.trees import Numbers32
from ...holds import require
from ...params import derived, param
from ...randomness import generator
from ...typing import Floats, Whole
from ..cluster.alternation import memory_param
from .limits import significance_param
from .pruned import PrunedTree
from .task import Grown, Task
from .view import TreeView


@declares
class DecisionTree(PrunedTree):
    """Base of single trees."""

    splitter: str = param(
        "best",
        choices=("best", "histogram", "random"),
        doc="Cuts between all values of a column; between at most 255 bins, from any source; or one at random.",
    )
    significance: float | None = significance_param("a test of both halves (χ² of classes, F of means)")
    memory: int = memory_param("rows from files or Dask, which histograms put into temporary files beyond it,")

    _is_one_tree: ClassVar = True

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.trees_) == 1, "trees_ must hold one tree")

    @derived
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return int(self.trees_.leaf_counts[0])

    @derived
    def depth_(self) -> int:
        """The most splits above a leaf."""
        return int(self.trees_.depths.max())

    def get_depth(self) -> int:
        """The most splits above a leaf."""
        self._check_fitted("trees_")
        return self.depth_

    def get_n_leaves(self) -> int:
        """The number of leaves."""
        self._check_fitted("trees_")
        return self.n_leaves_

    @property
    def tree_(self) -> TreeView:
        """The nodes under scikit-learn's names, to be read by code that was written for its trees.

        >>> import suffice as sf
        >>> tree = sf.DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [8.0]], [0.0, 1.0, 5.0]).tree_
        >>> tree.children_left, tree.threshold, tree.n_node_samples
        (array([ 1, -1, -1]), array([ 5., -2., -2.]), array([3, 2, 1]))
        """
        self._check_fitted("trees_")
        trees, owner = self.trees_, type(self).__name__
        if trees.has_set.any():
            j = int(trees.column[np.argmax(trees.has_set)])
            raise AttributeError(
                f"{owner}: tree_ has thresholds only, and this tree splits {self._schema.describe(j)} by sets of "
                "categories; read trees_ or rules(), or fit columns of 0 and 1, as by OneHotEncoder."
            )
        return TreeView(trees, len(getattr(self, "classes_", ())), self._known_impurities())

    def _known_impurities(self) -> Floats | None:
        """Those of the nodes; None of a tree of a forest."""
        return self.__dict__.get("impurities_")

    def _tree_rows(self, source: Source) -> TreeRows:
        exact = self.splitter != "histogram"
        return TreeRows.of(source, self._categories(source), exact, self.memory, whole=self._needs_all_rows())

    def _needs_all_rows(self) -> str:
        """What to do without all rows in memory, where they are needed; else nothing."""
        if self.ccp_alpha == "cv":
            return "set ccp_alpha to a number"
        return "set monotonic_cst=None" if self.monotonic_cst is not None else ""

    def _grown(self, task: Task, times: Whole | None = None) -> list[Grown]:
        """The tree, or one tree for each row of `times` (trees, n), how often each row counts."""
        d, count = len(task.rows.table.places), 1 if times is None else len(times)
        limits = self._limits(d, task.total, random_cuts=self.splitter == "random")
        if times is None:
            self._warn_of_light_rows(task.rows.weight)
        if self.significance is not None:
            limits = replace(limits, most_leaves=np.inf, best_first=False)
        by_chance = limits.random_cuts or limits.tried < d
        seed = seeds_of(generator(self.random_state), 1) if by_chance else np.zeros(1, dtype=np.int64)
        draws = Draws(np.repeat(seed, count), None if times is None else times.astype(np.int32))
        judged = times is None or self.significance is not None
        monotone = self._constraints(d, task.targets)
        nodes, leaf = task.rows.grown(task.targets, limits, draws, monotone, judged and task.by_rows)
        trees = task.trees(nodes)
        if not judged:
            return [Grown(trees[t]) for t in range(count)]
        weights = [task.weight] if times is None else [task.weight * own for own in times]
        return [self._tested(task, trees[t], None if leaf is None else leaf[t], weights[t]) for t in range(count)]

    def _tested(self, task: Task, tree: Trees, leaf: Numbers32 | None, weight: Floats) -> Grown:
        """A tree with its impurities; where splits are tested, without those that growth would not have come to."""
        impurities = task.impurities(tree, leaf, weight)
        if self.significance is None:
            return Grown(tree, impurities)
        made = tree.is_inner & (task.chances(tree, impurities) <= self.significance)
        if self.max_leaf_nodes is not None:
            made = best_first(tree, made, self.max_leaf_nodes)
        stopped, former = cut_back(tree, made)
        return Grown(stopped, impurities[former])

    def _learn(self, source: Source, rows: TreeRows | None = None) -> Outcome[Attributes]:
        """`rows` are those of the source, where they were sorted or coded already, with the weights to learn from."""
        return closed_form(lambda: self._tree(self._task(self._tree_rows(source) if rows is None else rows)))

    def _tree(self, task: Task) -> Step[Attributes]:
        state = self._pruned(task, self._grown(task)[0])
        return Step({**task.learned, **state}, state["impurity_"])

    def _task(self, rows: TreeRows) -> Task:
        raise TypeError(f"{type(self).__name__} does not define _task")
