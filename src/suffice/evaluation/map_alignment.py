"""Two maps of the same rows laid on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backend.units import power_of_two
from ..backend.weights import given_or_ones
from ..data.rows import as_rows
from ..data.validate import check_weight
from ..errors import InvalidData
from ..params import check_argument
from ..typing import Floats, TableLike, WeightLike


@dataclass(frozen=True)
class Procrustes:
    """How one map is moved to lie on another: scale · (Z − mean) · rotation + the mean of the other."""

    aligned: Floats  # (n, k)
    rotation: Floats  # (k, k), a reflection where its determinant is −1
    scale: float
    mean: Floats  # (k,), of the map that is moved
    target_mean: Floats  # (k,)
    disparity: float  # what is left, as a share of the scatter of the other map

    def transform(self, Z: TableLike) -> Floats:
        """More places of the moved map, where they then are."""
        return self.scale * (as_rows(Z, "Procrustes") - self.mean) @ self.rotation + self.target_mean


def procrustes(
    target: TableLike, Z: TableLike, *, scaling: bool = True, reflection: bool = True, sample_weight: WeightLike = None
) -> Procrustes:
    """Move a map onto another of the same rows: shift, rotate, reflect and stretch Z so that Σ w ‖t − z′‖² is least.

    The map with fewer coordinates gets coordinates of 0. Without `scaling` distances stay what they are, without
    `reflection` also their sense (Schönemann, 1966).

    >>> import suffice as sf
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> found = sf.procrustes(square, 3 * square[:, ::-1] + 5)
    >>> round(found.scale, 3), np.allclose(found.aligned, square), found.disparity < 1e-12
    (0.333, True, True)
    """
    who = "procrustes"
    for name, value in (("scaling", scaling), ("reflection", reflection)):
        check_argument(who, name, value, choices=(True, False))
    T, A = _places(target, Z, who)
    size, own_size = (power_of_two(rows) for rows in (T, A))
    if not scaling:
        size = own_size = max(size, own_size)
    T, A = T / size, A / own_size
    weight = given_or_ones(None if sample_weight is None else check_weight(sample_weight, len(T), who), len(T))
    means = [weight @ rows / weight.sum() for rows in (T, A)]
    T, A = T - means[0], A - means[1]
    left, singular, right = np.linalg.svd((A.T * weight) @ T)
    sense = np.ones(len(singular))
    if not reflection and np.linalg.det(left @ right) < 0:
        sense[-1] = -1.0
    rotation = (left * sense) @ right
    own, other = float(weight @ (A * A).sum(axis=1)), float(weight @ (T * T).sum(axis=1))
    scale = float(singular @ sense) / own if scaling and own > 0 else 1.0
    aligned = scale * A @ rotation
    rest = float(weight @ ((T - aligned) ** 2).sum(axis=1))
    disparity = rest / other if other > 0 else float(rest > 0)
    to, scale = means[0] * size, scale * (size / own_size)
    return Procrustes((aligned + means[0]) * size, rotation, scale, means[1] * own_size, to, disparity)


def _places(target: TableLike, Z: TableLike, who: str) -> tuple[Floats, Floats]:
    """Two maps with as many coordinates, (n, k) each."""
    T, A = (np.asarray(as_rows(rows, who), dtype=np.float64) for rows in (target, Z))
    if len(T) != len(A):
        raise InvalidData(f"{who}: the maps have {len(T)} and {len(A)} rows; give the same rows in the same order.")
    if not (np.isfinite(T).all() and np.isfinite(A).all()):
        raise InvalidData(f"{who}: a place is missing or infinite; leave such rows out of both maps.")
    k = max(T.shape[1], A.shape[1])
    T, A = (np.pad(rows, ((0, 0), (0, k - rows.shape[1]))) for rows in (T, A))
    return T, A
