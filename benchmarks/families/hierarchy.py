"""Hierarchies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.cluster as sk
from scipy.cluster import hierarchy

from suffice.models.hierarchy import AgglomerativeClustering, Divisive

from .contest import UNGROUPED, Contest, at_most, is_installed
from .tables import Table


class LinkagePeer:
    """A function that gives SciPy's matrix of merges, as an estimator."""

    def __init__(self, linkage: str, package: str = "scipy") -> None:
        self.linkage, self.package = linkage, package

    def fit(self, X: np.ndarray) -> LinkagePeer:
        """The heights of the merges, and the labels of two clusters."""
        if self.package == "scipy":
            merges = hierarchy.linkage(X, self.linkage)
        else:
            import fastcluster  # type: ignore[import-not-found]

            vector = self.linkage in ("ward", "single")
            merges = (fastcluster.linkage_vector if vector else fastcluster.linkage)(X, self.linkage)
        self.distances_, self.labels_ = merges[:, 2], hierarchy.fcluster(merges, 2, "maxclust")
        return self


def _by_fastcluster(**options: Any) -> LinkagePeer:
    return LinkagePeer(**options, package="fastcluster")


def _same_heights(ours: Any, theirs: Any, table: Table) -> None:
    if hasattr(theirs, "distances_"):
        tolerance = 1e-3 if table.X.dtype == np.float32 else 1e-8
        np.testing.assert_allclose(np.sort(ours.distances_), np.sort(theirs.distances_), rtol=tolerance, atol=1e-6)
    else:
        np.testing.assert_array_equal(np.sort(np.bincount(ours.labels_)), np.sort(np.bincount(theirs.labels_)))


def _by(linkage: str) -> Callable[[Table], dict[str, Any]]:
    return lambda table: {"linkage": linkage}


PEERS = {
    "scikit-learn": sk.AgglomerativeClustering,
    "scipy": LinkagePeer,
    **({"fastcluster": _by_fastcluster} if is_installed("fastcluster") else {}),
}
CONTESTS = [
    Contest(
        AgglomerativeClustering, PEERS, _same_heights, options=_by(name), variant=name,
        shape=at_most(2500, 500), only_fit=True, axes=UNGROUPED,
    )
    for name in ("ward", "average", "complete", "single")
]  # fmt: skip
ALONE = {Divisive: "no Python package has DIANA; R's cluster::diana is compared in the tests"}
