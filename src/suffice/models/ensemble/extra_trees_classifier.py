"""Extremely randomised trees of classes."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...params import param
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from .forest_classifier import ForestClassifier


@estimator
class ExtraTreesClassifier(ForestClassifier):
    """A forest whose cuts are drawn at random: P(c | x) = Σ_t p_t(c | x) / T, the best of a few cuts taken.

    Of each of √d columns a node draws one cut, uniformly between the least and the greatest value there (Geurts, Ernst
    and Wehenkel, 2006), and splits at the best of these. Cuts lie at the edges of at most 255 bins of a column.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.ExtraTreesClassifier(50, random_state=0).fit(iris.matrix(), iris["species"])
    >>> model.score(iris.matrix(), iris["species"])
    1.0
    """

    complexity = "max_depth"

    counterpart: ClassVar = Counterpart(
        "sklearn.ensemble",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE},
        absent={"ccp_alpha": "trees of a forest are not pruned; set min_samples_leaf"},
    )
    _random_cuts: ClassVar = True

    bootstrap: bool = param(
        False, choices=(True, False), doc="Whether each tree sees rows drawn with replacement; else all, or a subset."
    )
