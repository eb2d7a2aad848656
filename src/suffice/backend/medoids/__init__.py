"""k-medoids on a square, symmetric matrix of dissimilarities: starts, and passes of eager swaps (FasterPAM).

A row of weight 0 counts for nothing and is no medoid. Equal weights and repeated rows give the same medoids.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals
from ..dispatch import Native, Operation, Portable
from ..weights import RunningMass, given_or_ones
from . import native, portable
from .values import LEAST, Indices, Nearest, Search, by_rows

__all__ = [
    "LEAST", "Floats", "Indices", "Nearest", "Search", "build", "by_rows", "draw", "fault", "improve", "lab", "random",
    "swaps",
]  # fmt: skip

_LAB_MOST = 1000  # rows that one step of `lab` looks at, at the most

fault = Operation(Native(native.fault), Portable(portable.fault))
build = Operation(Native(native.build), Portable(portable.build))
swaps = Operation(Native(native.swaps), Portable(portable.swaps))


def improve(D: Reals, weight: Floats | None, search: Search) -> Search:
    """One pass over the candidates in row order, every swap that lowers the cost made at once."""
    if len(search.medoids) == 1:  # the best single row is what BUILD begins with
        medoid = build(D, weight, 1)
        return Search(medoid, float(_weights(D, weight) @ D[medoid[0]]), len(D))
    return swaps(D, weight, search)


def draw(weight: Floats, size: int, rng: np.random.Generator) -> Indices:
    """Rows drawn in proportion to their weight, with replacement; the same for weights and for repeated rows."""
    return np.asarray(RunningMass(weight).rows(rng.random(size)), dtype=np.int64)


def random(D: NDArray[np.generic], weight: Floats | None, k: int, rng: np.random.Generator) -> Indices:
    """k rows drawn by weight, no two of them at distance zero while there are others."""
    w = _weights(D, weight).copy()
    medoids: list[int] = []
    while len(medoids) < k and w.any():
        medoids.append(int(draw(w, 1, rng)[0]))
        w[(D[medoids[-1]] == 0)] = 0
        w[medoids[-1]] = 0
    return _filled(medoids, _weights(D, weight), k)


def lab(D: Reals, weight: Floats | None, k: int, rng: np.random.Generator) -> Indices:
    """LAB: BUILD where each step looks only at some rows, drawn anew."""
    w = _weights(D, weight)
    size = min(_LAB_MOST, 10 + math.ceil(math.sqrt(w.sum())))
    nearest = np.full(len(D), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        some = draw(w, size, rng)
        own = np.asarray(D[np.ix_(some, some)], np.float64)
        gain = np.maximum(nearest[some] - own, 0).sum(axis=1) if medoids else -own.sum(axis=1)
        best = int(some[np.argmax(gain)])
        if nearest[best] > 0:
            medoids.append(best)
            nearest = np.minimum(nearest, D[best])
    return _filled(medoids, w, k)


def _weights(D: NDArray[np.generic], weight: Floats | None) -> Floats:
    return given_or_ones(weight, len(D))


def _filled(medoids: list[int], weight: Floats, k: int) -> Indices:
    """The medoids, and the first other rows that count until there are k."""
    others = np.setdiff1d(np.flatnonzero(weight), medoids)
    return np.concatenate([np.array(medoids, dtype=np.int64), others[: k - len(medoids)]])
