"""The Mahalanobis distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from .. import backend
from ..backend.arrays import Array
from ..errors import InvalidParameter, squares_overflow
from ..holds import array_like, optional
from ..params import are_numbers
from ..statistics import Moments
from ..typing import Floats, Numbers
from .base import Distance


@dataclass(frozen=True, eq=False)
class Mahalanobis(Distance):
    """The Mahalanobis distance, d(x, y) = √(x − y)ᵀ M (x − y), M symmetric and positive semidefinite, (d, d).

    Without M it is the inverse of the covariance of the rows (its pseudo-inverse where there is none).

    >>> Mahalanobis([[0.25, 0.0], [0.0, 1.0]]).pairwise([[0.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]])
    array([[1., 2.]])
    """

    M: object = None
    holds: ClassVar = {"M": optional(array_like("d", "d"))}
    names: ClassVar = ("mahalanobis",)
    takes_root: ClassVar = True
    centre: ClassVar = "mean"
    is_metric: ClassVar = True

    def __post_init__(self) -> None:
        if self.M is not None:
            self.factor  # noqa: B018 (refuses what is no such matrix)

    @property
    def learns(self) -> bool:
        return self.M is None

    def summary(self, X: Array, weight: Numbers | None = None) -> Moments:
        return Moments.of(X, weight)

    def given(self, summary: Moments) -> Self:
        factor = self.factor_from(summary)
        return replace(self, M=factor @ factor.T)

    def factor_from(self, summary: Moments) -> Floats:
        """Whitening, (d, r): the principal axes of the correlations, each divided by its standard deviation.

        Those of the covariances would depend on the units of the columns, and so would their rank.
        """
        if not summary.is_finite():
            raise squares_overflow("Mahalanobis")
        squares = np.diagonal(summary.scatter)
        scale = np.sqrt(np.where(squares > 0, squares, 1.0))  # (d,)
        variance, axes = np.linalg.eigh(summary.scatter / np.outer(scale, scale))
        variance, axes = _above_rounding(variance, axes)
        variance = np.where(variance > 0, variance, 1.0) / max(summary.weight - 1, 1)
        return np.ascontiguousarray((axes / np.sqrt(variance))[:, ::-1] / scale[:, None])

    @cached_property
    def factor(self) -> Floats:
        """L, (d, r), with M = L Lᵀ, so that the distance is Euclidean among the rows xᵀ L; r is the rank of M."""
        if not are_numbers(self.M, 2):
            raise InvalidParameter(f"Mahalanobis: M must be a square matrix of finite numbers; got {self.M!r}.")
        M = np.asarray(self.M, dtype=np.float64)
        if M.shape[0] != M.shape[1] or not np.isfinite(M).all():
            raise InvalidParameter(f"Mahalanobis: M must be a square matrix of finite numbers; got shape {M.shape}.")
        size = np.abs(M).max(initial=0.0)
        if not np.allclose(M, M.T, rtol=0, atol=1e-8 * size):
            raise InvalidParameter("Mahalanobis: M must be symmetric; use (M + M.T) / 2.")
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        if values[0] < -1e-8 * max(values[-1], size):
            raise InvalidParameter(f"Mahalanobis: M must have no negative eigenvalue; the least is {values[0]:.3g}.")
        values, vectors = _above_rounding(values, vectors)
        return np.ascontiguousarray(vectors * np.sqrt(np.maximum(values, 0)))

    def check_columns(self, d: int) -> None:
        if self.M is not None and d != len(self.factor):
            raise InvalidParameter(f"Mahalanobis: M is for {len(self.factor)} columns, but X has {d}.")

    def rows(self, X: Array) -> Array:
        self.check_columns(X.shape[1])
        return backend.affine(np.asarray(X, dtype=np.float64), None, self._square, np.zeros(X.shape[1]))

    @cached_property
    def _square(self) -> Floats:
        """L with columns of zeros up to (d, d): rows made ready have as many columns as those they come from."""
        d, rank = self.factor.shape
        return np.hstack([self.factor, np.zeros((d, d - rank))])


def _above_rounding(values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues above rounding, ascending, at least one, and their vectors, the largest entry of each positive."""
    kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
    kept[-1] = True
    axes = vectors[:, kept]
    return values[kept], axes * np.sign(axes[np.argmax(np.abs(axes), axis=0), np.arange(axes.shape[1])])
