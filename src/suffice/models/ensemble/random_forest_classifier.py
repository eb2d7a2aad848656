"""A random forest of classes."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from .forest_classifier import ForestClassifier


@estimator
class RandomForestClassifier(ForestClassifier):
    """Many trees, each on rows drawn with replacement: P(c | x) = Σ_t p_t(c | x) / T, the mean of their leaves' shares.

    Every node looks at a few columns, √d by default, drawn anew, so that the trees differ and their mean errs less than
    each of them. Splits lie between at most 255 bins of a column, and at every value where a column has no more. Rows
    are drawn by weight. With `oob_score=True` each row is predicted by the trees that did not draw it.

    The table is held as a byte a cell, so that a forest grows from files larger than memory, and is the same from an
    array, files and Dask, and for any number of threads.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.RandomForestClassifier(50, oob_score=True, random_state=0).fit(iris.matrix(), iris["species"])
    >>> model.oob_score_ > 0.9, model.feature_importances_.argmax() in (2, 3)
    (True, True)
    """

    complexity = "max_depth"

    counterpart: ClassVar = Counterpart(
        "sklearn.ensemble",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE},
        absent={"ccp_alpha": "trees of a forest are not pruned; set min_samples_leaf"},
    )
