"""Silhouettes: how much nearer each row is to its own cluster than to the next."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_ROWS = 2_000  # more are sampled, as the distances of all pairs are computed


def silhouettes(distances: Floats, labels: NDArray[Any], weight: Floats | None = None) -> Floats:
    """(b − a) / max(a, b) of each row, (n,): a is its mean distance to its own cluster, b to the nearest other.

    `distances` are those of all pairs, (n, n). A weight is a number of equal rows. A row alone in its cluster has 0;
    with one cluster only, all are NaN.

    >>> points = np.array([[0.0], [1.0], [10.0]])
    >>> silhouettes(np.abs(points - points.T), np.array([0, 0, 1]))
    array([0.9       , 0.88888889, 0.        ])
    """
    names, codes = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        return np.full(len(labels), np.nan)
    members = codes[:, None] == np.arange(len(names))  # (n, k)
    weights = members.astype(np.float64) if weight is None else members * weight[:, None]
    sums, sizes = distances @ weights, weights.sum(axis=0)
    own = np.arange(len(codes)), codes
    alone = sizes[codes] <= 1
    a = sums[own] / np.where(alone, 1, sizes[codes] - 1)
    others = sums / sizes
    others[own] = np.inf
    b = others.min(axis=1)
    larger = np.maximum(a, b)
    return np.where(alone | (larger == 0), 0.0, (b - a) / np.where(larger == 0, 1, larger))
