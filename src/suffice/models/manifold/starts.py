"""Where maps of neighbours begin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ...typing import CSR, Floats
from .classical import by_columns, scaled
from .compared import Compared
from .objects import Objects
from .walk import walked

_ALL_PAIRS = 1000  # objects, up to which all pairs are compared for a start


def main_axes(compared: Compared, objects: Objects, k: int, rng: np.random.Generator) -> Floats:
    """Classical scaling: by principal components where that is the same, by some landmarks of many objects."""
    found = by_columns(compared, objects.weight, k)
    if found is not None:
        return found.map.points
    some = np.arange(len(objects))
    if len(objects) > _ALL_PAIRS:
        some = np.sort(rng.permutation(len(objects))[:_ALL_PAIRS])
    part = compared.part(some)
    return scaled(part, objects.weight[some], k, "none", part.among).map.places(objects.rows)


def boxed(points: Floats, side: float) -> Floats:
    """Points moved and stretched along each axis so that they fill a box about 0; an axis without extent stays."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = np.where(high > low, high - low, 1.0)
    return np.asarray((points - (low + high) / 2) / extent * side)


def spectral(W: CSR, mass: Floats, k: int, side: float, middle: Callable[[], Floats]) -> Floats:
    """Laplacian eigenmaps of a graph (m, m) in a box.

    Where it is in pieces, each has one of its own, in the middle of its places in the map `middle()` of all objects,
    half as wide as the nearest other piece is far away.
    """
    count, label = connected_components(W, directed=False)
    if count == 1:
        return boxed(walked(W, mass, k + 1, rough=True).vectors[:, 1:], side)
    everywhere = boxed(middle(), side)
    weight = np.bincount(label, mass)
    centres = np.stack([np.bincount(label, mass * axis) / weight for axis in everywhere.T], axis=1)
    near = cKDTree(centres).query(centres, 2)[0][:, 1]
    out = np.empty((len(mass), k))
    for piece, rows in enumerate(np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])):
        own = walked(sparse.csr_array(W[rows][:, rows]), mass[rows], k + 1, rough=True).vectors[:, 1:]
        out[rows] = centres[piece] + boxed(own, near[piece])
    return out
