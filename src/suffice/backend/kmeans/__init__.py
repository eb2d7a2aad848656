"""The operations of k-means: nearest centres, iterations with bounds, and the seeds of k-means++."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Numbers, Reals
from ..dispatch import DOUBLE, Native, Operation, Portable
from ..weights import doubles, given_or_ones
from . import native, portable
from .portable import pair_squares
from .values import Assignment, Moved, cluster_weights

__all__ = [
    "Assignment", "BoundedRows", "Moved", "assign", "bounded_round", "labels_only", "nearest", "pair_squares", "seeds",
    "sums", "swaps", "update",
]  # fmt: skip

assign = Operation(Native(native.assign), Portable(portable.assign))
sums = Operation(Native(native.sums), Portable(portable.sums))
nearest = Operation(Native(native.nearest), Portable(portable.nearest))
labels_only = Operation(Native(native.labels_only), Portable(portable.labels_only))
seeds = Operation(Native(native.seeds), Portable(portable.seeds))
swaps = Operation(Native(native.swaps), Portable(portable.swaps))
update = Operation(Native(native.update, dtypes=(DOUBLE,)), Portable(portable.update, in_memory=True))
bounded_round = Operation(Native(native.bounded_round), Portable(portable.bounded_round), by="rows.X")


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
        k = len(centres)
        labels = nearest(self.X, centres, self.shift)[0]
        moved = np.flatnonzero(labels != self.labels)
        rows = np.asarray(self.X[moved], dtype=np.float64) - self.shift
        w = given_or_ones(None if self.weight is None else self.weight[moved], len(moved))
        before, known = self.labels[moved], self.labels[moved] >= 0
        np.add.at(self.sums, labels[moved], w[:, None] * rows)
        np.subtract.at(self.sums, before[known], (w[:, None] * rows)[known])
        self.mass += cluster_weights(labels[moved], w, k) - cluster_weights(before[known], w[known], k)
        self.labels[:] = labels
        self.forget()
        done = update(self.sums, self.mass, centres, self.shift, self.total)
        return done._replace(changed=len(moved), scanned=len(labels))
