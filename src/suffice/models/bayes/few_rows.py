"""Covariances of classes with no more rows than columns, by the rows they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...distributions import FactorGaussian, Gaussian
from ...distributions.few_factors import FewFactors
from ...statistics import RootMoments
from ...statistics.spectrum import of_root
from ...typing import Floats
from .covariance import ledoit_wolf


@dataclass(frozen=True)
class RootCovariance:
    """rootᵀ root + diag(noise), of a root (r, d) and noise (d,)."""

    root: Floats
    noise: Floats

    def times(self, factor: float) -> RootCovariance:
        """The covariance times a factor."""
        return RootCovariance(np.sqrt(factor) * self.root, factor * self.noise)

    def with_noise(self, noise: float) -> RootCovariance:
        """The covariance and a multiple of the identity."""
        return RootCovariance(self.root, self.noise + noise)


@dataclass(frozen=True)
class FlooredRoot:
    """A covariance of few directions, and in how many others it was raised; as `Floored`, without its matrix."""

    few: FewFactors
    raised: int

    @cached_property
    def _loadings(self) -> Floats:
        return self.few.loadings

    def whitened(self, rows: Floats) -> Floats:
        """Rows times A, where A Aᵀ = covariance⁻¹."""
        return self.few.whitened(rows)

    def unwhitened(self, rows: Floats) -> Floats:
        """Rows times Aᵀ."""
        return self.few.unwhitened(rows)

    def member(self, mean: Floats, family: type[Gaussian]) -> FactorGaussian:
        """The Gaussian of this covariance; `family` is the one that has its matrix."""
        loadings = self._loadings
        made = FactorGaussian(mean, loadings=loadings, noise=self.few.scale**2, rank=loadings.shape[1])
        made.__dict__["_few"] = self.few  # what it would find from its loadings again
        return made


def pooled(parts: Sequence[RootCovariance], share: Floats) -> RootCovariance:
    """The sum of covariances by their shares."""
    each = [part.times(float(own)) for part, own in zip(parts, share, strict=True)]
    return RootCovariance(np.vstack([own.root for own in each]), np.sum([own.noise for own in each], axis=0))


def shrunk_root(moments: RootMoments, shrinkage: float | str | None, d: int) -> RootCovariance:
    """As `covariance.shrunk`: the covariance ÷n, moved towards a multiple of the identity by the given share."""
    own = RootCovariance(moments.root[:, :d] / np.sqrt(moments.weight), np.zeros(d))
    if shrinkage is None:
        return own
    variance = np.einsum("rd,rd->d", own.root, own.root)
    if shrinkage != "auto":
        return own.times(1 - float(shrinkage)).with_noise(float(shrinkage) * float(np.mean(variance)))
    unit = np.where(variance > 0, variance, 1.0)
    standard = own.root / np.sqrt(unit)
    squares, trace = float(np.sum((standard @ standard.T) ** 2)), float(np.sum(variance > 0))
    share = ledoit_wolf(moments.weight, moments.mean, variance, lambda v: moments.root @ v, squares, trace)
    shrunk = own.times(1 - share)
    return RootCovariance(shrunk.root, shrunk.noise + share * trace / d * unit)


def floored_root(own: RootCovariance, scale: Floats, floor: float) -> FlooredRoot | None:
    """As `covariance.floored`; None where noise is below the floor in some column, so that directions mix."""
    noisy = bool(own.noise.any())
    if noisy and np.min(own.noise / scale**2) < floor:
        return None
    unit = np.sqrt(own.noise) if noisy else np.sqrt(floor) * scale
    found = of_root(own.root / unit) if own.root.any() else None
    values, axes = (np.zeros(0), np.zeros((0, len(scale)))) if found is None else (found.variance, found.axes)
    if noisy:
        return FlooredRoot(FewFactors(unit, axes, 1 + values), 0)
    kept = values > 1
    return FlooredRoot(FewFactors(unit, axes[kept], values[kept]), len(scale) - int(kept.sum()))
