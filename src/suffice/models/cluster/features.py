"""Clusters as columns: what a clustering says of each row, as features for another model."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ... import params
from ...data import Chunk, Needs, Source
from ...data.schema import Schema
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, Estimator, Transformer, estimator
from ...holds import instance, require, whole
from ...params import learned, param
from ...statistics import Counts
from ...typing import EstimatorLike, Labels, Numbers, Reals, TableLike
from ..inner import ask, columns_of, fit_inner, is_model
from .kmeans import KMeans

_METHODS = {  # by what is asked of the clusterer
    "onehot": "predict",
    "label": "predict",
    "distances": "transform",
    "responsibilities": "predict_proba",
}


def clusterer_param() -> object:
    """The declaration of a clusterer that says the cluster of new rows."""
    return param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda model: is_model(model, "predict"),
        allowed="an estimator with predict",
        doc='What finds the clusters, such as `KMeans` or `GaussianMixture`; None: `KMeans(3, init="pca")`.',
    )


def as_clusterer(clusterer: object) -> object:
    """A clusterer to be fitted."""
    return KMeans(3, init="pca") if clusterer is None else clone(clusterer)


def needs_of(clusterer: object, owner: str) -> Needs:
    """What rows a clusterer can use."""
    found = as_clusterer(None) if clusterer is None else clusterer
    needs = found._needs() if isinstance(found, Estimator) else Needs()
    sparse = needs.sparse and clusterer is not None  # that start needs dense rows
    return needs.but(owner=owner, target="none", sparse=sparse, late=False)


def final_objective(clusterer: object, X: Numbers, weight: object) -> float:
    """What a fitted clusterer that is not of this library says it reached; 0 where it does not say."""
    names = ("inertia_", "lower_bound_")
    return float(next((getattr(clusterer, name) for name in names if hasattr(clusterer, name)), 0.0))


@estimator
class ClusterFeatures(Transformer):
    """Clusters as columns for another model: fit a clusterer, and give what it says of each row.

    With `encode="onehot"` column k is 1 where the row is in cluster k and 0 elsewhere, all 0 for noise (−1);
    `"responsibilities"` gives P(cluster k | x), `"distances"` the distance to each centre, and `"label"` the number of
    the cluster. Any clusterer with the method for it will do, also scikit-learn's. `history_` is that of the clusterer.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> features = sf.ClusterFeatures(sf.GaussianMixture(2, random_state=0), encode="responsibilities").fit(faithful)
    >>> np.sort(features.transform(faithful[:2])).round(3), features.get_feature_names_out().tolist()
    (array([[0., 1.],
           [0., 1.]]), ['responsibility0', 'responsibility1'])
    """

    read_late = ("encode",)

    clusterer: object = clusterer_param()
    encode: str = param("onehot", choices=tuple(_METHODS), doc="What `transform` gives.")

    clusterer_: EstimatorLike = learned("The fitted clusterer.", holds=instance(Estimator, d="d"))
    n_clusters_: int = learned("How many clusters there are.", holds=whole(at_least=1, at_most=1 << 31))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(hasattr(self.clusterer_, _METHODS[self.encode]), f"clusterer_ must have {_METHODS[self.encode]}")
        require(hasattr(self.clusterer_, "history_"), "clusterer_ must be fitted")

    def _needs(self) -> Needs:
        return needs_of(self.clusterer, type(self).__name__)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        clusterer = as_clusterer(self.clusterer)
        self._check_can(clusterer)
        fitted = fit_inner(clusterer, source, type(self).__name__, final_objective)
        return fitted.then(lambda found: {"clusterer_": found, "n_clusters_": _count(found, source, self.encode)})

    def _check_can(self, clusterer: object) -> None:
        if not hasattr(clusterer, _METHODS[self.encode]):
            raise InvalidParameter(
                f"{type(self).__name__}: encode={self.encode!r} needs a clusterer with {_METHODS[self.encode]}, which "
                f"{type(clusterer).__name__} has not; use another encode or another clusterer."
            )

    def transform(self, X: TableLike) -> Reals:
        """What the clusterer says of each row: (n, k), or (n, 1) for labels."""
        self._check_fitted()
        params.check(self)  # `encode` may have changed since the fit
        self._check_can(self.clusterer_)
        return self._rows(X, self._columns)

    def _columns(self, chunk: Chunk) -> Any:
        found = ask(self.clusterer_, _METHODS[self.encode], chunk, columns_of(self))
        if self.encode == "onehot":
            return (found[:, None] == np.arange(self.n_clusters_)).astype(chunk.X.dtype)
        if self.encode != "label":
            _check_width(self.clusterer_, int(found.shape[1]), self.n_clusters_)
        return found.reshape(len(chunk), -1).astype(chunk.X.dtype, copy=False)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Names of the columns that `transform` gives: `cluster0`, `responsibility0`, `distance0` …, or `cluster`."""
        self._check_fitted()
        stem = {"responsibilities": "responsibility", "distances": "distance"}.get(self.encode, "cluster")
        names = [stem] if self.encode == "label" else [f"{stem}{k}" for k in range(self.n_clusters_)]
        return np.array(names, dtype=object)


def _count(clusterer: object, source: Source, encode: str) -> int:
    """How many clusters a fitted clusterer has: its centres or components, the columns that it gives, or its labels."""
    centres = next(
        (getattr(clusterer, name) for name in ("cluster_centers_", "weights_") if hasattr(clusterer, name)), ()
    )
    if _METHODS[encode] == "predict":
        return (
            len(centres)
            or int(source.reduce(partial(_counts, clusterer=clusterer, schema=source.schema)).values.max()) + 1
        )
    columns = int(ask(clusterer, _METHODS[encode], source.sample(1), source.schema).shape[1])
    _check_width(clusterer, columns, len(centres) or columns)
    return columns


def _check_width(clusterer: object, columns: int, clusters: int) -> None:
    if columns != clusters:
        raise InvalidParameter(
            f"ClusterFeatures: transform of {type(clusterer).__name__} gives {columns} columns for {clusters} "
            "clusters, which are no distances to centres; use encode='onehot' or encode='responsibilities'."
        )


def labels_of(chunk: Chunk, clusterer: object, schema: Schema) -> Labels:
    """The cluster of each row of a chunk, which may have none."""
    return ask(clusterer, "predict", chunk, schema) if len(chunk) else np.empty(0, dtype=np.int64)


def _counts(chunk: Chunk, clusterer: object, schema: Schema) -> Counts:
    return Counts.of(labels_of(chunk, clusterer, schema))
