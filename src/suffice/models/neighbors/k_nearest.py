"""What the models of the k nearest rows share."""

from __future__ import annotations

from ...estimator import declares
from ...params import param
from ...typing import TableLike
from .base import NeighborsModel, check_enough
from .training import Training
from .votes import Pairs, Weighing, by_distance, nearest_by_weight


@declares
class KNearest(NeighborsModel):
    """Base: a number of neighbours, and what they count by their distance."""

    n_neighbors: int = param(5, positional=True, integer=True, at_least=1, doc="How many rows decide, k.")
    weights: Weighing = param(
        "uniform",
        choices=("uniform", "distance"),
        accept=callable,
        allowed="a function of distances",
        doc="What a neighbour counts: 1, 1 / distance, or a function of an array of distances.",
    )

    def _check_enough(self, rows: Training) -> None:
        check_enough(type(self).__name__, self.n_neighbors, rows)

    def _pairs(self, X: TableLike) -> Pairs:
        self._check_enough(self._rows_fit)
        found = nearest_by_weight(self.index_, X, self.n_neighbors, self._rows_fit.weight)
        return by_distance(found, self.weights, type(self).__name__)
