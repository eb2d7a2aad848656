"""Rows drawn apart into parts, copies of one row each by itself: a weight of 3 is three rows.

Which part a copy is in depends on the cells of its row, its target, its number among the copies and the seed, and on
nothing else: so the order of rows does not matter, files give the parts of memory, and weights are as good as repeated
rows. As a hash the draw is as good as a random one, which rows that are exchangeable need.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk
from ...errors import InvalidData
from ...statistics import row_uniforms
from ...typing import Floats, Labels, Whole

_MOST = 1000  # copies of a row that are drawn by themselves; heavier rows are cut in so many pieces


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows that all differ with their targets as numbers (n,), and the weight of each in every part, (n, parts)."""

    rows: Chunk
    target: Floats
    weight: Floats

    @property
    def count(self) -> int:
        """The number of parts."""
        return int(self.weight.shape[1])

    def only(self, part: int) -> tuple[Chunk, Floats]:
        """The rows of a part, with their weights there, and their targets."""
        weight = self.weight[:, part]
        return self._weighted(weight), self.target[weight > 0]

    def without(self, part: int | None) -> Chunk:
        """The rows of all other parts; of all parts for None."""
        others = self.weight if part is None else np.delete(self.weight, part, axis=1)
        return self._weighted(others.sum(axis=1))

    def _weighted(self, weight: Floats) -> Chunk:
        some = np.flatnonzero(weight > 0)
        own = self.rows.at(some)
        return replace(own, weight=None if np.all(weight[some] == 1) else weight[some])


@dataclass(frozen=True, eq=False)
class Copies:
    """Rows that all differ (m,), and their copies: the row of each (u,), what it weighs (u,), and a draw in (0, 1)."""

    rows: Chunk
    target: Floats
    row: Whole
    weight: Floats
    drawn: Floats

    @classmethod
    def of(cls, rows: Chunk, target: Floats, seed: int) -> Copies:
        """The copies of rows that all weigh something; `target` (n,) are numbers or codes of classes."""
        weight = given_or_ones(rows.weight, len(rows))
        keys = np.column_stack([row_uniforms(rows.X, 0), row_uniforms(target[:, None], 1)])
        _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        total = np.bincount(place.ravel(), weight)
        order = np.argsort(first, kind="stable")  # as the rows stand in the table
        first, total = first[order], total[order]
        count = np.clip(np.ceil(total - 1e-9), 1, _MOST).astype(np.int64)
        row = np.repeat(np.arange(len(first)), count)
        number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        drawn = row_uniforms(np.column_stack([keys[first][row], number]), seed)
        return cls(replace(rows.at(first), weight=None), target[first], row, (total / count)[row], drawn)

    @property
    def total(self) -> Floats:
        """What the copies of each row weigh together, (m,)."""
        return np.asarray(np.bincount(self.row, self.weight), dtype=np.float64)

    def split(self, share: float, by_kind: bool, owner: str) -> Parts:
        """Two parts: those learned from, and a share of the copies that is left out; `by_kind` of each target by
        itself, where one copy of it at least is learned from."""
        kind = self.target[self.row] if by_kind else np.zeros(len(self.row))
        left_out = np.zeros(len(self.row), dtype=bool)
        for own in (np.flatnonzero(kind == one) for one in np.unique(kind)):
            most = int(np.clip(round(share * len(own)), 1, max(len(own) - 1, 0)))
            left_out[own[np.argsort(self.drawn[own], kind="stable")[:most]]] = True
        return self._parts(left_out, 2, owner)

    def folds(self, count: int, by_kind: bool, owner: str) -> Parts:
        """Parts of about as many copies, no more than there are copies; `by_kind` with their shares of each target."""
        count = min(count, len(self.row))
        rank = np.empty(len(self.row), dtype=np.int64)
        if by_kind:
            rank[np.lexsort((self.drawn, self.target[self.row]))] = np.arange(len(rank))
            return self._parts(rank % count, count, owner)
        rank[np.argsort(self.drawn)] = np.arange(len(rank))
        return self._parts(rank * count // len(rank), count, owner)

    def _parts(self, part: Labels, count: int, owner: str) -> Parts:
        if len(self.row) < 2:
            raise InvalidData(f"{owner}: at least 2 rows are needed, to leave some out; got one sample.")
        weight = np.zeros((len(self.rows), count))
        np.add.at(weight, (self.row, np.asarray(part, dtype=np.int64)), self.weight)
        return Parts(self.rows, self.target, weight)
