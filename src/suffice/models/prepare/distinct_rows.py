"""Rows drawn among the different ones: a summary that adds up, so that any source gives the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...data import Chunk
from ...data.sampling import row_uniforms
from ...typing import Floats, Reals, Whole


@dataclass(frozen=True)
class DistinctRows:
    """At most `size` different rows, those with the smallest keys, which their cells and a seed decide.

    `numbers` are those of the rows in the table, of equal rows the first.
    """

    rows: Floats
    keys: Floats
    numbers: Whole
    size: int

    @classmethod
    def of(cls, chunk: Chunk, size: int, seed: int, score: Callable[[Reals], Floats] | None = None) -> DistinctRows:
        """Some rows of a chunk, by their score where there is one; those that weigh nothing are not drawn."""
        heavy = np.arange(len(chunk)) if chunk.weight is None else np.flatnonzero(chunk.weight > 0)
        X = np.asarray(chunk.X if len(heavy) == len(chunk) else chunk.X[heavy], dtype=np.float64) + 0.0
        keys = row_uniforms(X, seed)
        if score is not None:
            with np.errstate(divide="ignore"):
                keys = -np.log(keys) / score(X)  # drawn in proportion (Efraimidis & Spirakis, 2006)
        return cls(X, keys, np.asarray(chunk.number(heavy), dtype=np.int64), size)._kept()

    def _kept(self) -> DistinctRows:
        keys, first = np.unique(self.keys, return_index=True)
        kept = first[: self.size]
        return replace(self, rows=self.rows[kept], keys=keys[: self.size], numbers=self.numbers[kept])

    def __add__(self, other: DistinctRows) -> DistinctRows:
        rows, keys, numbers = (
            np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("rows", "keys", "numbers")
        )
        return replace(self, rows=rows, keys=keys, numbers=numbers)._kept()
