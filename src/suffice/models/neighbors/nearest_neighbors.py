"""The nearest rows themselves."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Chunk, Needs
from ...estimator import estimator
from ...params import param
from ...scikit_learn import JOBS, Counterpart
from ...typing import Reals, TableLike
from .base import NeighborsModel, check_enough
from .training import Training
from .votes import nearest_by_weight


@estimator
class NearestNeighbors(NeighborsModel):
    """The nearest rows of a table: the k rows i with the least d(x, xᵢ), or all with d(x, xᵢ) ≤ r; of equals the first.

    Rows from files that do not fit into `memory` stay there, and every question is one pass over them.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.NearestNeighbors(n_neighbors=2).fit([[0.0], [1.0], [3.0]])
    >>> distances, rows = model.kneighbors([[0.9]])
    >>> distances.round(2), rows
    (array([[0.1, 0.9]]), array([[1, 0]]))
    >>> model.radius_neighbors([[0.9]], 0.5)[1]
    array([array([1])], dtype=object)
    >>> model.kneighbors_graph(n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """

    read_late = ("n_neighbors",)

    counterpart: ClassVar = Counterpart(
        "sklearn.neighbors",
        ignored={
            "leaf_size": "the answer is the same",
            "n_jobs": JOBS,
        },
    )

    needs: ClassVar = Needs()
    n_neighbors: int = param(5, integer=True, at_least=1, doc="How many rows, k.")
    radius: float = param(1.0, number=True, at_least=0, doc="How far they may be for radius_neighbors.")

    def _check_enough(self, rows: Training) -> None:
        check_enough(type(self).__name__, self.n_neighbors, rows)

    def score_samples(self, X: TableLike) -> Reals:
        """Minus the distance to the k-th nearest row, (m,): the lower, the lonelier the row."""
        return self._rows(X, self._score)

    def _score(self, chunk: Chunk) -> Reals:
        self._check_enough(self._rows_fit)
        pairs = nearest_by_weight(self.index_, chunk.X, self.n_neighbors, self._rows_fit.weight)
        last = np.searchsorted(pairs.query, np.arange(pairs.m), side="right") - 1
        return -pairs.distance[last].astype(chunk.X.dtype)
