"""Covariances of classes: shrunk, pooled, and with a floor under their variances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...statistics import DiagonalMoments, Moments
from ...typing import Floats


def column_scale(parts: tuple[Moments | DiagonalMoments, ...]) -> Floats:
    """The standard deviation of each column over all classes, (d,); 1 where it does not vary."""
    total = sum(parts[1:], parts[0])
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


def floored(covariance: Floats, scale: Floats, floor: float) -> Floored:
    """The covariance with a floor: in columns divided by `scale`, the variance in any direction is at least `floor`.

    It is the likeliest among the covariances that have this floor.
    """
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
    """The share of the identity; E q² of q = Σⱼ uⱼ² follows from the moments, for u² is linear in x and x²."""
    if d == 1:
        return 0.0
    n, mean, trace = moments.weight, moments.mean[:d], float(np.trace(standard))
    variance = np.diagonal(moments.scatter)[:d] / n
    precision = 1 / np.where(variance > 0, variance, 1.0)
    slope = np.concatenate([-2 * mean * precision, precision])
    fourth = float(slope @ moments.scatter @ slope) / n + trace**2
    squares = float(np.sum(standard**2))
    beta = (fourth - squares) / (d * n)
    delta = (squares - trace**2 / d) / d
    return min(max(beta, 0.0), delta) / delta if delta > 0 else 0.0
