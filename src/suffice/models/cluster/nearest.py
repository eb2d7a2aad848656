"""What every clusterer with centres does with new rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ... import backend
from ...backend import kmeans as kernels
from ...data import Chunk, Needs, Source
from ...data.validate import check_cells, check_sparse_gaps
from ...errors import squares_overflow
from ...estimator import Attributes, Clusterer, Transformer, declares
from ...holds import floats, number, require, sometimes
from ...params import learned
from ...statistics import ClusterSums
from ...statistics.cluster_sums import nearest_with_missing
from ...typing import Codes, Flags, Floats, Labels, Numbers, Reals, TableLike, TargetLike, WeightLike, Whole

Result = TypeVar("Result", bound=Labels)


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
        check_sparse_gaps(chunk.X, type(self).__name__, chunk.number)
        return self._ready(chunk.X)

    def _centres_ready(self) -> Floats:
        """The centres as distances to them are measured."""
        return self.cluster_centers_

    @property
    def _is_measured_as_is(self) -> bool:
        """Whether distances are measured among the rows themselves, not among rows made of them."""
        return True

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def predict(self, X: TableLike) -> Codes:
        """The number of the nearest centre."""
        self._check_fitted()
        return self._each_row(X, self._labels, lambda labels: bool(labels.min() >= 0))

    def _each_row(self, X: TableLike, f: Callable[[Chunk], Result], is_good: Callable[[Result], bool]) -> Result:
        """What `f` makes of rows: of those in memory at once, as its kernel shares them among threads itself.

        Their cells are searched only where the result is not good.
        """
        source, _ = self._known(X, None, late=True)
        rows = source.in_memory
        if rows is None or kernels.is_csr(rows.X) or not self._is_measured_as_is:
            found: Result = source.map(f)
        else:
            found = f(rows)
        if rows is not None and not is_good(found):
            check_cells(rows, source.schema, source.needs)
        return found

    def _labels(self, chunk: Chunk) -> NDArray[np.int32]:
        """The nearest centre of each row, -1 where a cell is infinite, or missing though that is not allowed."""
        X, centres = self._measured(chunk), self._centres_ready()
        shift = centres.mean(axis=0)
        labels = kernels.labels_only(X, centres, shift)
        odd = self._explained(X, labels >= 0)
        if odd.size:
            labels[odd] = nearest_with_missing(X[odd], centres, shift)[0]
        return labels

    def _explained(self, X: Numbers, is_finite: Flags) -> Whole:
        """The rows without a finite result whose cells are all allowed: some are missing, or too large."""
        odd = np.flatnonzero(~is_finite)
        if not odd.size or kernels.is_csr(X):  # of sparse rows none is missing
            return odd[:0]
        bad: Flags = np.isinf(X[odd]) if self._needs().missing else ~np.isfinite(X[odd])
        return odd[~bad.any(axis=1)]

    def transform(self, X: TableLike) -> Reals:
        """The distance to every centre, (n, k)."""
        self._check_fitted()
        return self._each_row(X, self._distances, lambda found: backend.first_bad(found) is None)

    def _distances(self, chunk: Chunk) -> Reals:
        X, centres = self._measured(chunk), self._centres_ready()
        found = kernels.distances(X, centres, centres.mean(axis=0))
        odd = self._explained(X, np.isfinite(found[:, 0]))
        if odd.size:  # over the cells that are there
            found[odd] = np.sqrt(np.stack([np.nansum((X[odd] - c) ** 2, axis=1) for c in centres], axis=1))
        return found

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """Minus the sum of squares of X at the centres found."""
        self._check_fitted()
        source, _ = self._known(X, sample_weight, late=True)
        found = source.reduce(self._cost).total
        if not math.isfinite(found):
            raise squares_overflow(type(self).__name__)
        return -found

    def _cost(self, chunk: Chunk) -> _Cost:
        X, centres = self._measured(chunk), self._centres_ready()
        shift = centres.mean(axis=0)
        squared = kernels.nearest(X, centres, shift)[1]
        odd = self._explained(X, np.isfinite(squared))
        if odd.size:
            with np.errstate(over="ignore", invalid="ignore"):  # of cells too large, which are refused by the sum
                squared[odd] = nearest_with_missing(X[odd], centres, shift)[1]
        return _Cost(float(squared.sum() if chunk.weight is None else squared @ chunk.weight))


@dataclass(frozen=True)
class _Cost:
    """Σ w ‖x − nearest centre‖² of some rows."""

    total: float

    def __add__(self, other: _Cost) -> _Cost:
        return _Cost(self.total + other.total)

    def is_finite(self) -> bool:
        """Whether no cell of the rows was bad."""
        return math.isfinite(self.total)


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
