"""A tree that classifies."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Needs
from ...engine import Step
from ...estimator import Attributes, estimator
from ...growth import TreeRows, class_shares
from ...params import param
from ...scikit_learn import Counterpart
from .classes import TreeClassifier, classes_of
from .decision_tree import DecisionTree, mean_impurity


@estimator
class DecisionTreeClassifier(DecisionTree, TreeClassifier):
    """A tree of splits that make the classes of rows ever purer: P(c | x) is the share of class c in the leaf of x.

    A node with class shares p is split where Σ w · i(p) over both halves, by weight w, is least. i is the Gini impurity
    1 − Σ p², the entropy −Σ p log₂ p, or the error 1 − max p. Numbers are cut between two values, sets of categories
    are told apart by the order of their shares of a class, and missing values go to the side where they do better.
    Growth stops in pure leaves, or at the limits; a split that gains nothing is made (as for exclusive or).

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

    counterpart: ClassVar = Counterpart(
        "sklearn.tree", absent={"ccp_alpha": "use `prune`, which cuts a grown tree back"}
    )
    needs: ClassVar = Needs(target="classes", missing=True, categories=True)

    criterion: str = param(
        "gini",
        choices=("gini", "entropy", "log_loss", "error"),
        doc="The impurity that splits lower; log_loss is entropy.",
    )

    def _tree(self, rows: TreeRows) -> Step[Attributes]:
        known = classes_of(rows.y, rows.weight, self.class_weight, type(self).__name__)
        rows = known.weighted(rows)
        targets = known.targets(rows, self.criterion)
        nodes = self._grown(rows, targets)
        found = rows.trees(nodes, known.node_weights(targets, nodes), class_shares(targets, nodes.sums))
        whole = 0.0 if targets.criterion == "entropy" else float(found.weight[0])
        state = {"trees_": found, "classes_": known.classes}
        return Step(
            state, mean_impurity(targets, nodes, whole) / (np.log(2) if targets.criterion == "entropy" else 1.0)
        )
