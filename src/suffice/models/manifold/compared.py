"""How rows are compared with the objects of a map: by a distance, or by dissimilarities that were given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import sparse

from ...data.rows import in_double
from ...errors import InvalidData, MemoryNeeded, RefusedRow
from ...holds import instance, integers, optional, require, row_array, whole
from ...registry import registered
from ...typing import CSR, Floats, Numbers, Whole
from ..dissimilarity import Dissimilarity
from .objects import Objects


@registered("part/Compared")
@dataclass(frozen=True)
class Compared:
    """The objects (m, d) and their distance; where dissimilarities were given those of all pairs, (m, m).

    Given ones that are sparse are those that each object lists, and no others are known. `at` says in which columns a
    row of given dissimilarities has those to the objects.
    """

    measure: Dissimilarity
    rows: Numbers | None
    given: Numbers | None = None
    at: Whole | None = None
    width: int | None = None  # of such a row

    holds: ClassVar = {
        "measure": instance(Dissimilarity, d="d"),
        "rows": optional(row_array("m", "d")),
        "given": optional(row_array("m", "m")),
        "at": optional(integers("m", at_least=0, below="d")),
        "width": optional(whole("d")),
    }

    def check_loaded(self) -> None:
        """Raise an error unless there are either rows with a distance, or dissimilarities."""
        by_rows = self.measure.distance is not None
        require(by_rows == (self.rows is not None), "rows must be there where a distance is")
        require(
            by_rows == (self.given is None) == (self.at is None), "dissimilarities must be there where rows are not"
        )

    @classmethod
    def of(cls, measure: Dissimilarity, objects: Objects) -> Compared:
        """The objects of a fit; of given dissimilarities those among them are kept, a copy."""
        if measure.distance is not None:
            return cls(measure, objects.rows)
        given = objects.rows[:, objects.at]
        return cls(measure, None, given if sparse.issparse(given) else np.ascontiguousarray(given), *objects.columns())

    def __len__(self) -> int:
        return int((self.rows if self.given is None else self.given).shape[0])  # type: ignore[union-attr]  # one is there

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_turned"}

    @property
    def graph(self) -> CSR | None:
        """The dissimilarities that each object lists; None where those of all pairs can be known."""
        return self.given if sparse.issparse(self.given) else None

    def among(self, some: Whole | None = None) -> Floats:
        """The dissimilarities of all pairs of the objects, or of some, which may be written to; NaN: not known."""
        if self.graph is not None:
            every = np.arange(len(self)) if some is None else some
            return self.from_all(every)[:, every]
        if self.given is not None:
            return np.array(self.given if some is None else self.given[np.ix_(some, some)])
        assert self.rows is not None
        return np.asarray(self.measure.matrix(self.rows if some is None else self.rows[some]))

    def from_all(self, some: Whole) -> Floats:
        """The dissimilarities (q, m) of some objects from all; NaN: not known."""
        if self.graph is not None:
            found, other = filled(self.graph[some]), filled(self._turned[some])
            found = np.where(np.isnan(found), other, found)
            found[np.arange(len(some)), some] = 0.0
            return found
        if self.given is not None:
            return np.asarray(self.given[some])
        assert self.rows is not None
        return self.between(self.rows[some])

    def from_others(self, some: Whole, others: Whole) -> Floats:
        """The dissimilarities (q, m) of some objects from others; NaN: not known."""
        if self.rows is None or self.given is not None:
            return self.from_all(some)[:, others]
        return np.asarray(self.measure.between(in_double(self.rows[some]), others, self.rows[others]))

    @cached_property
    def _turned(self) -> CSR:
        """The objects that list each."""
        assert self.graph is not None
        return sparse.csr_array(self.graph.T)

    def between(self, X: Numbers) -> Floats:
        """From rows to the objects, (q, m), in double; NaN: not known."""
        rows = in_double(X)
        if self.at is not None:
            return filled(rows[:, self.at]) if sparse.issparse(rows) else np.asarray(rows[:, self.at])
        return np.asarray(self.measure.between(rows, np.arange(len(self)), self.rows))

    def at_zero(self, D: Numbers) -> Whole:
        """Which object each row of given dissimilarities (q, m) is at no distance from, −1 for none.

        Of several it is the one whose dissimilarities the row has, where there is one.
        """
        row, column = _zeros(D)
        found = np.full(D.shape[0], -1, dtype=np.int64)
        found[row[::-1]] = column[::-1]
        for i in np.flatnonzero(np.bincount(row, minlength=len(found)) > 1):
            some, own = column[row == i], filled(D[i : i + 1]) if sparse.issparse(D) else D[i]
            same = np.nan_to_num(self.from_all(some), nan=-1.0) == np.nan_to_num(own, nan=-1.0)
            found[i] = some[np.argmax(same.all(axis=1))]
        return found

    def part(self, some: Whole) -> Compared:
        """The same with some of the objects alone."""
        if self.given is not None and self.at is not None:
            return replace(self, given=self.given[some][:, some], at=self.at[some])
        return replace(self, rows=None if self.rows is None else self.rows[some])

    def by_blocks(self, X: Numbers, k: int, place: Callable[[Numbers], Floats], width: int | None = None) -> Floats:
        """What `place` makes of rows, (q, k), cut so that `width` numbers a row, one an object, take some megabytes."""
        out = np.empty((X.shape[0], k))
        for at in self.measure.blocks(X.shape[0], len(self) if width is None else width):
            try:
                out[at] = place(X[at])
            except RefusedRow as error:
                raise error.after(at.start) from None
        return out

    def in_form(self, X: Numbers) -> Numbers:
        """New rows in the form of the objects, dense or sparse."""
        if sparse.issparse(X) == sparse.issparse(self.rows if self.given is None else self.given):
            return X
        if self.given is None:
            return as_array(X) if sparse.issparse(X) else sparse.csr_array(X)
        if sparse.issparse(X):
            raise InvalidData(
                f"{self.measure.owner}: X is a sparse matrix of dissimilarities, but the fit had those of all pairs; "
                "give those to all rows of the fit as a dense array."
            )
        return X


def as_array(X: Numbers) -> Floats:
    """The cells of a sparse matrix, or an array as it is."""
    return np.asarray(sparse.csr_array(X).toarray() if sparse.issparse(X) else X)


def _zeros(D: Numbers) -> tuple[Whole, Whole]:
    """Rows and columns of the cells of 0; those that a sparse matrix does not hold are not known."""
    if not sparse.issparse(D):
        return np.nonzero(np.asarray(D) == 0)  # type: ignore[return-value]
    cells = sparse.coo_array(D)
    at = cells.data == 0
    return cells.row[at].astype(np.int64), cells.col[at].astype(np.int64)


def filled(listed: CSR) -> Floats:
    """A sparse matrix as a whole, NaN where it has no cell."""
    out = np.full(listed.shape, np.nan)
    out[np.repeat(np.arange(listed.shape[0]), np.diff(listed.indptr)), listed.indices] = listed.data
    return out


def check_pairs(owner: str, m: int, copies: int, memory: int, instead: str) -> None:
    """Refuse so many matrices of all pairs that take more than `memory` bytes, before they are made."""
    needed = 8 * copies * m**2
    if needed > memory:
        raise MemoryNeeded(
            f"{owner}: all pairs of {m:,} different rows take {needed:,} bytes, more than memory={memory:,}. {instead}"
        )
