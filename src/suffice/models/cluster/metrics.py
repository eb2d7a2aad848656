"""How k-means sees a distance: rows among which it is Euclidean, and the way back for centres."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ... import backend
from ...backend import kmeans
from ...data import Chunk, Source
from ...data.schema import unnamed
from ...distances import DISTANCES, Distance, as_distance
from ...errors import InvalidData, RefusedRow
from ...holds import either, floats, instance, require, sometimes
from ...params import param
from ...registry import registered
from ...statistics import DiagonalMoments, PerClass
from ...typing import Floats, Numbers

_COSINE = as_distance("cosine")


@registered("metric/euclidean")
@dataclass(frozen=True)
class Unchanged:
    """Rows as they are."""

    project: ClassVar[Any] = None  # a function of the new centres; None: means stay where they are

    def rows(self, X: Numbers) -> Any:
        """The rows among which squared Euclidean distances are taken."""
        return X

    def width(self, d: int) -> int:
        """How many columns the rows of d columns then have."""
        return d

    def original(self, centres: Floats) -> Floats:
        """Centres in the units of the data."""
        return centres

    def completed(self, centres: Floats, source: Source) -> Floats:
        """The same at the end, also in directions that no distance sees: there the means of the rows of each centre."""
        return self.original(centres)

    def placed(self, centres: Floats) -> Floats:
        """Centres in the units of the data, put among the rows that were made ready."""
        return centres

    def prepared(self, source: Source) -> Source:
        """The source with its rows made ready."""
        return source


@registered("metric/cosine")
@dataclass(frozen=True)
class Directions(Unchanged):
    """Rows and centres of length 1, so that ‖x − c‖² = 2 d(x, c), twice the cosine or the correlation distance."""

    owner: str = "KMeans"
    measure: Distance = _COSINE  # of files of earlier versions, which do not say
    holds: ClassVar = {"measure": sometimes(instance(Distance))}

    def prepared(self, source: Source) -> Source:
        return source.mapped(self._prepare)

    def _prepare(self, chunk: Chunk) -> Chunk:
        return dataclasses.replace(chunk, X=self.rows(chunk.X, chunk.number))

    def rows(self, X: Numbers, number: Callable[[int], int] = int) -> Any:
        try:
            with np.errstate(invalid="ignore"):  # an infinite row has no direction either, and becomes NaN
                Z = self.measure.rows(X)  # of squared length ½
        except RefusedRow as error:
            raise InvalidData(f"{self.owner}: {error.said_of(number(error.row))}") from None
        return np.multiply(Z, np.sqrt(2.0), out=Z).astype(X.dtype, copy=False)

    def placed(self, centres: Floats) -> Floats:
        return self.project(centres)

    @staticmethod
    def project(centres: Floats) -> Floats:
        """Means go back to length 1."""
        length = np.sqrt(np.sum(centres**2, axis=1, keepdims=True))
        return np.asarray(centres / np.where(length > 0, length, 1.0))


@registered("metric/mahalanobis")
@dataclass(frozen=True)
class Affine(Unchanged):
    """Rows less the mean of all, times a matrix or one number a column, so that ‖x − c‖² is the squared distance."""

    mean: Floats
    whitening: Floats  # (d, r), or (d,)
    unwhitening: Floats  # (r, d), or (d,)
    holds: ClassVar = {
        "mean": floats("d"),
        "whitening": either(floats("d", "r"), floats("d")),
        "unwhitening": either(floats("r", "d"), floats("d")),
    }

    def check_loaded(self) -> None:
        """Refuse a way there and a way back of different kinds."""
        require(self.whitening.ndim == self.unwhitening.ndim, "whitening and unwhitening must be of one kind")

    def width(self, d: int) -> int:
        return int(self.whitening.shape[-1])

    def prepared(self, source: Source) -> Source:
        return source.mapped(self._prepare, unnamed(self.whitening.shape[-1]))

    def _prepare(self, chunk: Chunk) -> Chunk:
        return dataclasses.replace(chunk, X=self.rows(chunk.X))

    def rows(self, X: Any) -> Any:
        if self.whitening.ndim == 1:
            return ((X - self.mean) * self.whitening).astype(X.dtype, copy=False)
        return backend.affine(X, self.mean, self.whitening, np.zeros(self.whitening.shape[1]))

    def original(self, centres: Floats) -> Floats:
        back = centres * self.unwhitening if self.unwhitening.ndim == 1 else centres @ self.unwhitening
        return np.asarray(back + self.mean)

    def completed(self, centres: Floats, source: Source) -> Floats:
        found = self.original(centres)
        if self.whitening.ndim == 1 or self.whitening.shape[0] == self.whitening.shape[1]:
            return found
        by_centre = source.reduce(partial(_rows_by_centre, metric=self, centres=centres))
        unseen = np.eye(len(self.mean)) - self.whitening @ self.unwhitening
        for k, rows in zip(by_centre.classes, by_centre.parts, strict=True):
            found[int(k)] += (rows.mean - self.mean) @ unseen
        return found

    def placed(self, centres: Floats) -> Floats:
        return np.asarray(self.rows(centres))


Euclidean, Cosine, Mahalanobis = Unchanged, Directions, Affine  # files of earlier versions name them so


def _without_centres(distance: Distance) -> str:
    if distance.centre:
        return ""
    remedy = "use `KMedoids`" if distance.is_symmetric else "use `KMedoids` with a symmetric distance"
    return f"{type(distance).__name__} has no centres that means of rows lead to; {remedy}"


def metric_param() -> Any:
    """The declaration of `metric` where clusters have centres."""
    return param("euclidean", names=DISTANCES.only(_without_centres), doc="How distance is measured.")


def as_metric(metric: object, source: Source, owner: str) -> Unchanged:
    """What k-means makes of a distance, which learns what it needs from the source."""
    measure = as_distance(metric, owner)
    if measure.is_plain:
        return Unchanged()
    if measure.centre == "direction":
        return Directions(owner, measure)
    measure.check_columns(len(source.schema))
    moments = source.reduce(partial(_summary, measure=measure))
    factor = measure.factor_from(moments) if measure.learns else measure.factor
    return Affine(moments.mean, factor, 1 / factor if factor.ndim == 1 else np.linalg.pinv(factor))


def _rows_by_centre(chunk: Chunk, metric: Affine, centres: Floats) -> PerClass[DiagonalMoments]:
    """The moments of the rows that are nearest to each centre, in the units of the data."""
    labels = kmeans.labels_only(metric.rows(chunk.X), centres, centres.mean(axis=0))
    return PerClass.of(chunk.X, labels, chunk.weight)


def _summary(chunk: Chunk, measure: Distance) -> Any:
    return measure.summary(chunk.X, chunk.weight)
