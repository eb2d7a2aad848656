"""C4.5: a tree of categories and numbers by gain ratio, pruned."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...params import param
from .limits import weight_param
from .multiway import MultiwayTreeModel


@estimator
class C45Classifier(MultiwayTreeModel):
    """A tree with a branch for each category, split by gain ratio and pruned pessimistically (Quinlan, 1993).

    Of the columns whose information gain is at least the mean of all, the one is taken whose gain is greatest in
    relation to the entropy of its branches, so that many categories are no merit by themselves. A column of numbers is
    cut in two where the gain is greatest. Rows with a missing value go down all branches, with parts of their weight as
    large as the branches are, in a fit and in predictions; the gain counts for the part of the weight that is known.
    Afterwards branches go where the parent alone has no more errors to expect, with `confidence`.

    As everywhere in Suffice, cuts lie in the middle between two values, weights count as repeated rows, and a split
    that gains nothing by itself is made, since the next one may gain.

    Examples
    --------
    >>> import suffice as sf
    >>> table = sf.datasets.load("play_tennis").to_frame()
    >>> X, y = table.drop(columns="play"), table["play"]
    >>> X.loc[11, "outlook"] = None
    >>> model = sf.C45Classifier().fit(X, y)
    >>> round(float(model.gain_[0]), 3), model.predict_proba(X[11:12]).round(2)
    (0.199, array([[0.57, 0.43]]))
    """

    complexity = "max_depth"

    proposed = False  # DecisionTreeClassifier takes the same tables, and is quicker

    min_samples_leaf: float = weight_param(2, 0, "The least weight that at least two branches of a split have")
    confidence: float | None = param(
        0.25, number=True, above=0, below=1, choices=(None,),
        doc="How sure pessimistic pruning is; the lower, the more is cut. None: nothing is pruned.",
    )  # fmt: skip

    _criterion: ClassVar = "gain_ratio"
