"""The kernels of k-means: nearest centres, rounds with bounds, and the seeds of k-means++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import native
from .dispatch import is_native
from .threads import thread_count
from .weights import doubles, given_or_ones

Floats = NDArray[np.float64]
_FEW_COLUMNS = 6  # below this the native kernel computes distances as they stand; see native/nearest.hpp
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
    _run(X, centres, shift, weight, found.labels, found.squared, found.sums, found.weight, cost)
    found.cost = float(cost[0])
    return found


def sums(X: Any, centres: Floats, shift: Floats, weight: Any = None) -> tuple[Floats, Floats]:
    """The sums (k, d) of the rows nearest to each centre, about the shift, and their weights (k,).

    A row without a finite distance makes a sum that is not finite.
    """
    if not is_native(X):
        found = _assign_portably(X, centres, shift, weight)
        return found.sums, found.weight
    total, mass = np.zeros(centres.shape), np.zeros(len(centres))
    _run(X, centres, shift, weight, None, None, total, mass, None)
    return total, mass


def nearest(X: Any, centres: Floats, shift: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Labels and squared distances only."""
    if not is_native(X):
        return _nearest_portably(X, centres)
    labels, squared = np.empty(len(X), np.int32), np.empty(len(X))
    _run(X, centres, shift, None, labels, squared, None, None, None)
    return labels, squared


def labels_only(X: Any, centres: Floats, shift: Floats) -> NDArray[np.int32]:
    """Labels alone, which takes less time; -1 where no distance is finite: a cell is missing, infinite or too large."""
    if not is_native(X):
        found, squared = _nearest_portably(X, centres)
        return np.where(np.isfinite(squared), found, np.int32(-1))
    labels = np.empty(len(X), np.int32)
    _run(X, centres, shift, None, labels, None, None, None, None)
    return labels


def _run(X: Any, centres: Floats, shift: Floats, weight: Any, *out: Any) -> None:
    """The kernel; `out` is labels (n,), squared distances (n,), sums (k, d), weights (k,), cost (1,), each or None."""
    exact = not _fits_single(centres, shift)
    native.kernels().assign(X, doubles(weight), doubles(centres), doubles(shift), exact, thread_count(), *out)


def _fits_single(centres: Floats, shift: Floats) -> bool:
    spread = float(np.max(np.abs(centres - shift), initial=0.0))
    return spread == 0 or _SINGLE_RANGE[0] < spread < _SINGLE_RANGE[1]


def _assign_portably(X: Any, centres: Floats, shift: Floats, weight: Any) -> Assignment:
    labels, squared = _nearest_portably(X, centres)
    w, sums = given_or_ones(weight, len(labels)), np.zeros_like(centres)
    np.add.at(sums, labels, w[:, None] * (np.asarray(X, dtype=np.float64) - shift))
    return Assignment(labels, squared, sums, _weights(labels, w, len(centres)), float(w @ squared))


def _nearest_portably(X: Any, centres: Floats) -> tuple[NDArray[np.int32], Floats]:
    Z = np.asarray(X, dtype=np.float64)
    squared = np.stack([np.sum((Z - c) ** 2, axis=1) for c in centres], axis=1)  # (n, k)
    labels = np.argmin(squared, axis=1).astype(np.int32)
    return labels, squared[np.arange(len(Z)), labels]


class Moved(NamedTuple):
    """What a round did: where the centres go (k, d) and how far each (k,), then figures.

    `changed` rows have another centre and `scanned` were read; `empty` centres have no rows and stay. The cost is that
    of the rows assigned anew, `before` at the centres and `after` at their means; `squared` is Σ drift².
    """

    centres: Floats
    drift: Floats
    changed: int
    scanned: int
    empty: int
    before: float
    after: float
    squared: float


