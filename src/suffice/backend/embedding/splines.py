"""B-splines at the knots around places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...typing import Floats, Whole

KNOTS = 6  # that a quintic spline reaches
BEFORE = 2  # of them come before the knot a place is behind


class Knots(NamedTuple):
    """The knots around places (q, 6), and the spline there, its slope and its curvature."""

    at: Whole
    value: Floats
    slope: Floats
    curve: Floats


def knots(places: Floats, origin: float, step: float, count: int) -> Knots:
    """Those of one axis; places beyond the knots are taken at their rim."""
    at = (np.asarray(places, dtype=np.float64) - origin) / step
    rim = float(count - KNOTS + BEFORE)
    at = np.where(at >= BEFORE, np.minimum(at, rim), float(BEFORE))
    whole = np.minimum(np.floor(at), rim)
    first, t = whole.astype(np.int64) - BEFORE, at - whole
    slope = _difference(spline(t, KNOTS - 1), step)
    curve = _difference(_difference(spline(t, KNOTS - 2), step), step)
    return Knots(first[:, None] + np.arange(KNOTS), spline(t, KNOTS), slope, curve)


def spline(t: Floats, order: int) -> Floats:
    """The B-spline of an order at the knots around places that are t behind one of them, (q, 6)."""
    weight = np.zeros((len(t), KNOTS))
    weight[:, 0] = 1
    for r in range(2, order + 1):
        own = weight.copy()
        for j in range(r):
            before = own[:, j - 1] if j > 0 else 0.0
            here = own[:, j] if j + 1 < r else 0.0
            weight[:, j] = ((t + (r - 1 - j)) * before + (j + 1 - t) * here) / (r - 1)
    return weight


def _difference(weight: Floats, step: float) -> Floats:
    return np.asarray(np.diff(np.pad(weight, ((0, 0), (1, 0))), axis=1) / -step)
