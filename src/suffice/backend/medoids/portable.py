"""The operations of k-medoids in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...typing import Floats, Reals
from ..weights import given_or_ones
from .values import LEAST, Indices, Nearest, Search


def fault(D: Reals, tolerance: float) -> tuple[str, int, int] | None:
    """The place of a cell that is "negative" (or not finite) or "asymmetric"; None where there is none."""
    bad = ~(D >= 0) | np.isinf(D)
    kind = "negative"
    if not bad.any():
        bad, kind = np.abs(D - D.T) > tolerance * (D + D.T), "asymmetric"
    if not bad.any():
        return None
    i, j = np.argwhere(bad)[0]
    return kind, int(i), int(j)


def build(D: Reals, weight: Floats | None, k: int) -> Indices:
    """BUILD: k times the row that lowers the cost most, the first of equals."""
    w = given_or_ones(weight, len(D))
    gain = np.where(w > 0, -(np.asarray(D, np.float64) @ w), -np.inf)
    nearest = np.full(len(D), np.inf)
    chosen: list[int] = []
    for _ in range(k):
        chosen.append(int(np.argmax(gain)))
        nearest = np.minimum(nearest, D[chosen[-1]])
        gain = np.where(w > 0, np.maximum(nearest - D, 0) @ w, -np.inf)
        gain[chosen] = -np.inf
    return np.array(chosen)


def swaps(D: Reals, weight: Floats | None, search: Search) -> Search:
    """One pass over the candidates in row order, for two medoids or more, every swap that lowers the cost made."""
    w, medoids, quiet, k = given_or_ones(weight, len(D)), search.medoids.copy(), search.quiet, len(search.medoids)
    points = Nearest.of(D[medoids].T)
    cost = float(w @ points.first)
    for c in range(len(D)):
        if quiet >= len(D):
            break
        quiet += 1
        if w[c] == 0 or c in medoids:
            continue
        change = points.changes(D[c], w, k)
        if change.min() < -LEAST * cost:
            medoids[np.argmin(change)] = c
            points, quiet = Nearest.of(D[medoids].T), 1
            cost = float(w @ points.first)
    return replace(search, medoids=medoids, cost=cost, quiet=quiet)
