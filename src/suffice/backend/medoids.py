"""k-medoids on a square, symmetric matrix of dissimilarities: starts, and passes of eager swaps (FasterPAM).

A row of weight 0 counts for nothing and is no medoid. Equal weights and repeated rows give the same medoids.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dispatch import is_native
from .native import kernels
from .threads import thread_count
from .weights import doubles, given_or_ones

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAST = 1e-10  # a swap must lower the cost by this part of it
_LAB_MOST = 1000  # rows that one step of `lab` looks at, at the most


@dataclass(frozen=True)
class Search:
    """Where a search stands: the medoids (k,), their cost, and the candidates judged since the last swap."""

    medoids: Indices
    cost: float = math.inf
    quiet: int = 0
    bound: Floats = field(default_factory=lambda: np.empty(0))  # (n,), of the native code: see fasterpam.cpp
    drift: float = 0.0

    def is_done(self, n: int) -> bool:
        """Whether no swap can lower the cost."""
        return self.quiet >= n


def by_rows(D: NDArray[Any]) -> NDArray[Any]:
    """The symmetric matrix with contiguous rows, copied only where neither rows nor columns are."""
    return D.T if D.flags.f_contiguous else np.ascontiguousarray(D)


def fault(D: NDArray[Any], tolerance: float) -> tuple[str, int, int] | None:
    """The place of a cell that is "negative" (or not finite) or "asymmetric"; None where there is none."""
    if is_native(D):
        kind, i, j = kernels().dissimilarity_fault(D, tolerance, thread_count())
        return (("negative", "asymmetric")[kind - 1], i, j) if kind else None
    bad = ~(D >= 0) | np.isinf(D)
    kind = "negative"
    if not bad.any():
        bad, kind = np.abs(D - D.T) > tolerance * (D + D.T), "asymmetric"
    if not bad.any():
        return None
    i, j = np.argwhere(bad)[0]
    return kind, int(i), int(j)


# ---- starts ----


def build(D: NDArray[Any], weight: Floats | None, k: int) -> Indices:
    """BUILD: k times the row that lowers the cost most, the first of equals."""
    if is_native(D):
        medoids = np.zeros(k, dtype=np.int64)
        kernels().medoid_build(D, doubles(weight), thread_count(), medoids)
        return medoids
    w = _weights(D, weight)
    gain = np.where(w > 0, -(np.asarray(D, np.float64) @ w), -np.inf)
    nearest = np.full(len(D), np.inf)
    chosen: list[int] = []
    for _ in range(k):
        chosen.append(int(np.argmax(gain)))
        nearest = np.minimum(nearest, D[chosen[-1]])
        gain = np.where(w > 0, np.maximum(nearest - D, 0) @ w, -np.inf)
        gain[chosen] = -np.inf
    return np.array(chosen)


def draw(weight: Floats, size: int, rng: np.random.Generator) -> Indices:
    """Rows drawn in proportion to their weight, with replacement; the same for weights and for repeated rows."""
    edges = np.cumsum(weight)
    rows = np.searchsorted(edges, rng.random(size) * edges[-1], side="right")
    return np.asarray(np.minimum(rows, len(edges) - 1), dtype=np.int64)


def random(D: NDArray[Any], weight: Floats | None, k: int, rng: np.random.Generator) -> Indices:
    """k rows drawn by weight, no two of them at distance zero while there are others."""
    w = _weights(D, weight).copy()
    medoids: list[int] = []
    while len(medoids) < k and w.any():
        medoids.append(int(draw(w, 1, rng)[0]))
        w[(D[medoids[-1]] == 0)] = 0
        w[medoids[-1]] = 0
    return _filled(medoids, _weights(D, weight), k)


def lab(D: NDArray[Any], weight: Floats | None, k: int, rng: np.random.Generator) -> Indices:
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


def _weights(D: NDArray[Any], weight: Floats | None) -> Floats:
    return given_or_ones(weight, len(D))


def _filled(medoids: list[int], weight: Floats, k: int) -> Indices:
    """The medoids, and the first other rows that count until there are k."""
    others = np.setdiff1d(np.flatnonzero(weight), medoids)
    return np.concatenate([np.array(medoids, dtype=np.int64), others[: k - len(medoids)]])


# ---- swaps ----


@dataclass(frozen=True)
class Nearest:
    """What every row knows: its nearest medoid's slot, the distances to it and to the second nearest, (n,) each."""

    slot: Indices
    first: Floats
    second: Floats

    @classmethod
    def of(cls, distances: NDArray[Any]) -> Nearest:
        """From the distances to the medoids, (n, k); without a second medoid it is infinitely far."""
        slot = np.argmin(distances, axis=1)
        if distances.shape[1] == 1:
            return cls(slot, distances[:, 0].astype(np.float64), np.full(len(slot), np.inf))
        first, second = np.partition(distances.astype(np.float64, copy=False), 1, axis=1)[:, :2].T
        return cls(slot, first, second)

    def changes(self, row: NDArray[Any], weight: Floats, k: int) -> Floats:
        """How the cost changes when the candidate with these distances (n,) takes each medoid's place, (k,)."""
        joined = weight @ np.minimum(row - self.first, 0)
        freed = np.minimum(np.maximum(row, self.first), self.second) - self.first
        return np.asarray(joined + np.bincount(self.slot, weight * freed, minlength=k))


def improve(D: NDArray[Any], weight: Floats | None, search: Search) -> Search:
    """One pass over the candidates in row order, every swap that lowers the cost made at once."""
    if len(search.medoids) == 1:  # the best single row is what BUILD begins with
        medoid = build(D, weight, 1)
        return Search(medoid, float(_weights(D, weight) @ D[medoid[0]]), len(D))
    if not is_native(D):
        return _improve_portable(np.asarray(D), _weights(D, weight), search)
    bound = search.bound.copy() if len(search.bound) else np.full(len(D), -np.inf)
    medoids, memory = search.medoids.copy(), np.array([search.quiet, search.drift, 0.0])
    kernels().medoid_pass(D, doubles(weight), thread_count(), medoids, bound, memory)
    return Search(medoids, float(memory[2]), int(memory[0]), bound, float(memory[1]))


def _improve_portable(D: NDArray[Any], weight: Floats, search: Search) -> Search:
    medoids, quiet, k = search.medoids.copy(), search.quiet, len(search.medoids)
    points = Nearest.of(D[medoids].T)
    cost = float(weight @ points.first)
    for c in range(len(D)):
        if quiet >= len(D):
            break
        quiet += 1
        if weight[c] == 0 or c in medoids:
            continue
        change = points.changes(D[c], weight, k)
        if change.min() < -LEAST * cost:
            medoids[np.argmin(change)] = c
            points, quiet = Nearest.of(D[medoids].T), 1
            cost = float(weight @ points.first)
    return replace(search, medoids=medoids, cost=cost, quiet=quiet)
