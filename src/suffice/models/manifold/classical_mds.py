"""Classical multidimensional scaling: a map whose inner products are nearest to those of the objects."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import Source
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import derived, learned, param
from ...scikit_learn import Counterpart
from ...typing import Floats
from .classical import Scaled, scaled
from .corrections import Correction
from .objects import Objects
from .scaling import Scaling


@estimator
class ClassicalMDS(Scaling):
    """Classical multidimensional scaling: the map Z whose inner products are nearest to those of the objects.

    It minimises the strain Σᵢⱼ (bᵢⱼ − zᵢ·zⱼ)², where B = −½ J D² J has the inner products about their mean that points
    at the distances D would have. With the eigenvalues λ of B, the coordinates are √λ times its eigenvectors
    (Torgerson, 1952). Of Euclidean distances of rows they are principal component scores, and found so without any
    pairs. Other dissimilarities may give negative eigenvalues, of which no map can be made: `correction` adds a number
    to all dissimilarities, or to their squares, so that there are none. New rows are placed by Gower's formula.

    Examples
    --------
    >>> import suffice as sf
    >>> cities = sf.datasets.load("us_city_distances")
    >>> model = sf.ClassicalMDS(2, metric="precomputed").fit(cities.matrix())
    >>> model.eigenvalues_.round(), model.goodness_of_fit_.round(4)
    (array([9582144., 1686820.]), array([0.9954, 0.9991]))
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.manifold",
        absent={"metric_params": "give the distance itself, such as suffice.distances.Minkowski(p=3)"},
    )

    correction: Correction = param(
        "none",
        choices=("none", "additive", "squared"),
        doc="What is done to dissimilarities without a map: nothing, a number is added to them (Cailliez), or to their "
        "squares (Lingoes).",
    )

    eigenvalues_: Floats = learned("The eigenvalues of the coordinates, falling, (k,).", holds=floats("k"))
    correction_: float = learned("What was added to all dissimilarities, or to their squares.")
    holds: ClassVar = {"_weights_of_fit": floats("m", above=0)}

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._solved(objects, source))

    def _solved(self, objects: Objects, source: Source) -> Step[Attributes]:
        compared = self._comparison(objects, source)
        found = scaled(compared, objects.weight, self.n_components, self.correction, lambda: self._pairs(compared, 3))
        return Step(self._attributes(found, objects), found.strain)

    def _attributes(self, found: Scaled, objects: Objects) -> Attributes:
        return {
            "eigenvalues_": found.eigenvalues,
            "correction_": found.added,
            "_map": found.map,
            "_places": found.map.points,
            "_weights_of_fit": objects.weight,
        }

    @derived
    def all_eigenvalues_(self) -> Floats:
        """All eigenvalues of B, as many as different rows, falling."""
        self._check_fitted("embedding_")
        found: Floats = self._map.eigenvalues(self._weights_of_fit)
        return found

    @derived
    def goodness_of_fit_(self) -> Floats:
        """What the eigenvalues of the coordinates are of the sum of all: of their sizes, and of those above 0, (2,)."""
        every = self.all_eigenvalues_
        shown = float(np.maximum(self.eigenvalues_, 0.0).sum())
        sums = np.array([np.abs(every).sum(), np.maximum(every, 0.0).sum()])
        return np.where(sums > 0, shown / np.where(sums > 0, sums, 1.0), 1.0)
