"""k-modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ...data import Source
from ...estimator import estimator
from ...params import has_dimensions, param
from ...randomness import random_state_param
from ...typing import Floats, RandomState
from .alternation import max_iter_param, n_clusters_param, n_init_param
from .mixed import MixedClusterer
from .prototypes import Rows, cao, huang, spread


@estimator
class KModes(MixedClusterer):
    """Clusters around modes: minimise Σᵢ wᵢ Σⱼ [xᵢⱼ ≠ m_c(i)j] over the modes m and the clusters c(i).

    Every column is categorical: text, or numbers whose distinct values are the categories. An iteration puts each row
    to the nearest mode, the first among equals, counts the categories of each cluster, and takes the most frequent of
    each column, the smallest among equals; so it is one pass over any source. A cluster without rows gets the row
    farthest from its mode, one cluster an iteration. Where an iteration changes nothing, distinct rows are moved one
    by one while that lowers the objective, their modes going with them. Missing cells are left out of the distances
    and the counts.

    Examples
    --------
    >>> import suffice as sf
    >>> import pandas as pd
    >>> pets = pd.DataFrame({"animal": ["cat", "cat", "dog", "dog"], "colour": ["red", "red", "tan", "tan"]})
    >>> model = sf.KModes(2, init="cao").fit(pets)
    >>> model.labels_.tolist(), model.cluster_centers_.tolist(), model.inertia_
    ([0, 0, 1, 1], [['cat', 'red'], ['dog', 'tan']], 0.0)
    """

    complexity = "n_clusters"

    units = "columns"
    squares = False

    exemptions: ClassVar[Mapping[str, str]] = {
        "check_clustering": "its rows are real numbers, no two alike, so that no two rows share a category",
    }

    n_clusters: int = n_clusters_param()
    init: object = param(
        "huang",
        choices=("huang", "cao", "random"),
        accept=lambda value: has_dimensions(value, 2),
        allowed="an array (n_clusters, d)",
        doc="The first modes: rows near to combinations drawn by the shares of the categories (Huang, 1998), rows of "
        "frequent categories far from each other (Cao et al., 2009), different rows drawn by weight, or these.",
    )
    n_init: int = n_init_param()
    max_iter: int = max_iter_param(100)
    random_state: RandomState = random_state_param()

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        group = rng.integers(0, 5, n)
        common = rng.integers(0, 4, (5, 6))[group]  # (n, 6)
        return np.where(rng.random((n, 6)) < 0.7, common, rng.integers(0, 4, (n, 6))).astype(np.float64), None

    @property
    def cost_(self) -> float:
        """The objective at the end: another name of `inertia_`."""
        return self.inertia_

    def _categorical(self, source: Source) -> tuple[int, ...]:
        return tuple(range(len(source.schema)))

    def _starts(self, rows: Rows, rng: np.random.Generator) -> list[Floats]:
        if self.init == "huang":
            return huang(rows, self.n_clusters, rng)
        return cao(rows, self.n_clusters) if self.init == "cao" else spread(rows, self.n_clusters, False, rng)
