"""Principal axes from moments: what PCA and whitening share."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...statistics import Moments, RootMoments
from ...typing import Floats

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Spectrum:
    """Variances (k,), largest first, along orthonormal axes (k, d), and the variance of all directions.

    A direction whose variance is below `rounding`, as a share of the largest, has none.
    """

    variance: Floats
    axes: Floats
    total: float
    rounding: float

    @property
    def rank(self) -> int:
        """How many directions have variance above rounding."""
        return int(np.sum(self.variance > self.rounding * self.variance[0]))

    def first(self, k: int) -> Spectrum:
        """Only the first k directions."""
        return replace(self, variance=self.variance[:k], axes=self.axes[:k])


def divisor(weight: float) -> float:
    """What scatter is divided by: Σw − 1 as for a sample; weights that sum to 1 or less are shares, so Σw."""
    return weight - 1 if weight > 1 else weight


def column_scale(summary: Moments | RootMoments) -> Floats:
    """The standard deviation of each column; 1 for a constant column, which correlation leaves as it is."""
    if isinstance(summary, Moments):
        squares = np.diagonal(summary.scatter)
    else:
        squares = np.einsum("rd,rd->d", summary.root, summary.root)
    noise = summary.weight * (8 * _EPS * summary.mean) ** 2  # rounding of a constant column
    std = np.sqrt(np.where(squares > noise, squares, 0) / divisor(summary.weight))
    return np.where(std > 0, std, 1.0)


def spectrum(summary: Moments | RootMoments, scale: Floats | None, k: int | None = None) -> Spectrum:
    """The k directions of largest variance (all by default) of the columns divided by `scale`."""
    if isinstance(summary, Moments):
        return _from_scatter(summary, scale, k)
    return _from_root(summary, scale, k)


def _from_scatter(summary: Moments, scale: Floats | None, k: int | None) -> Spectrum:
    covariance = summary.scatter / divisor(summary.weight)
    if scale is not None:
        covariance = covariance / np.outer(scale, scale)
    d = len(covariance)
    if k is None or k > d // 2:
        values, vectors = np.linalg.eigh(covariance)
    else:
        from scipy.linalg import eigh

        values, vectors = eigh(covariance, subset_by_index=(d - k, d - 1), check_finite=False)
    kept = slice(None, None, -1) if k is None else slice(None, -k - 1, -1)
    values = np.maximum(values[kept], 0.0)
    return Spectrum(values, with_sign(vectors.T[kept]), float(np.trace(covariance)), rounding=d * _EPS)


def _from_root(summary: RootMoments, scale: Floats | None, k: int | None) -> Spectrum:
    root = summary.root if scale is None else summary.root / scale
    beyond = k is not None and k > len(root)  # more directions than rows: the others have no variance
    _, singular, axes = np.linalg.svd(root, full_matrices=beyond)
    variance = np.zeros(len(axes))
    variance[: len(singular)] = singular**2 / divisor(summary.weight)
    rounding = (axes.shape[1] * _EPS) ** 2  # the root has not squared its errors
    return Spectrum(variance[:k], with_sign(axes[:k]), float(variance.sum()), rounding)


def with_sign(axes: Floats) -> Floats:
    """Axes whose largest entry is positive, so that the same data give the same signs."""
    largest = np.argmax(np.abs(axes), axis=1)
    sign = np.sign(axes[np.arange(len(axes)), largest])
    return np.ascontiguousarray(axes * np.where(sign == 0, 1.0, sign)[:, None])
