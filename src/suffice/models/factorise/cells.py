"""The known cells of some rows, by rows and by columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ...data.rows import is_sparse
from ...typing import Floats, Labels, Whole

_NONE = np.empty(0)


@dataclass(frozen=True)
class Cells:
    """Known cells: those of row i stand at starts[i] to starts[i + 1]; what each counts, None: 1.

    Of a sparse matrix those that it stores are known, of an array all that are not NaN.
    """

    starts: Whole  # (n + 1,)
    columns: Whole  # (cells,)
    values: Floats  # (cells,)
    d: int
    weight: Floats | None = None  # (cells,)

    @classmethod
    def of(cls, X: Any, zeros: bool = True) -> Cells:
        """Those of rows; without `zeros` the cells that are 0 are left out."""
        if is_sparse(X):
            starts, columns, values = X.indptr, X.indices, X.data
            kept = ~np.isnan(values) if zeros else ~np.isnan(values) & (values != 0)
            if not kept.all():
                starts = np.append(0, np.cumsum(kept))[starts]
                columns, values = columns[kept], values[kept]
        else:
            kept = ~np.isnan(X) if zeros else ~np.isnan(X) & (X != 0)
            starts, columns, values = np.append(0, np.cumsum(kept.sum(axis=1))), np.nonzero(kept)[1], X[kept]
        return cls(
            np.ascontiguousarray(starts, dtype=np.int64), np.ascontiguousarray(columns, dtype=np.int64),
            np.ascontiguousarray(values, dtype=np.float64), int(X.shape[1]),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.starts) - 1

    def at(self, row: int) -> slice:
        """Where the cells of a row are."""
        return slice(int(self.starts[row]), int(self.starts[row + 1]))

    @property
    def mass(self) -> Floats:
        """What each cell counts, (cells,)."""
        return np.ones(len(self.values)) if self.weight is None else self.weight

    @cached_property
    def rows(self) -> Whole:
        """The row of each cell, (cells,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def turned(self) -> tuple[Whole, Whole, Whole]:
        """The cells column by column: where each begins, their rows, and where each cell stands here."""
        place = np.arange(len(self.values), dtype=np.int64)
        found = sparse.csr_array((place, self.columns, self.starts), shape=(len(self), self.d)).tocsc()
        return tuple(np.asarray(part, dtype=np.int64) for part in (found.indptr, found.indices, found.data))  # type: ignore[return-value]

    def row_sums(self, cells: Floats) -> Floats:
        """What the cells of each row add up to, (n,)."""
        return np.bincount(self.rows, cells, minlength=len(self)).astype(np.float64)

    def column_sums(self, cells: Floats) -> Floats:
        """What the cells of each column add up to, (d,)."""
        return np.bincount(self.columns, cells, minlength=self.d).astype(np.float64)

    def some(self, kept: Labels) -> Cells:
        """The cells for which something holds, (cells,)."""
        return replace(
            self, starts=np.append(0, np.cumsum(kept))[self.starts], columns=self.columns[kept],
            values=self.values[kept], weight=None if self.weight is None else self.weight[kept],
        )  # fmt: skip

    def matrix(self) -> sparse.csr_array:
        """As a sparse matrix."""
        return sparse.csr_array((self.values, self.columns, self.starts), shape=(len(self), self.d))
