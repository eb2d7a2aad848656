"""The kernels of k-means; see `portable.py` for what each computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Assignment, Moved

if TYPE_CHECKING:
    from . import BoundedRows


def assign(X: Reals, centres: Floats, shift: Floats, weight: Floats | None = None) -> Assignment:
    """Nearest centres, with the sums of their rows."""
    n, (k, d) = len(X), centres.shape
    found = Assignment(np.empty(n, np.int32), np.empty(n), np.zeros((k, d)), np.zeros(k), 0.0)
    cost = np.zeros(1)
    _assign(X, centres, shift, weight, found.labels, found.squared, found.sums, found.weight, cost)
    found.cost = float(cost[0])
    return found


def sums(X: Reals, centres: Floats, shift: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """The sums of the rows nearest to each centre, and their weights."""
    total, mass = np.zeros(centres.shape), np.zeros(len(centres))
    _assign(X, centres, shift, weight, None, None, total, mass, None)
    return total, mass


def nearest(X: Reals, centres: Floats, shift: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Labels and squared distances."""
    labels, squared = np.empty(len(X), np.int32), np.empty(len(X))
    _assign(X, centres, shift, None, labels, squared, None, None, None)
    return labels, squared


def labels_only(X: Reals, centres: Floats, shift: Floats) -> NDArray[np.int32]:
    """Labels alone."""
    labels = np.empty(len(X), np.int32)
    _assign(X, centres, shift, None, labels, None, None, None, None)
    return labels


def distances(X: Reals, centres: Floats, shift: Floats) -> Reals:
    """Distances of rows from centres."""
    found = np.empty((len(X), len(centres)), X.dtype)
    kernels().centre_distances(X, doubles(centres), doubles(shift), thread_count(), found)
    return found


def _assign(X: Reals, centres: Floats, shift: Floats, weight: Floats | None, *out: NDArray[np.generic] | None) -> None:
    """The kernel; `out` is labels (n,), squared distances (n,), sums (k, d), weights (k,), cost (1,), each or None."""
    kernels().assign(X, doubles(weight), doubles(centres), doubles(shift), thread_count(), *out)


def bounded_round(rows: BoundedRows, centres: Floats, drift: Floats) -> Moved:
    """One round, which reads only the rows whose bounds do not settle them."""
    after, far = np.empty_like(centres), np.empty(len(centres))
    figures = kernels().kmeans_round(
        rows.X, rows.weight, doubles(centres), rows.shift, drift, rows.total, rows.expected, thread_count(),
        rows.labels, rows.upper, rows.lower, rows.sums, rows.mass, after, far,
    )  # fmt: skip
    return Moved(after, far, *figures)


def update(sums: Floats, mass: Floats, centres: Floats, shift: Floats, total: float) -> Moved:
    """Where centres go, to the means of their rows."""
    after, far = np.empty_like(centres), np.empty(len(centres))
    figures = kernels().kmeans_update(sums, mass, doubles(centres), doubles(shift), total, after, far)
    return Moved(after, far, *figures)


def swaps(X: Reals, centres: Floats, uniform: Floats) -> Floats:
    """Centres after exchanges."""
    after = np.array(centres, dtype=np.float64, order="C")
    kernels().kmeans_swaps(X, doubles(uniform), thread_count(), after)
    return after


def seeds(X: Reals, weight: Floats | None, uniform: Floats, farthest: bool = False) -> Floats:
    """The centres of k-means++, or the farthest rows."""
    centres = np.empty((len(uniform), X.shape[1]))
    kernels().seed(X, doubles(weight), doubles(uniform), farthest, thread_count(), centres)
    return centres
