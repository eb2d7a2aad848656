"""A map whose new rows are put where their own fuzzy cross-entropy is least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend import embedding
from ...backend.embedding import Curve
from ...backend.neighbors import Within
from ...backend.weights import running_mass
from ...holds import floats, instance, number, whole
from ...typing import Floats, Numbers, Whole
from .fuzzy_graph import memberships
from .map import Map
from .neighbourhood import Neighbourhood
from .resting import rested

_AGAINST = 1000  # objects that a new row is pushed from at the most, drawn by their mass
_NUMBERS = 2  # that a new row takes for each of them


@dataclass(frozen=True)
class FuzzyMap(Map):
    """A new row x goes to the z of least Σⱼ μⱼ (−2 log νⱼ − r Σ mean log(1 − νₗ)), where the objects j and l stay.

    μ are its memberships of its neighbours j, times their masses, and the l as many objects as are drawn for an edge.
    """

    near: Neighbourhood
    mass: Floats
    n_neighbors: float
    local_connectivity: float
    a: float
    b: float
    repulsion: float
    negatives: int

    holds: ClassVar = {
        "near": instance(Neighbourhood, m="m", d="d"),
        "mass": floats("m", above=0),
        "n_neighbors": number(at_least=2),
        "local_connectivity": number(at_least=0),
        "a": number(above=0),
        "b": number(above=0),
        "repulsion": number(at_least=0),
        "negatives": whole(),
    }

    def places(self, X: Numbers) -> Floats:
        k, width = self.points.shape[1], _NUMBERS * min(_AGAINST, len(self.points))
        return self.near.compared.by_blocks(X, k, lambda some: self._placed(self.near.lists(some)), width)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.near.compared.among(some)

    def _placed(self, lists: Within) -> Floats:
        q = len(lists.ends)
        own = memberships(lists, self.n_neighbors, self.local_connectivity) * self.mass[lists.rows]
        total = np.maximum(np.add.reduceat(own, lists.starts()), 1e-300) if q else np.empty(0)
        share = own / np.repeat(total, np.diff(lists.ends, prepend=0))
        against = self._against()
        others, ends = np.tile(against, q), np.arange(1, q + 1) * len(against)
        push = np.full(len(others), self.repulsion * self.negatives / len(against))
        curve = Curve(self.a, self.b)

        def look(places: Floats) -> embedding.Field:
            pulled = embedding.pull(places, self.points, lists.ends, lists.rows, 2 * share, True, curve)
            pushed = embedding.pull(places, self.points, ends, others, push, True, curve.other())
            assert pulled.curve is not None
            assert pushed.curve is not None
            return embedding.Field(
                pulled.value + pushed.value, pulled.slope + pushed.slope, pulled.curve + pushed.curve
            )

        return rested(lists, self.points, share, look)

    def _against(self) -> Whole:
        """All objects, each as often as its share of the mass says, or some of them by even steps through it."""
        m = len(self.points)
        if m <= _AGAINST and np.all(self.mass == self.mass[0]):
            return np.arange(m)
        even = (np.arange(_AGAINST) + 0.5) / _AGAINST
        return running_mass(self.mass, m).rows(even).astype(np.int64)
