"""Extremely randomised trees of numbers."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...params import param
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from .forest_regressor import ForestRegressor


@estimator
class ExtraTreesRegressor(ForestRegressor):
    """A forest whose cuts are drawn at random: ŷ(x) = Σ_t ŷ_t(x) / T, on all rows, the best of the drawn cuts taken.

    Of each column a node draws one cut, uniformly between the least and the greatest value there (Geurts, Ernst and
    Wehenkel, 2006), and splits at the best of these. Cuts lie at the edges of at most 255 bins of a column.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (400, 2))
    >>> model = sf.ExtraTreesRegressor(50, min_samples_leaf=3, random_state=0).fit(X[:300], X[:300, 0] ** 2)
    >>> model.score(X[300:], X[300:, 0] ** 2) > 0.9
    True
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
