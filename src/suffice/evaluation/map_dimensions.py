"""How many coordinates a map needs: what is left of the dissimilarities with each number of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..errors import InvalidParameter
from ..plots import Band, BandsDisplay
from ..typing import AxesLike, EstimatorLike, Floats, TableLike, WeightLike, Whole


@dataclass(frozen=True)
class StressByDimension:
    """For each number of coordinates: stress-1 and residual variance of the pairs that `shepard()` gives."""

    n_components: Whole
    stress_1: Floats
    residual_variance: Floats

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """Both over the number of coordinates: where the lines bend, more coordinates say little more."""
        lines = {"stress-1": self.stress_1, "residual variance": self.residual_variance}
        bands = [Band(name, self.n_components.astype(np.float64), values) for name, values in lines.items()]
        return BandsDisplay(bands, "coordinates", "left by the map").drawn(ax)


def stress_by_dimension(
    model: EstimatorLike,
    X: TableLike,
    n_components: Sequence[int] = (1, 2, 3, 4, 5),
    *,
    sample_weight: WeightLike = None,
) -> StressByDimension:
    """Fit a map with each number of coordinates, and say what it leaves: Kruskal's and Tenenbaum's elbows.

    The model is any map with `shepard()`. Of maps whose distances have no unit, such as `SpectralEmbedding`, the
    residual variance alone says something.

    >>> import suffice as sf
    >>> cities = sf.datasets.load("us_city_distances").matrix()
    >>> found = sf.stress_by_dimension(sf.MDS(metric="precomputed"), cities, [1, 2, 3])
    >>> found.stress_1.round(3)
    array([0.177, 0.002, 0.002])
    """
    who = "stress_by_dimension"
    if not hasattr(model, "shepard"):
        raise InvalidParameter(f"{who}: the model must be a map, such as MDS(); got {model!r:.80}.")
    ks = [int(k) for k in n_components]
    if not ks or min(ks) < 1:
        raise InvalidParameter(f"{who}: n_components must be integers, at least 1; got {n_components!r}.")
    found = [_left(clone(model).set_params(n_components=k).fit(X, sample_weight=sample_weight)) for k in ks]
    stress, residual = (np.array(column) for column in zip(*found, strict=True))
    return StressByDimension(np.array(ks, dtype=np.int64), stress, residual)


def _left(model: Any) -> tuple[float, float]:
    pairs = model.shepard()
    squares, apart = float(pairs.distance @ pairs.distance), float(np.sum((pairs.disparity - pairs.distance) ** 2))
    spread = np.ptp(pairs.distance) > 0 and np.ptp(pairs.dissimilarity) > 0 if len(pairs.distance) else False
    related = float(np.corrcoef(pairs.dissimilarity, pairs.distance)[0, 1]) if spread else 1.0
    return float(np.sqrt(apart / squares)) if squares > 0 else 0.0, 1 - related**2
