"""Regression by the k nearest rows."""

from __future__ import annotations

from typing import ClassVar

from ...data import Needs
from ...estimator import estimator
from ...scikit_learn import JOBS, Counterpart
from .k_nearest import KNearest
from .targets import AveragingRegressor


@estimator
class KNeighborsRegressor(KNearest, AveragingRegressor):
    """The mean target of the k nearest rows: f(x) = Σᵢ wᵢ yᵢ / Σᵢ wᵢ over the k nearest rows i of x.

    wᵢ is 1, or falls with the distance. Rows that are as near as the k-th share what is left for them, so that the
    order of the rows does not matter. A row of sample weight 2 is two.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0.0], [1.0], [2.0], [10.0]]
    >>> sf.KNeighborsRegressor(2).fit(X, [0.0, 1.0, 4.0, 100.0]).predict([[1.4]])
    array([2.5])
    >>> sf.KNeighborsRegressor(2, weights="distance").fit(X, [0.0, 1.0, 4.0, 100.0]).predict([[1.4]]).round(2)
    array([2.2])
    """

    complexity = "-n_neighbors"

    read_late = ("n_neighbors", "weights")
    units = "common"

    counterpart: ClassVar = Counterpart(
        "sklearn.neighbors",
        ignored={
            "leaf_size": "the answer is the same",
            "n_jobs": JOBS,
        },
    )

    needs: ClassVar = Needs(target="numbers")
    in_unit_of_target = True
