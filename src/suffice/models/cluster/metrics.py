"""How k-means measures distance: as it stands, by direction, or in units of the columns' spread."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import backend
from ...data import Chunk, Source
from ...data.schema import unnamed
from ...errors import InvalidData
from ...statistics import Moments

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Euclidean:
    """Rows as they are."""

    allows_missing = True

    def rows(self, X: Any) -> Any:
        """The rows among which squared Euclidean distances are taken."""
        return X

    project: ClassVar[Any] = None  # a function of the new centres; None: means stay where they are

    def original(self, centres: Floats) -> Floats:
        """Centres in the units of the data."""
        return centres

    def placed(self, centres: Floats) -> Floats:
        """Centres in the units of the data, put among the rows that were made ready."""
        return centres

    def prepared(self, source: Source) -> Source:
        """The source with its rows made ready."""
        return source


@dataclass(frozen=True)
class Cosine(Euclidean):
    """Rows and centres of length 1, so that ‖x − c‖² = 2 − 2 cos(x, c)."""

    owner: str = "KMeans"
    allows_missing = False

    def prepared(self, source: Source) -> Source:
        return source.mapped(self._prepare)

    def _prepare(self, chunk: Chunk) -> Chunk:
        return dataclasses.replace(chunk, X=self.rows(chunk.X, chunk.number))

    def rows(self, X: Any, number: Callable[[int], int] = int) -> Any:
        length = np.sqrt(np.einsum("nd,nd->n", X, X, dtype=np.float64))
        if np.any(length == 0):
            row = number(int(np.argmin(length)))
            raise InvalidData(
                f"{self.owner}: row {row} is all zeros and has no direction for metric='cosine'; drop it."
            )
        with np.errstate(invalid="ignore"):  # an infinite row has no direction either, and becomes NaN
            return (X / length[:, None]).astype(X.dtype, copy=False)

    def placed(self, centres: Floats) -> Floats:
        return self.project(centres)

    @staticmethod
    def project(centres: Floats) -> Floats:
        """Means go back to length 1."""
        length = np.sqrt(np.sum(centres**2, axis=1, keepdims=True))
        return np.asarray(centres / np.where(length > 0, length, 1.0))


@dataclass(frozen=True)
class Mahalanobis(Euclidean):
    """Rows whitened by the covariance of all rows, so that ‖x − c‖² = (x − c)ᵀ S⁻¹ (x − c)."""

    mean: Floats
    whitening: Floats  # (d, r)
    unwhitening: Floats  # (r, d)
    allows_missing = False

    def prepared(self, source: Source) -> Source:
        return source.mapped(self._prepare, unnamed(self.whitening.shape[1]))

    def _prepare(self, chunk: Chunk) -> Chunk:
        return dataclasses.replace(chunk, X=self.rows(chunk.X))

    def rows(self, X: Any) -> Any:
        return backend.affine(X, self.mean, self.whitening, np.zeros(self.whitening.shape[1]))

    def original(self, centres: Floats) -> Floats:
        return np.asarray(centres @ self.unwhitening + self.mean)

    def placed(self, centres: Floats) -> Floats:
        return np.asarray(self.rows(centres))


def as_metric(name: str, source: Source, owner: str) -> Euclidean:
    """The metric of a name; Mahalanobis learns the covariance of the source."""
    if name == "euclidean":
        return Euclidean()
    if name == "cosine":
        return Cosine(owner)
    from ..projection.spectrum import spectrum

    moments = source.reduce(_moments)
    found = spectrum(moments, None)
    kept = found.first(max(found.rank, 1))
    std = np.sqrt(np.where(kept.variance > 0, kept.variance, 1.0))
    return Mahalanobis(moments.mean, np.ascontiguousarray(kept.axes.T / std), kept.axes * std[:, None])


def _moments(chunk: Chunk) -> Moments:
    return Moments.of(chunk.X, chunk.weight)
