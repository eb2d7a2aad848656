"""Covariances of classes: shrunk, pooled, and with a floor under their variances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...distributions import Gaussian
from ...statistics import DiagonalMoments, Moments, RootMoments
from ...typing import Floats

_LARGER = 1e6  # a variance that is so many times that of all rows is none of the rows'


def column_scale(parts: tuple[Moments | RootMoments | DiagonalMoments, ...]) -> Floats:
    """The standard deviation of each column over all classes, (d,); 1 where it does not vary."""
    each = [part.by_column() if isinstance(part, RootMoments) else part for part in parts]
    total = sum(each[1:], each[0])
    scatter = np.diagonal(total.scatter) if total.scatter.ndim == 2 else total.scatter
    variance = scatter / np.where(total.weight > 0, total.weight, 1.0)
    variance = np.maximum(variance, (1e-9 * np.abs(total.mean)) ** 2)  # less is rounding
    return np.asarray(np.sqrt(np.where(variance > 0, variance, 1.0)))


@dataclass(frozen=True)
class Floored:
    """A covariance (d, d), in how many directions it was raised, and A (d, d) with A Aᵀ = covariance⁻¹."""

    covariance: Floats
    raised: int
    whiten: Floats

    def whitened(self, rows: Floats) -> Floats:
        """Rows times A."""
        return rows @ self.whiten

    def unwhitened(self, rows: Floats) -> Floats:
        """Rows times Aᵀ."""
        return rows @ self.whiten.T

    def member(self, mean: Floats, family: type[Gaussian]) -> Gaussian:
        """The Gaussian of this covariance."""
        return family(mean, self.covariance)


def floored(covariance: Floats, scale: Floats, floor: float) -> Floored:
    """The covariance with a floor: in columns divided by `scale`, the variance in any direction is at least `floor`.

    It is the likeliest among the covariances that have this floor.
    """
    variance = np.diagonal(covariance)
    # What shrinking gave to a constant column would drown all others in its unit.
    scale = np.where(variance > _LARGER * scale**2, np.sqrt(variance), scale)
    outer = scale[:, None] * scale
    values, vectors = np.linalg.eigh(covariance / outer)
    raised = int(np.sum(values < floor))
    values = np.maximum(values, floor)
    whiten = vectors / np.sqrt(values) / scale[:, None]
    if raised:
        mended = (vectors * values) @ vectors.T
        covariance = (mended + mended.T) / 2 * outer
    return Floored(covariance, raised, whiten)


def shrunk(moments: Moments, shrinkage: float | str | None, d: int) -> Floats:
    """The covariance ÷n of d columns, moved towards a multiple of the identity by the given share.

    For "auto" the moments are those of [X | X²], and the share is that of Ledoit and Wolf (2004) for columns of
    variance 1.
    """
    covariance = moments.scatter[:d, :d] / moments.weight
    if shrinkage == "auto":
        scale = np.sqrt(np.diagonal(covariance))
        outer = np.where(scale > 0, scale, 1.0)[:, None] * np.where(scale > 0, scale, 1.0)
        standard = covariance / outer
        return np.asarray(_towards_identity(standard, _ledoit_wolf(moments, standard, d)) * outer)
    return covariance if shrinkage is None else _towards_identity(covariance, float(shrinkage))


def _towards_identity(covariance: Floats, share: float) -> Floats:
    d = len(covariance)
    return np.asarray((1 - share) * covariance + share * (np.trace(covariance) / d) * np.eye(d))


def _ledoit_wolf(moments: Moments, standard: Floats, d: int) -> float:
    variance = np.diagonal(moments.scatter)[:d] / moments.weight
    squares, trace = float(np.sum(standard**2)), float(np.trace(standard))
    root = lambda v: np.sqrt(np.maximum(v @ moments.scatter @ v, 0.0))[None]  # noqa: E731
    return ledoit_wolf(moments.weight, moments.mean, variance, root, squares, trace)


def ledoit_wolf(
    weight: float, mean: Floats, variance: Floats, root: Callable[[Floats], Floats], squares: float, trace: float
) -> float:
    """The share of the identity for columns of variance 1, of which `squares` and `trace` are those of the covariance.

    The mean is that of [X | X²], and `root` turns a direction of these columns into numbers whose squares sum up to its
    scatter. E q² of q = Σⱼ uⱼ² follows from them, for u² is linear in x and x².
    """
    d = len(variance)
    if d == 1:
        return 0.0
    precision = 1 / np.where(variance > 0, variance, 1.0)
    slope = np.concatenate([-2 * mean[:d] * precision, precision])
    fourth = float(np.sum(root(slope) ** 2)) / weight + trace**2
    beta = (fourth - squares) / (d * weight)
    delta = (squares - trace**2 / d) / d
    return min(max(beta, 0.0), delta) / delta if delta > 0 else 0.0
