"""Inverted lists: for each column the rows that have it, so that a sparse query meets only rows that share a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...holds import floats, integers, record, require, rises
from ...registry import registered
from ...typing import CSR, Floats, Numbers, Whole
from ..dispatch import DOUBLE, Native, Operation, Portable
from ..followed import Declared, just_made
from ..neighbors.lists import Nearest, Within
from . import native, portable
from .native import csr_parts

__all__ = ["Inverted", "nearest", "within"]

Columns = NDArray[np.int32]

nearest = Operation(Native(native.nearest, dtypes=(DOUBLE,)), Portable(portable.nearest, in_memory=True), by="Q.data")
within = Operation(Native(native.within, dtypes=(DOUBLE,)), Portable(portable.within, in_memory=True), by="Q.data")


@registered("part/InvertedLists")
@dataclass(frozen=True, eq=False)
class Inverted(Declared):
    """The rows of a CSR matrix, its columns as lists, the squared lengths of the rows, and the rows by length."""

    rows: tuple[Floats, Columns, Whole]  # cells, columns, starts
    lists: tuple[Floats, Columns, Whole]  # cells, rows, starts
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

    @property
    def places(self) -> tuple[NDArray[np.generic], ...]:
        """What the kernels follow."""
        return *self.rows[1:], *self.lists[1:], self.order

    @classmethod
    def of(cls, X: CSR, squared: Floats) -> Inverted:
        """The lists of the rows of a CSR matrix in double precision."""
        order = np.argsort(squared, kind="stable").astype(np.int32)
        cells, columns, starts = csr_parts(X)
        own = cells, columns.copy(), starts.copy()  # the matrix may be the user's, who may change it
        return just_made(cls(own, csr_parts(X.tocsc()), squared, order))

    def nearest(self, Q: Numbers, squared: Floats, k: int) -> Nearest:
        """The k rows with the least ‖q − x‖² for each query, a CSR matrix; `squared` are its squared lengths."""
        return nearest(Q, squared, self, k)

    def within(self, Q: Numbers, squared: Floats, radius: float) -> Within:
        """The rows with ‖q − x‖² at most `radius`, nearest first."""
        return within(Q, squared, self, radius)
