"""Rows that stay where they are, in files or on a cluster: every question is one pass over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..backend.arrays import Array
from ..backend.neighbors import Nearest, Within
from ..data import Chunk, Source
from ..distances import Distance
from ..errors import InvalidParameter
from ..statistics import NearestRows
from ..typing import Whole
from .base import Index
from .brute import Brute
from .kd_tree import joined


@dataclass(frozen=True)
class _Lists:
    """Lists of pieces of the rows, which add up."""

    found: Within

    def __add__(self, other: _Lists) -> _Lists:
        return _Lists(joined(self.found, other.found))


@dataclass(frozen=True, eq=False)
class Scanned(Index, saved=False):  # its rows are elsewhere
    """The rows of a source, compared piece by piece: memory for one piece and the lists, whatever the number of rows.

    Rows of weight 0 are passed over; `counts` has the rows that count, so that numbers are those of an index in memory.
    """

    source: Source | None = None
    counts: NDArray[np.bool_] | None = None  # (rows of the source,); None where all count
    total: int = 0

    name: ClassVar = "scanned"

    @property
    def n_rows(self) -> int:
        """How many rows can be found."""
        return self.total

    @classmethod
    def over(
        cls, source: Source, measure: Distance, counts: NDArray[np.bool_] | None, total: int, reason: str
    ) -> Scanned:
        """The index of the rows of a source, with a distance that knows already what it takes from all rows."""
        return cls(measure, np.empty((0, len(source.schema))), reason, source, counts, total)

    def _nearest(self, Q: Array, k: int) -> Nearest:
        bare = replace(self, source=None, counts=None)  # what travels to workers
        merged = self._reduced(lambda chunk: bare._piece(chunk, Q, k))
        return Nearest(merged.distances, self._numbers(merged.rows))

    def _piece(self, chunk: Chunk, Q: Array, k: int) -> NearestRows:
        rows, places = self._counted(chunk)
        if not len(rows):
            return NearestRows(np.empty((len(Q), 0)), np.empty((len(Q), 0), dtype=np.int64), k)
        found = Brute(self.measure, rows)._nearest(Q, min(k, len(rows)))
        return NearestRows(found.distances, places[found.rows], k)

    def _within(self, Q: Array, radius: float) -> Within:
        bare = replace(self, source=None, counts=None)
        found = self._reduced(lambda chunk: bare._near_piece(chunk, Q, radius)).found
        return Within(found.ends, found.distances, self._numbers(found.rows))

    def _near_piece(self, chunk: Chunk, Q: Array, radius: float) -> _Lists:
        rows, places = self._counted(chunk)
        if not len(rows):
            return _Lists(Within(np.zeros(len(Q), dtype=np.int64), np.empty(0), np.empty(0, dtype=np.int64)))
        found = Brute(self.measure, rows)._within(Q, radius)
        return _Lists(Within(found.ends, found.distances, places[found.rows]))

    def _reduced(self, summarise: Any) -> Any:
        assert self.source is not None
        if self.source.n_rows is not None:
            return self.source.reduce(summarise)
        total = None  # pieces must know where they start, which only one after the other can
        for chunk in self.source.chunks():
            part = summarise(chunk)
            total = part if total is None else total + part
        return total

    def _counted(self, chunk: Chunk) -> tuple[Array, Whole]:
        """The rows of a chunk that count, made ready, and their places in the source."""
        at = np.arange(len(chunk)) if chunk.weight is None else np.flatnonzero(chunk.weight > 0)
        values = chunk.X if len(at) == len(chunk) else chunk.X[at]
        return (self._comparable(self.measure, values) if len(at) else values), at + chunk.start

    def _numbers(self, places: Whole) -> Whole:
        return places if self.counts is None else (np.cumsum(self.counts) - 1)[places]

    def insert(self, X: object) -> Self:
        """Rows cannot be added to a source."""
        raise InvalidParameter(
            "Scanned: rows in files cannot be inserted or removed; raise memory to hold them, and fit again."
        )

    def remove(self, rows: object) -> Self:
        """Rows cannot be taken from a source."""
        return self.insert(rows)
