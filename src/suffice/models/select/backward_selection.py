"""Greedy backward selection of columns."""

from __future__ import annotations

from ...estimator import estimator
from .stepwise import Stepwise


@estimator
class BackwardSelection(Stepwise):
    """Columns left out one after the other: s_i = argmin_j L(S ∖ {j}), with L the error of rows left out.

    It begins with all columns, and leaves out in each step the one without which cross-validation is best. So columns
    that help only together stay together, which `ForwardSelection` may overlook; where columns are many it takes
    longer. Least squares and ridge regression (`rmse` or `mse`) need one pass over the rows, as there.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> y = X[:, 0] * X[:, 1] > 0  # neither column says anything alone
    >>> model = sf.BackwardSelection(sf.DecisionTreeClassifier(max_depth=4)).fit(X, y)
    >>> model.get_support(indices=True)
    array([0, 1])
    """

    _forward = False
