"""A tree that classifies."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from ...data import Needs
from ...estimator import estimator
from ...growth import TreeRows, class_shares
from ...growth.pruning import pessimistic_errors
from ...growth.significance import class_splits
from ...params import check_argument, param
from ...scikit_learn import Counterpart
from ...typing import Floats
from .classes import IMPURITIES, TreeClassifier, classes_of
from .decision_tree import DecisionTree
from .task import Task


@estimator
class DecisionTreeClassifier(TreeClassifier, DecisionTree):
    """A tree of splits that make the classes of rows ever purer: P(c | x) is the share of class c in the leaf of x.

    A node with class shares p is split where Σ w · i(p) over both halves, by weight w, is least. i is the Gini impurity
    1 − Σ p², the entropy −Σ p log₂ p, or the error 1 − max p. Numbers are cut between two values, sets of categories
    are told apart by the order of their shares of a class, and missing values go to the side where they do better.
    Growth stops in pure leaves, or at the limits; a split that gains nothing is made (as for exclusive or).

    Information gain is `criterion="entropy"`. For gain ratio, a branch for each category, and missing values by
    fractions or in a branch of their own, take `C45Classifier` or `ID3Classifier`.

    Weights count as repeated rows. With `splitter="histogram"`, of at most 255 bins a column, the tree is the same from
    an array, from files and from Dask; so is the exact one, whose rows are gathered in memory.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.DecisionTreeClassifier(max_depth=2).fit(iris.matrix(), iris["species"])
    >>> model.n_leaves_, model.score(iris.matrix(), iris["species"])
    (3, 0.96)
    """

    complexity = "max_depth"

    counterpart: ClassVar = Counterpart("sklearn.tree")
    needs: ClassVar = Needs(target="classes", missing=True, sparse=True, categories=True)

    criterion: str = param(
        "gini",
        choices=("gini", "entropy", "log_loss", "error"),
        doc="The impurity that splits lower; log_loss is entropy.",
    )

    def _task(self, rows: TreeRows) -> Task:
        known = classes_of(rows.y, rows.weight, self.class_weight, type(self).__name__, rows.classes)
        rows = known.weighted(rows)
        targets = known.targets(rows, self.criterion)
        impurity = IMPURITIES[targets.criterion]
        return Task(
            rows, targets,
            values=lambda nodes: class_shares(targets, nodes.sums),
            impurities=lambda tree, leaf, weight: impurity(tree.value),
            chances=lambda tree, impurities: class_splits(tree),
            truth=known.code,
            by_rows=False,
            unit=float(np.log(2)) if targets.criterion == "entropy" else 1.0,
            learned={"classes_": known.classes},
        )  # fmt: skip

    def _known_impurities(self) -> Floats:
        criterion = "entropy" if self.criterion == "log_loss" else self.criterion
        return IMPURITIES[criterion](self.trees_.value)

    def prune_pessimistically(self, confidence: float = 0.25) -> Self:
        """A copy of the model, pruned by the errors to be expected of its leaves, as in C4.5 (Quinlan, 1993).

        A leaf with so many errors among its rows may have more among others: as many as have a probability of
        `confidence` not to be exceeded. A subtree whose root alone has no more of them becomes a leaf. The lower the
        confidence, the more goes; `pruned_` of the copy says what.
        """
        self._check_fitted("trees_")
        check_argument(type(self).__name__, "confidence", confidence, number=True, above=0, below=1)
        tree = self.trees_
        wrong = tree.weight * (1.0 - tree.value.max(axis=1))
        return self._replaced(pessimistic_errors(wrong, tree.weight, confidence) / tree.weight[0])
