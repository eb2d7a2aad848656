"""Which way up a map is."""

from __future__ import annotations

import numpy as np

from ...typing import Floats


def signs(points: Floats) -> Floats:
    """Factors that make the largest coordinate along each axis positive, (k,)."""
    size = np.abs(points)
    most = size.max(axis=0, initial=0.0)
    largest = np.argmax(np.round(size / np.where(most > 0, most, 1.0), 9), axis=0)
    return np.where(points[largest, np.arange(points.shape[1])] < 0, -1.0, 1.0)


def turned(points: Floats, mass: Floats, as_given: bool = False) -> Floats:
    """Points about their mean, turned to their principal axes, the one of largest variance first; or as they are.

    >>> turned(np.array([[0.0, 0.0], [0.0, 4.0], [1.0, 2.0]]), np.ones(3)).round(6) + 0.0
    array([[ 2.      , -0.333333],
           [-2.      , -0.333333],
           [ 0.      ,  0.666667]])
    """
    if as_given:
        return points
    centred = points - mass @ points / mass.sum()
    _, axes = np.linalg.eigh((centred.T * mass) @ centred)
    found = centred @ axes[:, ::-1]
    return np.asarray(found * signs(found))