class BoundedRows:
    """Rows with what is known of each: its centre (-1 at first), how far that is at most, any other at least.

    `sums` (k, d), about the shift, and `mass` (k,) are those of the rows of each centre; `total` is Σ w ‖x − shift‖².
    """

    def __init__(self, X: Any, weight: Any, shift: Floats, total: float, k: int) -> None:
        n, d = X.shape
        self.X, self.weight, self.shift, self.total = X, doubles(weight), doubles(shift), total
        self.labels, self.upper, self.lower = np.full(n, -1, np.int32), np.empty(n), np.empty(n)
        self.sums, self.mass = np.zeros((k, d)), np.zeros(k)
        self._expected = n  # rows that the next round will scan, as far as known

    def forget(self) -> None:
        """Take no bound for granted in the next round."""
        self.upper[:], self.lower[:] = np.inf, 0.0

    def round(self, centres: Floats, drift: Floats) -> Moved:
        """Assign every row, reading only those whose bounds do not settle it; `drift` (k,) is how far centres moved."""
        after, far = np.empty_like(centres), np.empty(len(centres))
        if not is_native(self.X) or (centres.shape[1] >= _FEW_COLUMNS and not _fits_single(centres, self.shift)):
            return self._plain_round(centres, after, far)
        try:
            figures = native.kernels().kmeans_round(
                self.X, self.weight, doubles(centres), self.shift, drift, self.total, self._expected, thread_count(),
                self.labels, self.upper, self.lower, self.sums, self.mass, after, far,
            )  # fmt: skip
        except KeyboardInterrupt:  # labels and sums no longer fit each other
            self._begin_again()
            raise
        done = Moved(after, far, *figures)
        self._expected = done.scanned
        return done

    def _begin_again(self) -> None:
        self.labels[:], self.sums[:], self.mass[:] = -1, 0.0, 0.0

    def _plain_round(self, centres: Floats, after: Floats, far: Floats) -> Moved:
        """The same by assigning every row anew."""
        k = len(centres)
        labels = nearest(self.X, centres, self.shift)[0]
        moved = np.flatnonzero(labels != self.labels)
        rows = np.asarray(self.X[moved], dtype=np.float64) - self.shift
        w = np.ones(len(moved)) if self.weight is None else self.weight[moved]
        before, known = self.labels[moved], self.labels[moved] >= 0
        np.add.at(self.sums, labels[moved], w[:, None] * rows)
        np.subtract.at(self.sums, before[known], (w[:, None] * rows)[known])
        self.mass += _weights(labels[moved], w, k) - _weights(before[known], w[known], k)
        self.labels[:] = labels
        self.forget()
        figures = native.kernels().kmeans_update(
            self.sums, self.mass, doubles(centres), self.shift, self.total, after, far
        )
        return Moved(after, far, len(moved), len(labels), *figures[2:])


def _weights(labels: Any, weight: Any, k: int) -> Floats:
    return np.bincount(labels, weight, minlength=k).astype(np.float64)


def pair_squares(A: Floats, B: Floats) -> Floats:
    """Squared distances between the rows of two small matrices, (a, b), without cancellation."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(A, B, "sqeuclidean"))


def seeds(X: Any, weight: Any, uniform: Floats, farthest: bool = False) -> Floats:
    """The centres (k, d) of k-means++: each the best of a few rows drawn by weight times squared distance.

    `uniform` (k, candidates) are the random numbers that draw them. With `farthest`, each centre after the first is
    the row farthest from all before it.
    """
    if not is_native(X):
        return _seeds_portably(np.asarray(X, np.float64), weight, uniform, farthest)
    centres = np.empty((len(uniform), X.shape[1]))
    native.kernels().seed(X, doubles(weight), doubles(uniform), farthest, thread_count(), centres)
    return centres


def _seeds_portably(X: Floats, weight: Any, uniform: Floats, farthest: bool) -> Floats:
    w = given_or_ones(weight, len(X))
    chosen, squared = [_drawn(w, uniform[0, :1])[0]], np.full(len(X), np.inf)
    for draws in uniform[1:]:
        squared = np.minimum(squared, pair_squares(X, X[chosen[-1:]])[:, 0])
        if farthest:
            picks = np.array([np.argmax(np.where(w > 0, squared, 0.0))])
        else:
            picks = _drawn(w * squared, draws) if (w * squared).any() else _drawn(w, draws[:1])
        left = w @ np.minimum(squared[:, None], pair_squares(X, X[picks]))
        chosen.append(picks[np.argmin(left)])
    return X[chosen]


def _drawn(mass: Floats, uniform: Floats) -> NDArray[np.intp]:
    """Rows with probability proportional to their mass, by the running sums in row order."""
    running = np.cumsum(mass)
    places = np.searchsorted(running, uniform * running[-1], side="right")
    return np.asarray(np.minimum(places, np.flatnonzero(mass)[-1]))
