"""Clusters around centres, medoids, modes and exemplars."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.cluster as sk

import suffice as sf
from suffice.models.cluster import DPMeans, KernelKMeans, KMedians, KMedoids, KModes, KPrototypes, SoftKMeans

from .contest import UNGROUPED, Contest, at_most, installed, is_installed, no_more, same
from .tables import Table, categories

ITERATIONS = 20


def _clusters(table: Table) -> dict[str, Any]:
    return {"n_clusters": table.k, "random_state": 0, "max_iter": ITERATIONS}


def _given(table: Table) -> dict[str, Any]:
    """The same initial centres for all, so that the iterations are the same as well."""
    rows = np.random.default_rng(1).choice(table.X.shape[0], table.k, replace=False)
    return {"n_clusters": table.k, "init": table.X[rows], "n_init": 1, "max_iter": ITERATIONS, "tol": 0.0}


def _distances(table: Table) -> float:
    return float(2.0 * table.X.shape[0] * table.X.shape[1] * table.k)


def _elkan(**options: Any) -> Any:
    return sk.KMeans(**options, algorithm="elkan")


KMEANS = {"lloyd": sk.KMeans, "elkan": _elkan, **installed("intelex", "sklearnex.cluster", "KMeans")}
CENTRES: dict[str, Any] = {
    "k": 20,
    "shared": ("cluster_centers_",),
    "operations": {"predict": _distances, "transform": _distances, "score": _distances},
}


class MedoidsPeer:
    """The package kmedoids, whose estimator wants the distances."""

    def __init__(self, n_clusters: int, random_state: int) -> None:
        self.n_clusters, self.random_state = n_clusters, random_state

    def fit(self, X: np.ndarray) -> MedoidsPeer:
        """FasterPAM on the matrix of distances."""
        import kmedoids  # type: ignore[import-not-found]
        from scipy.spatial.distance import cdist

        self.inertia_ = kmedoids.fasterpam(cdist(X, X), self.n_clusters, random_state=self.random_state).loss
        return self


def _by_neighbours(table: Table) -> dict[str, Any]:
    rows = table.X.shape[0]
    return {
        "n_clusters": min(5, rows), "affinity": "nearest_neighbors", "n_neighbors": max(2, min(12, rows // 2)),
        "random_state": 0,
    }  # fmt: skip


def _no_more_cut(ours: Any, theirs: Any, table: Table) -> None:
    """The normalised cut of both partitions in the graph that both have."""
    W = theirs.affinity_matrix_

    def cut(labels: Any) -> float:
        flags = np.equal.outer(np.asarray(labels), np.unique(labels)).astype(float)
        inside, degree = np.einsum("ij,ij->j", flags, W @ flags), np.asarray(W.sum(axis=1)).ravel() @ flags
        return float(np.sum(1 - inside / np.where(degree > 0, degree, 1.0)))

    mine, other = cut(ours.labels_), cut(theirs.labels_)
    assert mine <= other * 1.05 + 1e-3, f"normalised cut {mine:.6g} against {other:.6g}"


CONTESTS = [
    Contest(
        sf.SpectralClustering, {"scikit-learn": sk.SpectralClustering}, _no_more_cut, options=_by_neighbours,
        shape=at_most(3000), axes=UNGROUPED, cut="their factorisation fills with more",
    ),
    Contest(sf.KMeans, KMEANS, no_more("inertia_"), options=_clusters, sparse=True, **CENTRES),
    Contest(
        sf.KMeans, KMEANS, no_more("inertia_", 1e-4), options=_given, variant="given centres",
        only_fit=True, axes=(), **CENTRES,
    ),
    Contest(
        sf.MiniBatchKMeans, {"scikit-learn": sk.MiniBatchKMeans}, no_more("inertia_", 0.1), options=_clusters,
        sparse=True, **CENTRES,
    ),
    Contest(
        sf.BisectingKMeans, {"scikit-learn": sk.BisectingKMeans}, no_more("inertia_"), options=_clusters,
        sparse=True, k=20, unlike=dict.fromkeys(("predict", "transform", "score"), "the centres differ"),
    ),
    Contest(
        sf.AffinityPropagation, {"scikit-learn": sk.AffinityPropagation}, same("cluster_centers_indices_"),
        options=lambda table: {"random_state": 0, "damping": 0.9, "max_iter": 1000}, shape=at_most(1000, 2000),
        axes=UNGROUPED,
    ),
    Contest(
        KMedoids, {"kmedoids": MedoidsPeer} if is_installed("kmedoids") else {}, no_more("inertia_", 0.01),
        options=lambda table: {"n_clusters": table.k, "random_state": 0}, shape=at_most(3000, 2000),
    ),
    Contest(
        KModes, installed("kmodes", "kmodes.kmodes", "KModes"), no_more("cost_"), rows=categories, k=8,
        options=lambda table: {"n_clusters": table.k, "random_state": 0, "n_init": 1}, shape=at_most(20_000, 500),
        unlike={"predict": "the modes differ"},
    ),
]  # fmt: skip
ALONE = {
    sf.ClusterFeatures: "what a clusterer says of the rows; the clusterers are compared themselves",
    DPMeans: "scikit-learn, SciPy and faiss have no DP-means",
    KMedians: "no package that is kept up has k-medians",
    KPrototypes: "kmodes' k-prototypes weighs the categories otherwise, so that the costs are not comparable",
    KernelKMeans: "scikit-learn has no kernel k-means; spectral clustering is other work",
    sf.PerCluster: "a model for each cluster; clusterers and models are compared themselves",
    SoftKMeans: "no package has soft k-means with a given stiffness",
}
