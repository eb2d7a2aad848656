"""Which cells and rows a distribution may give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from ..choices import Named
from ..errors import InvalidData
from ..typing import Flags, Numbers, Reals
from .support import NUMBERS, Support


class Supported(Named):
    """Base of distributions: what a cell may be."""

    support: ClassVar[Support] = NUMBERS  # what a cell may be; elsewhere the density is 0, whatever the formula gives
    missing: ClassVar[bool] = True  # whether cells may be NaN

    @property
    def n_columns(self) -> int | None:
        """How many columns the rows of a member have; None of the family, which takes any number."""
        return None

    def admits(self, X: Reals) -> Flags:
        """Which cells of X, or of the values of sparse rows, are in the support; NaN may be either."""
        return self.support.admits(X)

    def admits_all(self, X: Numbers) -> bool:
        """True only if every cell is in the support; faster than `admits`, which keeps an answer for each."""
        return type(self).admits is Supported.admits and self.support.admits_all(X)

    def outside(self, X: Numbers) -> Flags:
        """Which rows have a cell outside the support, (n,); a missing one is not."""
        if hasattr(X, "tocsr"):
            found, rows = np.zeros(X.shape[0], dtype=bool), X.tocsr()
            found[np.searchsorted(rows.indptr, np.flatnonzero(~self.admits(rows.data)), side="right") - 1] = True
            return found
        if self.admits_all(X):
            return np.zeros(X.shape[0], dtype=bool)
        cells = np.asarray(X)
        return np.asarray((~self.admits(cells) & ~np.isnan(cells)).any(axis=1))

    def possible(self, X: Numbers) -> Flags:
        """Which rows may be drawn from a member, (n,)."""
        return ~self.outside(X)

    def supports(self) -> tuple[Support, ...]:
        """What each column of a member's draws may hold."""
        return (self.support,) * (self.n_columns or 0)

    def check(
        self, X: Numbers, owner: str, number: Callable[[int], int] = int, columns: Sequence[int] | None = None
    ) -> None:
        """Raise `InvalidData` for the first cell outside the support.

        `number` gives the number of a row in the user's table, `columns` are the places of the columns of X.
        """
        if hasattr(X, "tocsr"):
            rows = X.tocsr()
            bad = np.flatnonzero(~self.admits(rows.data))
            if not len(bad):
                return
            i, j = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1, rows.indices[bad[0]]
            value = rows.data[bad[0]]
        else:
            if self.admits_all(X):
                return
            cells = np.asarray(X)
            outside = ~self.admits(cells) & ~np.isnan(cells) if self.missing else ~self.admits(cells)
            if not outside.any():
                return
            i, j = np.argwhere(outside)[0]
            value = cells[i, j]
        place = f"row {number(int(i))}, column {j if columns is None else columns[j]}"
        raise InvalidData(f"{owner}: {place} holds {value:g}; {type(self).__name__} needs {self.support}.")
