"""How rows are compared with the objects of a map: by a distance, or by dissimilarities that were given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...errors import MemoryNeeded
from ...holds import floats, instance, integers, optional, require
from ...registry import registered
from ...typing import Floats, Reals, Whole
from ..dissimilarity import Dissimilarity
from .objects import Objects


@registered("part/Compared")
@dataclass(frozen=True)
class Compared:
    """The objects (m, d) and their distance; where dissimilarities were given those of all pairs, (m, m).

    `at` says in which columns a row of given dissimilarities has those to the objects.
    """

    measure: Dissimilarity
    rows: Floats | None
    given: Floats | None = None
    at: Whole | None = None

    holds: ClassVar = {
        "measure": instance(Dissimilarity, d="d"),
        "rows": optional(floats("m", "d", finite=False)),
        "given": optional(floats("m", "m", finite=False)),
        "at": optional(integers("m", at_least=0, below="d")),
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
        return cls(measure, None, np.ascontiguousarray(objects.rows[:, objects.at]), objects.at)

    def __len__(self) -> int:
        return len(self.rows if self.given is None else self.given)  # type: ignore[arg-type]  # one of them is there

    def among(self, some: Whole | None = None) -> Floats:
        """The dissimilarities of all pairs of the objects, or of some, which may be written to."""
        if self.given is not None:
            return self.given.copy() if some is None else self.given[np.ix_(some, some)]
        assert self.rows is not None
        return np.asarray(self.measure.matrix(self.rows if some is None else self.rows[some]))

    def between(self, X: Reals) -> Floats:
        """From rows to the objects, (q, m), in double."""
        rows = np.asarray(X, dtype=np.float64)
        if self.at is not None:
            return np.asarray(rows[:, self.at])
        return np.asarray(self.measure.between(rows, np.arange(len(self)), self.rows))

    def part(self, some: Whole) -> Compared:
        """The same with some of the objects alone."""
        if self.given is not None and self.at is not None:
            return replace(self, given=np.ascontiguousarray(self.given[np.ix_(some, some)]), at=self.at[some])
        return replace(self, rows=None if self.rows is None else self.rows[some])

    def blocks(self, X: Reals) -> list[slice]:
        """Rows cut so that what `between` gives of a block takes some megabytes."""
        return self.measure.blocks(len(X), len(self))


def check_pairs(owner: str, m: int, copies: int, memory: int, instead: str) -> None:
    """Refuse so many matrices of all pairs that take more than `memory` bytes, before they are made."""
    needed = 8 * copies * m**2
    if needed > memory:
        raise MemoryNeeded(
            f"{owner}: all pairs of {m:,} different rows take {needed:,} bytes, more than memory={memory:,}. {instead}"
        )
