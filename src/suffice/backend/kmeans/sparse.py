"""The kernels of k-means for CSR rows; see `portable.py` for what each computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...typing import CSR, Floats
from ..native import kernels
from ..sparse.native import parts
from ..threads import thread_count
from ..weights import doubles
from .values import Assignment, Moved

if TYPE_CHECKING:
    from . import BoundedRows


def assign(X: CSR, centres: Floats, shift: Floats, weight: Floats | None = None) -> Assignment:
    """Nearest centres, with the sums of their rows."""
    return Assignment.of(X, *nearest(X, centres, shift), centres, shift, weight)


def sums(X: CSR, centres: Floats, shift: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """The sums of the rows nearest to each centre, and their weights."""
    found = assign(X, centres, shift, weight)
    return found.sums, found.weight


def nearest(X: CSR, centres: Floats, shift: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Labels and squared distances."""
    labels, squared = np.empty(X.shape[0], np.int32), np.empty(X.shape[0])
    kernels().sparse_nearest(*parts(X), X.shape[1], doubles(centres), _are_turned(X), thread_count(), labels, squared)
    return labels, squared


def labels_only(X: CSR, centres: Floats, shift: Floats) -> NDArray[np.int32]:
    """Labels alone."""
    labels, squared = nearest(X, centres, shift)
    return np.where(np.isfinite(squared), labels, np.int32(-1))


def bounded_round(rows: BoundedRows, centres: Floats, drift: Floats) -> Moved:
    """One round, which reads only the rows whose bounds do not settle them."""
    X, labels, k = rows.X, rows.labels.copy(), len(centres)
    own = np.append(np.inf, drift)  # a row without a label is never settled
    fastest = int(np.argmax(drift))
    others = np.full(k + 1, drift[fastest])
    others[fastest + 1] = np.max(np.delete(drift, fastest), initial=0.0)
    scanned = kernels().sparse_kmeans_look(
        *parts(X), X.shape[1], doubles(centres), _are_turned(X), own, others, thread_count(),
        labels, rows.upper, rows.lower,
    )  # fmt: skip
    return rows.relabelled(labels, centres)._replace(scanned=scanned)


def _are_turned(X: CSR) -> bool:
    """Whether centres are put by columns first: it pays where there are more cells than columns."""
    return bool(X.nnz > 1.6 * X.shape[1])
