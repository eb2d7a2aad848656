"""A map whose new rows are put as far from their neighbours as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend import scaling
from ...backend.neighbors import Within
from ...holds import instance
from ...typing import Floats, Numbers, Whole
from .graph_embedding import landed
from .map import Map
from .neighbourhood import Neighbourhood


@dataclass(frozen=True)
class LengthMap(Map):
    """A new row goes to the z of least Σⱼ (1 − ‖z − zⱼ‖ / d(x, xⱼ))² over its neighbours j among the objects.

    The search begins at the nearest of them and at their mean by 1 / d²; a row at distance 0 goes where the object is.
    """

    near: Neighbourhood

    holds: ClassVar = {"near": instance(Neighbourhood, m="m", d="d")}

    def places(self, X: Numbers) -> Floats:
        def place(some: Numbers) -> Floats:
            lists = self.near.lists(some)
            return landed(lists, self._placed(lists), self.points)

        return self.near.compared.by_blocks(X, self.points.shape[1], place)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.near.compared.among(some)

    def _placed(self, lists: Within) -> Floats:
        q, m = len(lists.ends), len(self.points)
        starts = lists.starts()
        row = lists.queries()
        weight, target = np.zeros((q, m)), np.zeros((q, m))
        nearest = np.where(lists.distances[starts] > 0, lists.distances[starts], 1.0)[row]
        own = (nearest / np.maximum(lists.distances, nearest)) ** 2
        weight[row, lists.rows], target[row, lists.rows] = own, lists.distances
        total = np.add.reduceat(own, starts)[:, None]
        means = np.add.reduceat(own[:, None] * self.points[lists.rows], starts, axis=0) / total
        first = np.stack([means, self.points[lists.rows[starts]]], axis=1)
        places, _ = scaling.placed(self.points, np.ones(m), target, first, weight)
        return np.asarray(places)
