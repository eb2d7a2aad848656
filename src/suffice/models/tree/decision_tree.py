"""What single trees share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.growth import Draws, Nodes, Targets
from ...backend.growth.scores import scores, weights_of
from ...data import Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, declares
from ...growth import TreeRows, seeds_of
from ...holds import require
from ...params import derived, param
from ...randomness import generator
from ...typing import Whole
from ..cluster.alternation import memory_param
from .pruned import PrunedTree
from .task import Task


@declares
class DecisionTree(PrunedTree):
    """Base of single trees."""

    splitter: str = param(
        "best",
        choices=("best", "histogram", "random"),
        doc="Cuts between all values of a column; between at most 255 bins, from any source; or one at random.",
    )
    memory: int = memory_param(
        "rows from files or Dask, which splitter='histogram' puts into temporary files beyond it,"
    )

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

    def _tree_rows(self, source: Source) -> TreeRows:
        exact = self.splitter != "histogram"
        return TreeRows.of(source, self._categories(source), exact, self.memory, whole=self._needs_all_rows())

    def _needs_all_rows(self) -> str:
        """What to do without all rows in memory, where they are needed; else nothing."""
        if self.ccp_alpha == "cv":
            return "set ccp_alpha to a number"
        return "set monotonic_cst=None" if self.monotonic_cst is not None else ""

    def _grown(self, task: Task, times: Whole | None = None) -> Nodes:
        """The nodes of the tree, or of one tree for each row of `times` (trees, n), how often each row counts."""
        d, count = len(task.rows.table.places), 1 if times is None else len(times)
        limits = self._limits(d, float(task.weight.sum()), random_cuts=self.splitter == "random")
        seed = seeds_of(generator(self.random_state), 1)
        draws = Draws(np.repeat(seed, count), None if times is None else times.astype(np.int32))
        return task.rows.grown(task.targets, limits, draws, self._monotone(d))[0]

    def _learn(self, source: Source, rows: TreeRows | None = None) -> Outcome[Attributes]:
        """`rows` are those of the source, where they were sorted or coded already, with the weights to learn from."""
        return closed_form(lambda: self._tree(self._task(self._tree_rows(source) if rows is None else rows)))

    def _tree(self, task: Task) -> Step[Attributes]:
        nodes = self._grown(task)
        state = self._pruned(task, task.trees(nodes), task.impurity(nodes))
        return Step({**task.learned, **state}, state["impurity_"])

    def _task(self, rows: TreeRows) -> Task:
        raise TypeError(f"{type(self).__name__} does not define _task")


def mean_impurity(targets: Targets, nodes: Nodes, whole: float) -> float:
    """The impurity of the leaves by weight, where `whole` is the score of rows that are each alone in a leaf."""
    leaf = nodes.sums[nodes.column < 0]
    weight = float(weights_of(targets, leaf).sum())
    return max(0.0, whole - float(scores(targets, leaf).sum())) / max(weight, 1e-300)
