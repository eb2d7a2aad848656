"""The different rows of a fit, which a map places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk
from ...data.distinct import distinct_rows
from ...data.rows import in_double, is_sparse
from ...errors import squares_overflow
from ...typing import Floats, Numbers, Whole


@dataclass(frozen=True)
class Objects:
    """Different rows in rising order, and what equal ones weigh together; a row that weighs nothing is none of them.

    So a weight is the same as repeated rows, and neither the order of the rows nor copies of them matter.
    """

    rows: Numbers  # (m, d), dense or sparse
    weight: Floats  # (m,)
    at: Whole  # (m,) the number of the first row of the fit that each is
    which: Whole  # (n,) which of them each row of the fit is; -1: none

    def __len__(self) -> int:
        return len(self.at)

    def columns(self) -> tuple[Whole, int]:
        """In which columns a row of given dissimilarities or similarities has those to the objects, and of how many."""
        return self.at, int(self.rows.shape[1])

    @classmethod
    def of(cls, rows: Chunk, owner: str, merged: tuple[Whole, Whole] | None = None) -> Objects:
        """Those of some rows; `merged` are the first of equal ones and which each is, where cells do not say it."""
        weight = np.asarray(given_or_ones(rows.weight, len(rows)), dtype=np.float64)
        total = float(weight.sum())
        if not np.isfinite(total * total):
            raise squares_overflow(owner, "sample_weight")
        some = np.flatnonzero(weight > 0)
        cells = in_double(rows.X if len(some) == len(weight) else rows.X[some])
        first, same = distinct_rows(_comparable(cells)) if merged is None else merged
        which = np.full(len(weight), -1, dtype=np.int64)
        which[some] = same
        return cls(cells[first], np.bincount(same, weight[some], len(first)).astype(np.float64), some[first], which)


def _comparable(cells: Numbers) -> Numbers:
    """Cells among which missing ones equal each other."""
    if is_sparse(cells) or not has_gaps(cells):
        return cells
    return np.where(np.isnan(cells), np.inf, cells)


def has_gaps(cells: Numbers) -> bool:
    """Whether cells of a dense table are missing, in one pass that writes nothing: the largest of them is NaN then."""
    return bool(np.isnan(np.max(cells, initial=-np.inf)))
