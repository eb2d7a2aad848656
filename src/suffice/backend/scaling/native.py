"""The kernels of maps; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Products


def guttman(points: Floats, target: Floats, weight: Floats | None = None, mass: Floats | None = None) -> Products:
    """The products of Guttman's transform, and the stress, of points (m, k)."""
    out, figures = np.empty(points.shape), np.empty(2)
    kernels().guttman(
        np.ascontiguousarray(points), doubles(target), doubles(weight), doubles(mass), thread_count(), out, figures
    )
    return Products(out, float(figures[0]), float(figures[1]))


def isotonic(
    values: Floats, order: Whole, ends: Whole, weight: Floats | None = None, keep_ties: bool = False
) -> Floats:
    """The rising function of the order nearest to the values (n,), by least squares."""
    out = np.empty(len(values))
    kernels().isotonic(doubles(values), doubles(weight), order, ends, keep_ties, out)
    return out


def placed(
    points: Floats,
    mass: Floats,
    target: Floats,
    starts: Floats,
    weight: Floats | None = None,
    most: int = 100,
    tolerance: float = 1e-12,
) -> tuple[Floats, Floats]:
    """Places (q, k) of least stress by distances to the points, and their stress (q,)."""
    places, stress = np.array(starts, dtype=np.float64, order="C"), np.empty(len(target))
    kernels().placed(
        np.ascontiguousarray(points), doubles(mass), doubles(target), doubles(weight), starts.shape[1], most,
        tolerance, thread_count(), places, stress,
    )  # fmt: skip
    return np.ascontiguousarray(places[:, 0]), stress
