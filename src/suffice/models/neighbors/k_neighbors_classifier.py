"""Classification by the k nearest rows."""

from __future__ import annotations

from typing import ClassVar

from ...data import Needs
from ...estimator import estimator
from ...scikit_learn import JOBS, Counterpart
from .classes import VotingClassifier
from .k_nearest import KNearest


@estimator
class KNeighborsClassifier(KNearest, VotingClassifier):
    """The class of most of the k nearest rows: P(c | x) = Σᵢ wᵢ [yᵢ = c] / Σᵢ wᵢ over the k nearest rows i of x.

    wᵢ is 1, or falls with the distance. Rows that are as near as the k-th share the votes that are left for them, so
    that the order of the rows does not matter. A row of sample weight 2 is two.
    Missing values are left out of the distances that allow it; rows can be added (`partial_fit`) and removed.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0]]
    >>> model = sf.KNeighborsClassifier(3).fit(X, ["low", "low", "low", "high", "high"])
    >>> model.predict([[1.5], [9.0]]).tolist()
    ['low', 'high']
    >>> model.predict_proba([[9.0]]).round(2)
    array([[0.67, 0.33]])
    >>> model.index_.reason
    'all rows are compared: with 5 rows of 1 columns a tree would not pay'
    """

    complexity = "-n_neighbors"

    read_late = ("n_neighbors", "weights", "ties")
    units = "common"

    counterpart: ClassVar = Counterpart(
        "sklearn.neighbors",
        ignored={
            "leaf_size": "the answer is the same",
            "n_jobs": JOBS,
        },
    )

    needs: ClassVar = Needs(target="classes")
