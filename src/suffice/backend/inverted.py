"""Inverted lists: for each column the rows that have it, so that a sparse query meets only rows that share a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..holds import floats, integers, record, require, rises
from ..registry import registered
from .native import kernels
from .neighbors import Floats, Nearest, Within
from .threads import thread_count

Columns = NDArray[np.int32]


@registered("part/InvertedLists")
@dataclass(frozen=True)
class Inverted:
    """The rows of a CSR matrix, its columns as lists, the squared lengths of the rows, and the rows by length."""

    rows: tuple[Any, ...]  # cells, columns, starts
    lists: tuple[Any, ...]  # cells, rows, starts
    squared: Floats
    order: Columns

    holds: ClassVar = {
        "rows": record(floats("cells"), integers("cells", dtypes=(np.int32,), at_least=0, below="d"), integers("n+1")),
        "lists": record(floats("cells"), integers("cells", dtypes=(np.int32,), at_least=0, below="n"), integers("d+1")),
        "squared": floats("n"),
        "order": integers("n", dtypes=(np.int32,), at_least=0, below="n"),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every row and list is a part of the cells."""
        for cells, _, starts in (self.rows, self.lists):
            require(rises(starts, len(cells)), "starts must rise from 0 to the number of cells")

    @classmethod
    def of(cls, X: Any, squared: Floats) -> Inverted:
        """The lists of the rows of a CSR matrix in double precision."""
        order = np.argsort(squared, kind="stable").astype(np.int32)
        return cls(_parts(X), _parts(X.tocsc()), squared, order)

    def nearest(self, Q: Any, squared: Floats, k: int) -> Nearest:
        """The k rows with the least ‖q − x‖² for each query, a CSR matrix; `squared` are its squared lengths."""
        out = Nearest.room(Q.shape[0], k)
        kernels().inverted_nearest(*self._asked(Q, squared), k, thread_count(), out.distances, out.rows)
        return out

    def within(self, Q: Any, squared: Floats, radius: float) -> Within:
        """The rows with ‖q − x‖² at most `radius`, nearest first."""
        return Within.made(kernels().inverted_within(*self._asked(Q, squared), float(radius), thread_count()))

    def _asked(self, Q: Any, squared: Floats) -> tuple[Any, ...]:
        return *_parts(Q), squared, *self.rows, *self.lists, self.squared, self.order


def _parts(X: Any) -> tuple[Floats, Columns, NDArray[np.int64]]:
    """Cells, places and starts, the places ascending."""
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    return (
        np.ascontiguousarray(X.data, dtype=np.float64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
    )
