"""The operations of k-means: nearest centres, iterations with bounds, and the seeds of k-means++."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Numbers, Reals, Whole
from ..dispatch import DOUBLE, Native, NativeCSR, Operation, Portable
from ..weights import doubles
from . import native, portable, sparse
from .rows import cluster_sums, dense, is_csr, pair_squares, row_squares
from .values import Assignment, Moved

__all__ = [
    "Assignment", "BoundedRows", "Moved", "assign", "bounded_round", "cluster_sums", "dense", "distances", "is_csr",
    "labels_only", "nearest", "pair_squares", "row_squares", "seeds", "sums", "swaps", "update",
]  # fmt: skip

assign = Operation(Native(native.assign), NativeCSR(sparse.assign), Portable(portable.assign))
sums = Operation(Native(native.sums), NativeCSR(sparse.sums), Portable(portable.sums))
nearest = Operation(Native(native.nearest), NativeCSR(sparse.nearest), Portable(portable.nearest))
labels_only = Operation(Native(native.labels_only), NativeCSR(sparse.labels_only), Portable(portable.labels_only))
distances = Operation(Native(native.distances), Portable(portable.distances))
seeds = Operation(Native(native.seeds), Portable(portable.seeds))
swaps = Operation(Native(native.swaps), Portable(portable.swaps))
update = Operation(Native(native.update, dtypes=(DOUBLE,)), Portable(portable.update, in_memory=True))
bounded_round = Operation(
    Native(native.bounded_round), NativeCSR(sparse.bounded_round), Portable(portable.bounded_round), by="rows.X"
)


class BoundedRows:
    """Rows with what is known of each: its centre (-1 at first), how far that is at most, any other at least.

    `sums` (k, d), about the shift, and `mass` (k,) are those of the rows of each centre; `total` is Σ w ‖x − shift‖².
    """

    def __init__(self, X: Reals, weight: Numbers | None, shift: Floats, total: float, k: int) -> None:
        n, d = X.shape
        self.X, self.weight, self.shift, self.total = X, doubles(weight), doubles(shift), total
        self.labels, self.upper, self.lower = np.full(n, -1, np.int32), np.empty(n), np.empty(n)
        self.sums, self.mass = np.zeros((k, d)), np.zeros(k)
        self.expected = n  # rows that the next iteration will scan, as far as known

    def forget(self) -> None:
        """Take no bound for granted in the next round."""
        self.upper[:], self.lower[:] = np.inf, 0.0

    def iterate(self, centres: Floats, drift: Floats) -> Moved:
        """Assign every row, reading only those whose bounds do not settle it; `drift` (k,) is how far centres moved."""
        try:
            done = bounded_round(self, centres, drift)
        except KeyboardInterrupt:  # labels and sums no longer fit each other
            self._begin_again()
            raise
        self.expected = done.scanned
        return done

    def _begin_again(self) -> None:
        self.labels[:], self.sums[:], self.mass[:] = -1, 0.0, 0.0

    def plain_round(self, centres: Floats) -> Moved:
        """The same by assigning every row anew, with `nearest` and `update`."""
        labels = nearest(self.X, centres, self.shift)[0]
        self.forget()
        return self.relabelled(labels, centres)._replace(scanned=len(labels))

    def relabelled(self, labels: NDArray[np.int32], centres: Floats) -> Moved:
        """Take these labels, and see where the centres go."""
        k = len(centres)
        moved = np.flatnonzero(labels != self.labels)
        if 2 * len(moved) > len(labels):
            self.sums[:] = cluster_sums(self.X, labels, k, self.weight, self.shift)
            self.mass[:] = np.bincount(labels, self.weight, k)
        else:
            self._move(moved, labels[moved], k)
        self.labels[:] = labels
        return update(self.sums, self.mass, centres, self.shift, self.total)._replace(changed=len(moved))

    def _move(self, rows: Whole, labels: NDArray[np.int32], k: int) -> None:
        """Some rows from their centres to others."""
        if not len(rows):
            return
        weight = np.ones(len(rows)) if self.weight is None else self.weight[rows]
        twice, group = np.concatenate([rows, rows]), np.concatenate([labels, self.labels[rows]])
        signed = np.concatenate([weight, -weight])
        self.sums += cluster_sums(self.X, group, k, signed, self.shift, twice)
        self.mass += np.bincount(group, signed, k)
