"""Agglomerative clustering: a hierarchy from the bottom."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...backend.linkage import LINKAGES, OF_SQUARES
from ...distances import Distance
from ...errors import InvalidParameter
from ...estimator import estimator
from ...params import as_float, param
from ...scikit_learn import Counterpart
from ...typing import Reals
from ..dissimilarity import metric_param
from .base import HierarchicalClusterer, memory_param
from .build import merges_of, merges_of_matrix
from .tree import Hierarchy


@estimator
class AgglomerativeClustering(HierarchicalClusterer):
    """Merge the two nearest clusters until one is left, and cut the tree: each merge has the least d(A, B) of all.

    The linkage makes d(A, B) of all d(a, b): the least (single), the greatest (complete), their mean (average), the
    mean of the parts merged before (weighted), the distance of the centroids (centroid) or of the midpoints of
    midpoints (median), or `√(2 |A| |B| / (|A| + |B|))` times that of the centroids, the growth of
    the squares within (ward). Heights of centroid and median may fall.

    A weight is the size that a row begins with. Single, ward, centroid and median need O(n) memory, the others at most
    0.36 n² distances, in the precision of X; up to 2,048 rows all distances are kept where `memory` allows it.

    Examples
    --------
    >>> import numpy as np
    >>> import suffice as sf
    >>> X = np.array([[0.0], [1.0], [5.0], [6.5], [20.0]])
    >>> model = sf.AgglomerativeClustering(2, linkage="average").fit(X)
    >>> model.labels_, model.distances_
    (array([0, 0, 0, 0, 1]), array([ 1.   ,  1.5  ,  5.25 , 16.875]))
    >>> model.cut(height=2.0)
    array([0, 0, 1, 1, 2])
    """

    units = "common"

    counterpart: ClassVar = Counterpart(
        "sklearn.cluster",
        ignored={
            "compute_full_tree": "the tree is always built whole",
            "compute_distances": "`distances_` are always there",
        },
        absent={"connectivity": "clusters are merged by distance alone; give distances with metric='precomputed'"},
    )

    linkage: str = param("ward", choices=LINKAGES, doc="The distance of two clusters.")
    metric: object = metric_param()
    distance_threshold: float | None = param(
        None, number=True, at_least=0, choices=(None,), doc="Keep the merges below this height: `height` without it."
    )
    memory: int | None = memory_param()

    def _allows_missing(self) -> bool:
        return self.linkage not in OF_SQUARES

    def _height(self) -> float | None:
        if self.distance_threshold is None:
            return self.height
        if self.height is not None:
            raise InvalidParameter(
                f"{type(self).__name__}: height and distance_threshold say the same; got {self.height!r} and "
                f"{self.distance_threshold!r}. Leave one out."
            )
        return float(np.nextafter(as_float(self.distance_threshold), -np.inf))

    def _merged(self, X: Reals, measure: Distance | None, weight: NDArray[np.float64]) -> Hierarchy:
        owner, unit = type(self).__name__, _unit(weight)
        sizes = weight if unit == 1.0 else weight / unit
        if measure is None:
            merges = merges_of_matrix(owner, X, self.linkage, sizes, self._memory)
        else:
            merges = merges_of(owner, X, measure, self.linkage, sizes, self._memory)
        if self.linkage == "ward" and unit != 1.0:  # the only one whose heights depend on the unit of the weights
            merges = replace(merges, heights=merges.heights * np.sqrt(unit))
        return Hierarchy.of(merges, weight)


def _unit(weight: NDArray[np.float64]) -> float:
    """In what unit the weights are multiplied without overflow: 1, but for very large and very small ones."""
    largest = float(weight.max())
    return 1.0 if 1e-100 < largest < 1e100 else float(2.0 ** np.floor(np.log2(largest)))


Agglomerative = AgglomerativeClustering  # pickles and files of earlier versions name it so
