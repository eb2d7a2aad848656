"""What every clusterer with centres does with new rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from ... import backend
from ...backend import kmeans as kernels
from ...data import Chunk, Needs, Source
from ...data.validate import check_sparse_gaps
from ...estimator import Attributes, Clusterer, Transformer, declares
from ...holds import floats, number, require, sometimes
from ...params import learned
from ...statistics import ClusterSums
from ...statistics.cluster_sums import nearest_with_missing
from ...typing import Codes, Floats, Reals, TableLike, TargetLike, WeightLike


@declares
class NearestCentre(ClassNamePrefixFeaturesOutMixin, Clusterer, Transformer):  # type: ignore[misc]
    """Base: `predict` is the nearest centre, `transform` the distance to each, `score` minus the sum of squares."""

    needs = Needs(scaled=True, one_hot=True)

    cluster_centers_: Floats = learned("The centres, (k, d).", holds=floats("k", "d"))
    inertia_: float = learned("Σ w ‖x − nearest centre‖² of the rows of the fit.", holds=sometimes(number()))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.cluster_centers_), "cluster_centers_ must have a row")

    n_iter_: int = learned("How many iterations the kept run took.")

    def _ready(self, X: TableLike) -> Any:
        """The rows as distances are measured among them."""
        return X

    def _measured(self, chunk: Chunk) -> Any:
        """The rows of a chunk as distances are measured among them; a sparse one has no missing cells."""
        check_sparse_gaps(chunk.X, type(self).__name__, chunk.start)
        return self._ready(chunk.X)

    def _centres_ready(self) -> Floats:
        """The centres as distances to them are measured."""
        return self.cluster_centers_

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def predict(self, X: TableLike) -> Codes:
        """The number of the nearest centre."""
        check_is_fitted(self)
        labels = self._rows(X, self._labels, late=True)
        if isinstance(labels, np.ndarray) and labels.min() < 0:
            labels = self._rows(X, self._labels)  # the search for the bad cell, whose place the error names
        return labels

    def _labels(self, chunk: Chunk) -> NDArray[np.int32]:
        """The nearest centre of each row, -1 where a cell is infinite, or missing though that is not allowed."""
        X, centres = self._measured(chunk), self._centres_ready()
        shift = centres.mean(axis=0)
        labels = kernels.labels_only(X, centres, shift)
        odd = np.flatnonzero(labels < 0)
        if odd.size and not kernels.is_csr(X):  # of sparse rows none is missing
            bad = np.isinf(X[odd]) if self._needs().missing else ~np.isfinite(X[odd])
            odd = odd[~bad.any(axis=1)]
            labels[odd] = nearest_with_missing(X[odd], centres, shift)[0]
        return labels

    def transform(self, X: TableLike) -> Reals:
        """The distance to every centre, (n, k)."""
        check_is_fitted(self)
        return self._rows(X, lambda chunk: _distances(self._measured(chunk), self._centres_ready()))

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """Minus the sum of squares of X at the centres found."""
        check_is_fitted(self)
        source = self._open(X, None, sample_weight, reset=False)
        return -source.reduce(self._sums).cost

    def _sums(self, chunk: Chunk) -> ClusterSums:
        centres = self._centres_ready()
        return ClusterSums.of(self._measured(chunk), chunk.weight, centres, centres.mean(axis=0))


@dataclass(frozen=True)
class Labelled:
    """What a fit ends with: `labels_` where rows are in memory, `inertia_` from any source; and the weights (k,)."""

    attributes: Attributes
    weight: NDArray[np.generic]

    @classmethod
    def of(cls, source: Source, centres: Floats, shift: Floats) -> Labelled:
        """Give every row to the nearest centre: one pass."""
        if source.in_memory is not None:
            return cls.of_rows(source.in_memory, centres)
        found = source.reduce(partial(_sums, centres=centres, shift=shift))
        return cls({"inertia_": found.cost}, found.weight.max(axis=1))

    @classmethod
    def of_rows(cls, rows: Chunk, centres: Floats) -> Labelled:
        """The same for rows in memory."""
        labels, squared = nearest_labels(rows.X, centres)
        cost = float(np.sum(squared if rows.weight is None else squared * rows.weight))
        return cls({"labels_": labels, "inertia_": cost}, np.bincount(labels, rows.weight, len(centres)))


def _sums(chunk: Chunk, centres: Floats, shift: Floats) -> ClusterSums:
    return ClusterSums.of(chunk.X, chunk.weight, centres, shift)


def nearest_labels(X: Reals, centres: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Labels (n,) and squared distances (n,), over the cells that are there."""
    shift = centres.mean(axis=0)
    labels, squared = kernels.nearest(X, centres, shift)
    missing = np.flatnonzero(~np.isfinite(squared))  # a missing cell makes the distance of its row so
    if missing.size:
        labels[missing], squared[missing] = nearest_with_missing(X[missing], centres, shift)
    return labels, squared


def _distances(X: Any, centres: Floats) -> Any:
    if not kernels.is_csr(X) and backend.first_bad(X) is not None:
        found = np.sqrt(np.stack([np.nansum((X - c) ** 2, axis=1) for c in centres], axis=1))
    else:
        found = kernels.distances(X, centres)
    return found.astype(X.dtype, copy=False)
