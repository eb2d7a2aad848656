"""The kernels of k-means: nearest centres, rounds with bounds, and the steps of k-means++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import native
from .dispatch import is_native
from .threads import thread_count

Floats = NDArray[np.float64]
_FEW_COLUMNS = 6  # below this the native kernel computes distances as they stand; see native/nearest.hpp
_FEW_ROWS = 2000  # so few rows are scanned sooner than the gaps between the centres are computed
_SINGLE_RANGE = (1e-12, 1e12)  # spreads whose squares single precision can hold


@dataclass
class Assignment:
    """The nearest centre (n,) of each row and the squared distance (n,) to it; sums (k, d) are about the shift."""

    labels: NDArray[np.int32]
    squared: Floats
    sums: Floats
    weight: Floats
    cost: float


def assign(X: Any, centres: Floats, shift: Floats, weight: Any = None) -> Assignment:
    """Each row's nearest centre, the first of equally near ones, with the sums of the rows of each centre."""
    if not is_native(X):
        return _assign_portably(X, centres, shift, weight)
    n, (k, d) = len(X), centres.shape
    found = Assignment(np.empty(n, np.int32), np.empty(n), np.zeros((k, d)), np.zeros(k), 0.0)
    cost = np.zeros(1)
    exact = not _fits_single(centres, shift)
    native.kernels().assign(
        X, weight, centres, shift, exact, thread_count(), found.labels, found.squared, found.sums, found.weight, cost
    )
    found.cost = float(cost[0])
    return found


