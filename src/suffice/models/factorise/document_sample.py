"""Some documents in memory: different ones, each counting as much as all its copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ...observing import observers
from .cells import Cells
from .documents import Documents, Pieces


@dataclass(frozen=True)
class Together:
    """Documents in memory as one piece."""

    found: Documents

    def pieces(self) -> Iterator[tuple[slice, Documents]]:
        """All of them, reported to the observers when they were used."""
        n = len(self.found)
        yield slice(0, n), self.found
        for observer in observers():
            observer.rows_read(n, n)


def different(source: Pieces, size: int, seed: int) -> Documents:
    """At most `size` documents with words that differ, drawn by these words and the seed, in an order of their own.

    Each has the weight of all that are equal to it, wherever these are.
    """
    kept: Documents | None = None
    for _, found in source.pieces():
        kept = _merged(found if kept is None else _joined(kept, found), size, seed)
    assert kept is not None
    return kept


def _merged(found: Documents, size: int, seed: int) -> Documents:
    weight, keys = found.counts, found.luck(seed)
    some = np.flatnonzero((weight > 0) & (np.diff(found.cells.starts) > 0))
    different, first, which = np.unique(keys[some], return_index=True, return_inverse=True)
    total = np.bincount(which, weight[some], minlength=len(different)).astype(np.float64)
    return Documents(Cells.of(found.cells.matrix()[some[first[:size]]]), None, total[:size])


def _joined(one: Documents, other: Documents) -> Documents:
    both = sparse.csr_array(sparse.vstack([one.cells.matrix(), other.cells.matrix()]))
    return Documents(Cells.of(both), None, np.append(one.counts, other.counts))
