"""The rows of a fit: brought into memory where they fit, else left where they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...backend.weights import given_or_ones
from ...data import Chunk, Schema, Source
from ...errors import InvalidData, MemoryNeeded
from ...holds import either, flags, floats, label_array, optional, row_array
from ...indices.base import stacked
from ...registry import registered
from ...typing import CSR, Floats, Labels, TableLike, TargetLike


@registered("part/TrainingRows")
@dataclass(frozen=True)
class Training:
    """The rows that have a weight; X is None where they are left in their source, which `counts` then numbers."""

    X: Any
    y: Any
    weight: Floats | None
    counts: NDArray[np.bool_] | None = None

    holds: ClassVar = {
        "X": optional(row_array("n", "d")),
        "y": optional(either(label_array("n"), label_array("n", None))),
        "weight": optional(floats("n", above=0)),
        "counts": optional(flags(None)),
    }

    @property
    def n_rows(self) -> int:
        """How many rows."""
        return int(self.X.shape[0]) if self.counts is None else int(self.counts.sum())

    @classmethod
    def of(cls, source: Source, memory: int) -> Training:
        """The rows of a source; targets and weights are always brought into memory."""
        try:
            rows = source.gather(memory)
        except MemoryNeeded:
            beside = source.mapped(_without_cells, Schema(())).gather()
            counts = given_or_ones(beside.weight, len(beside)) > 0
            return cls(None, beside.y, beside.weight, counts)._with_weight()
        return cls(rows.X, rows.y, rows.weight)._with_weight()

    def _with_weight(self) -> Training:
        if self.weight is None or np.all(self.weight > 0):
            return self
        at = np.flatnonzero(self.weight > 0)
        X, y = (None if values is None else values[at] for values in (self.X, self.y))
        return replace(self, X=X, y=y, weight=self.weight[at])

    def __add__(self, other: Training) -> Training:
        """More rows behind these, all in memory."""
        weight = None
        if self.weight is not None or other.weight is not None:
            weight = np.concatenate([_weights(self), _weights(other)])
        y = None if self.y is None or other.y is None else np.concatenate([self.y, other.y])
        return Training(stacked(self.X, other.X), y, weight)

    def at(self, rows: Labels) -> Training:
        """Some of the rows."""
        y, weight = (None if values is None else values[rows] for values in (self.y, self.weight))
        return Training(self.X[rows], y, weight)


def _without_cells(chunk: Chunk) -> Chunk:
    return replace(chunk, X=np.empty((len(chunk), 0)))


def _weights(rows: Training) -> Floats:
    return given_or_ones(rows.weight, rows.n_rows)


def places_of(X: TableLike, y: TargetLike, among: Training, owner: str) -> NDArray[np.int64]:
    """For each row of X the place of an equal row with an equal target, the last one that is not taken yet."""
    waiting: dict[object, list[int]] = {}
    for place, key in enumerate(_keys(among.X, among.y if y is not None else None)):
        waiting.setdefault(key, []).append(place)
    found = []
    for i, key in enumerate(_keys(X, y)):
        if not waiting.get(key):
            raise InvalidData(f"{owner}: row {i} is not among the rows of the fit, so it cannot be removed.")
        found.append(waiting[key].pop())
    return np.array(found, dtype=np.int64)


def _cut(X: CSR) -> list[tuple[Labels, Labels]]:
    """Columns and cells of each row of a CSR matrix."""
    return [(X.indices[a:b], X.data[a:b]) for a, b in pairwise(X.indptr)]


def _keys(X: TableLike, y: Any) -> list[object]:
    cells: list[object]
    if sparse.issparse(X):
        cells = [(places.tobytes(), values.tobytes()) for places, values in _cut(X)]
    else:
        cells = [row.tobytes() for row in np.ascontiguousarray(X, dtype=np.float64)]
    return cells if y is None else list(zip(cells, [repr(np.asarray(t).tolist()) for t in y], strict=True))