def nearest(X: Any, centres: Floats, shift: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Labels and squared distances only."""
    if not is_native(X):
        found = _assign_portably(X, centres, shift, None)
        return found.labels, found.squared
    labels, squared = np.empty(len(X), np.int32), np.empty(len(X))
    exact = not _fits_single(centres, shift)
    native.kernels().assign(X, None, centres, shift, exact, thread_count(), labels, squared, None, None, None)
    return labels, squared


def _fits_single(centres: Floats, shift: Floats) -> bool:
    spread = float(np.max(np.abs(centres - shift), initial=0.0))
    return spread == 0 or _SINGLE_RANGE[0] < spread < _SINGLE_RANGE[1]


def _assign_portably(X: Any, centres: Floats, shift: Floats, weight: Any) -> Assignment:
    Z = np.asarray(X, dtype=np.float64)
    w = np.ones(len(Z)) if weight is None else weight
    squared = np.stack([np.sum((Z - c) ** 2, axis=1) for c in centres], axis=1)  # (n, k)
    labels = np.argmin(squared, axis=1).astype(np.int32)
    sums = np.zeros_like(centres)
    np.add.at(sums, labels, w[:, None] * (Z - shift))
    own = squared[np.arange(len(Z)), labels]
    return Assignment(labels, own, sums, _weights(labels, w, len(centres)), float(w @ own))


@dataclass
class Bounds:
    """What is known of each row: its centre (-1 at first), how far that is at most and how far any other at least."""

    labels: NDArray[np.int32]
    upper: Floats
    lower: Floats

    @classmethod
    def of(cls, n: int) -> Bounds:
        """Nothing known yet."""
        return cls(np.full(n, -1, np.int32), np.full(n, np.inf), np.zeros(n))

    def forget(self, rows: Any) -> None:
        """Take no bound of these rows for granted in the next round."""
        self.upper[rows], self.lower[rows] = np.inf, 0.0


@dataclass(frozen=True)
class Change:
    """What a round changed: sums (k, d) about the shift and weights (k,) as differences, and how many rows."""

    sums: Floats
    weight: Floats
    changed: int
    scanned: int


def bounded_round(X: Any, centres: Floats, shift: Floats, drift: Floats, bounds: Bounds, weight: Any = None) -> Change:
    """Assign every row, reading only those whose bounds do not settle it; `drift` (k,) is how far centres moved."""
    k, d = centres.shape
    if not is_native(X) or (d >= _FEW_COLUMNS and not _fits_single(centres, shift)):
        return _plain_round(X, centres, shift, bounds, weight)
    sums, total, counts = np.zeros((k, d)), np.zeros(k), np.zeros(2, np.int64)
    gaps = np.zeros(k) if len(X) < _FEW_ROWS else half_gaps(centres)
    native.kernels().kmeans_round(
        X, weight, centres, shift, drift, gaps, thread_count(), bounds.labels, bounds.upper, bounds.lower, sums, total,
        counts,
    )  # fmt: skip
    return Change(sums, total, int(counts[0]), int(counts[1]))


@dataclass(frozen=True)
class Moved:
    """Where the centres go (k, d), how far each (k,), the cost before and after, and Σ drift²."""

    centres: Floats
    drift: Floats
    before: float
    after: float
    squared: float


def update(sums: Floats, weight: Floats, centres: Floats, shift: Floats, total: float) -> Moved:
    """Move the centres to the means of their rows; `sums` are about the shift, `total` is Σ w ‖x − shift‖²."""
    moved, drift, figures = np.empty_like(centres), np.empty(len(centres)), np.empty(3)
    native.kernels().kmeans_update(sums, weight, centres, shift, total, moved, drift, figures)
    before, after, squared = figures.tolist()
    return Moved(moved, drift, before, after, squared)


def _plain_round(X: Any, centres: Floats, shift: Floats, bounds: Bounds, weight: Any) -> Change:
    """The same by assigning every row anew."""
    k = len(centres)
    labels = nearest(X, centres, shift)[0]
    moved = np.flatnonzero(labels != bounds.labels)
    rows = np.asarray(X[moved], dtype=np.float64) - shift
    w = np.ones(len(moved)) if weight is None else weight[moved]
    before, known = bounds.labels[moved], bounds.labels[moved] >= 0
    sums, total = np.zeros_like(centres), _weights(labels[moved], w, k)
    np.add.at(sums, labels[moved], w[:, None] * rows)
    np.subtract.at(sums, before[known], (w[:, None] * rows)[known])
    total -= _weights(before[known], w[known], k)
    bounds.labels[:] = labels
    return Change(sums, total, len(moved), len(labels))


def _weights(labels: Any, weight: Any, k: int) -> Floats:
    return np.bincount(labels, weight, minlength=k).astype(np.float64)


def half_gaps(centres: Floats) -> Floats:
    """Half the distance from each centre to the nearest other one, (k,); a little less, for rounding."""
    k = len(centres)
    if k == 1:
        return np.full(1, np.inf)
    squared = pair_squares(centres, centres)
    squared[np.diag_indices(k)] = np.inf
    return np.asarray(0.5 * np.sqrt(squared.min(axis=1)) * (1 - 1e-9))


def pair_squares(A: Floats, B: Floats) -> Floats:
    """Squared distances between the rows of two small matrices, (a, b), without cancellation."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(A, B, "sqeuclidean"))


class Seeding:
    """Seeds of k-means++ so far: for each row the nearest of them and the squared distance to it."""

    def __init__(self, X: Any, weight: Any, k: int, trials: int) -> None:
        n, d = X.shape
        self.X, self.weight = X, weight
        self.centres, self.count = np.empty((k, d)), 0
        self.squared, self.nearest = np.full(n, np.inf), np.zeros(n, np.int32)
        self.totals = np.zeros(-(-n // stripe_height(n)))  # Σ w squared of each stripe of rows
        # The native kernels keep distances in single precision, which must be able to hold them.
        self._native = is_native(X) and _squares_fit_single(X)
        self._distance = np.empty(n * trials, np.float32 if self._native else np.float64)

    def add(self, candidates: Floats) -> None:
        """Take the candidate (c, d) in that leaves the smallest Σ w squared; the first of equally good ones."""
        c = len(candidates)
        if len(self.X) < _FEW_ROWS:
            limit = np.zeros((c, self.count))  # nothing is skipped
        else:
            limit = np.ascontiguousarray(pair_squares(candidates, self.centres[: self.count]) / 4)
        distance = self._distance[: len(self.X) * c].reshape(len(self.X), c)
        best = int(np.argmin(self._potentials(candidates, limit, distance)))
        self._take(distance, best)
        self.centres[self.count] = candidates[best]
        self.count += 1

    def _potentials(self, candidates: Floats, limit: Floats, distance: Any) -> Floats:
        if not self._native:
            distance[:] = pair_squares(np.asarray(self.X, np.float64), candidates)
            w = np.ones(len(self.X)) if self.weight is None else self.weight
            return np.asarray(w @ np.minimum(self.squared[:, None], distance))
        potential = np.zeros(len(candidates))
        native.kernels().seed_potentials(
            self.X, self.weight, candidates, self.squared, self.nearest, limit, thread_count(), distance, potential
        )
        return potential

    def _take(self, distance: Any, best: int) -> None:
        if not self._native:
            nearer = distance[:, best] < self.squared
            self.squared[nearer], self.nearest[nearer] = distance[nearer, best], self.count
            mass = self.squared if self.weight is None else self.weight * self.squared
            self.totals[:] = np.add.reduceat(mass, np.arange(0, len(mass), stripe_height(len(mass))))
            return
        native.kernels().seed_take(
            distance, best, self.weight, self.squared, self.nearest, self.count, thread_count(), self.totals
        )


def _squares_fit_single(X: Any) -> bool:
    spread = float(np.max(np.abs(X[:: max(1, len(X) // 1000)].astype(np.float64) - X[0]), initial=0.0))
    return spread == 0 or _SINGLE_RANGE[0] < spread < _SINGLE_RANGE[1]


def stripe_height(n: int) -> int:
    """How many rows a stripe of `Seeding.totals` has."""
    return int(native.kernels().stripe_height(n))
