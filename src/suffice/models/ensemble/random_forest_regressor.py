"""A random forest of numbers."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import estimator
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from .forest_regressor import ForestRegressor


@estimator
class RandomForestRegressor(ForestRegressor):
    """Many trees, each on rows drawn with replacement: ŷ(x) = Σ_t ŷ_t(x) / T, the mean of the means in their leaves.

    Every node looks at `max_features` columns, drawn anew; all by default, as in scikit-learn, where a third of them is
    often better. Splits lie between at most 255 bins of a column, and at every value where a column has no more. Rows
    are drawn by weight. With `oob_score=True` each row is predicted by the trees that did not draw it.

    The table is held as a byte a cell, so that a forest grows from files larger than memory, and is the same from an
    array, files and Dask, and for any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (400, 2))
    >>> y = np.sin(2 * X[:, 0]) * X[:, 1]
    >>> sf.RandomForestRegressor(50, oob_score=True, random_state=0).fit(X, y).oob_score_ > 0.8
    True
    """

    complexity = "max_depth"

    counterpart: ClassVar = Counterpart(
        "sklearn.ensemble",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE},
        absent={"ccp_alpha": "trees of a forest are not pruned; set min_samples_leaf"},
    )
