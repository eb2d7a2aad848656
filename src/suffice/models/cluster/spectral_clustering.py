"""Spectral clustering."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...data import ArraySource, Chunk, Needs, Source
from ...data.schema import unnamed
from ...engine import Outcome
from ...estimator import Attributes, Clusterer, estimator
from ...holds import floats, instance, require
from ...params import learned, param
from ...randomness import random_state_param, seed_of
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...typing import Codes, Floats, RandomState, Reals, TableLike
from ..manifold.graph_embedding import pieces_param
from ..manifold.neighbourhood import Pieces
from ..manifold.objects import Objects
from ..manifold.walk import Walk, walked
from ..manifold.walk_map import ByAffinity, Similar, WalkMap, affinity_param, is_graph, objects_alike, similar
from .alternation import Counted, n_clusters_param, too_few
from .kmeans import KMeans
from .partition import by_pivots, by_rotation

_EXAMPLE_ROWS = 300
_SOLVED = "few eigenvectors are found to rounding by whichever way costs least"


@estimator
class SpectralClustering(ByAffinity, Clusterer):
    """Cut a graph of rows that are alike into k parts: k-means of the eigenvectors of its Laplacian.

    The normalised cut Σ_c w(c, not c) / w(c, all) is as small as Σ λ at least, where (D − W) z = λ D z (Shi and Malik,
    2000), and the eigenvectors of the smallest λ are about constant on good parts, whatever their shape. k-means finds
    these, or rotations that `assign_labels` names. The similarities w are those of `SpectralEmbedding`. A new row is
    placed by Nyström's extension, and belongs to the nearest mean. The objective is that of k-means.

    Examples
    --------
    >>> import suffice as sf
    >>> t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> ring = np.column_stack([np.cos(t), np.sin(t)])
    >>> model = sf.SpectralClustering(2, random_state=0)
    >>> labels = model.fit_predict(np.vstack([ring, 3 * ring]))
    >>> len(set(labels[:60])), len(set(labels[60:])), model.predict([[0.0, 1.1]])[0] == labels[0]
    (1, 1, np.True_)
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.cluster",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE, "eigen_solver": _SOLVED, "eigen_tol": _SOLVED},
        absent={"kernel_params": "give the kernel itself, such as suffice.kernels.GaussianKernel(gamma=2.0)"},
    )

    n_clusters: int = n_clusters_param()
    n_components: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="How many eigenvectors, the constant one counted; None: k."
    )
    random_state: RandomState = random_state_param()
    n_init: int = param(10, integer=True, at_least=1, doc="How many starts of k-means; the best is kept.")
    gamma: float = param(1.0, number=True, above=0, below=np.inf, doc="The scale of a kernel by name.")
    affinity: object = affinity_param("rbf")
    n_neighbors: int = param(
        10, integer=True, at_least=1, doc="How many neighbours a row has in the graph, itself counted."
    )
    pieces: Pieces = pieces_param("keep")
    assign_labels: str = param(
        "kmeans",
        choices=("kmeans", "discretize", "cluster_qr"),
        doc="How eigenvectors become clusters: by k-means, by the nearest flags after a rotation, or by pivotal rows.",
    )
    degree: int = param(3, integer=True, at_least=1, at_most=1000, doc="The degree of a polynomial kernel.")
    coef0: float = param(1.0, number=True, at_least=0, below=np.inf, doc="What a polynomial kernel adds to gamma x·y.")
    memory: int = param(1 << 31, integer=True, at_least=1, doc="The most bytes for all pairs of rows, and rows read.")

    eigenvalues_: Floats = learned("The eigenvalues λ, rising, the first 0, (k,).", holds=floats("k"))
    n_pieces_: int = learned("In how many pieces the graph, or what is alike at all, was.")
    inertia_: float = learned("The objective of k-means at the end; of the clusters' means otherwise.")
    traced: ClassVar = ("cluster_centers_",)
    holds: ClassVar = {"_map": instance(WalkMap, d="d", k="k"), "_centres": floats("clusters", "k")}

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self._centres), "_centres must hold a cluster")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        """Some rows, not more than can be compared in pairs quickly."""
        return super().example(rng, min(n, _EXAMPLE_ROWS))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = source.gather(self.memory, "fit a sample of the rows, and predict the others")
        Counted.of(rows).check_enough("SpectralClustering", self.n_clusters)
        objects = objects_alike(rows, "SpectralClustering", self.affinity)
        if len(objects) < self.n_clusters:
            too_few("SpectralClustering", self.n_clusters, len(objects))
        found = similar(
            "SpectralClustering",
            objects,
            source,
            self.affinity,
            n_neighbors=self.n_neighbors,
            gamma=None if is_graph(self.affinity) else self.gamma,
            pieces=self.pieces,
            memory=self.memory,
            degree=self.degree,
            coef0=self.coef0,
        )
        mass = objects.weight[found.some]
        walk = walked(found.matrix, mass, min(self.n_components or self.n_clusters, len(mass)))
        made = WalkMap(np.ascontiguousarray(walk.vectors), found.alike, mass, walk.values)
        return self._clustered(made, walk).then(
            lambda clusters: self._attributes(clusters, walk, made, found, objects, rows)
        )

    def _clustered(self, made: WalkMap, walk: Walk) -> Outcome[tuple[Codes, Floats, float]]:
        """The cluster of each object, the means and what is left about them."""
        k, seed = min(self.n_clusters, len(made.points)), seed_of(self.random_state)
        model = KMeans(k, n_init=self.n_init, random_state=seed)
        chunk = Chunk(made.points, None, made.mass)
        model.fit_source(ArraySource(chunk, unnamed(made.points.shape[1]), Needs(owner="SpectralClustering")))
        if self.assign_labels == "kmeans":
            found = model.predict(made.points).astype(np.int64), model.cluster_centers_, float(model.inertia_)
            return Outcome(found, model.history_)
        vectors = made.points * np.sqrt(made.mass * walk.degree)[:, None]
        labels = (
            by_pivots(vectors)
            if self.assign_labels == "cluster_qr"
            else by_rotation(vectors, np.random.default_rng(seed))
        )
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int64).ravel()
        return Outcome((labels, *_means(made, labels)), model.history_)

    def _attributes(
        self,
        clusters: tuple[Codes, Floats, float],
        walk: Walk,
        made: WalkMap,
        found: Similar,
        objects: Objects,
        rows: Chunk,
    ) -> Attributes:
        labels, centres, inertia = clusters
        every = np.full(len(objects) + 1, -1, dtype=np.int64)
        every[found.some] = labels
        out = every[objects.which]
        others = np.flatnonzero(out < 0)
        if len(others):
            out[others] = _nearest(made.places(rows.X[others]), centres)
        return {
            "labels_": out,
            "eigenvalues_": 1 - walk.values,
            "n_pieces_": max(found.n_pieces, walk.n_pieces),
            "inertia_": inertia,
            "_map": made,
            "_centres": centres,
        }

    def predict(self, X: TableLike) -> Codes:
        """The cluster of each row, by the nearest mean of the clusters on the map."""
        self._check_fitted("labels_")
        found, centres = self._map, self._centres
        return self._rows(X, lambda chunk: _nearest(found.places(found.in_form(chunk.X)), centres))


def _nearest(places: Reals, centres: Floats) -> Codes:
    squared = np.sum(centres**2, axis=1) - 2 * places @ centres.T
    return np.asarray(np.argmin(squared, axis=1), dtype=np.int64)


def _means(made: WalkMap, labels: Codes) -> tuple[Floats, float]:
    """The means of clusters, and Σ m ‖z − mean‖²."""
    k = int(labels.max()) + 1
    total = np.bincount(labels, made.mass, k)
    sums = np.zeros((k, made.points.shape[1]))
    np.add.at(sums, labels, made.points * made.mass[:, None])
    centres = sums / total[:, None]
    return centres, float(made.mass @ np.sum((made.points - centres[labels]) ** 2, axis=1))
