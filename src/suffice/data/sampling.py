"""A bounded sample of rows that does not depend on how the data are cut."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce
from numbers import Integral
from operator import add
from typing import Any

import numpy as np

from .. import backend
from ..errors import InvalidParameter
from ..typing import Floats, Whole
from .gathering import joined
from .rows import as_rows
from .source import Chunk, Source
from .validate import is_sparse

_BLOCK_CELLS = 1 << 20  # rows are looked at in blocks, so that a copy of one is little beside them all


def row_uniforms(X: object, seed: int) -> Floats:
    """A number in (0, 1) for each row that depends on its cells and the seed alone, so on no chunk or thread.

    >>> u = row_uniforms(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]]), seed=0)
    >>> bool(u[0] == u[2]), bool(u[0] == u[1])
    (True, False)
    """
    rows: Any = as_rows(X, "row_uniforms", sparse=True)
    if not is_sparse(rows):
        return np.asarray(backend.row_uniforms(np.asarray(rows), seed))
    height = max(1, _BLOCK_CELLS // rows.shape[1])
    blocks = (rows[i : i + height].toarray() for i in range(0, rows.shape[0], height))
    return np.concatenate([np.zeros(0), *(backend.row_uniforms(block, seed) for block in blocks)])


def draw_keys(X: object, weight: Floats | None, seed: int) -> Floats:
    """−log(u) / w of each row: those with the smallest are a sample by weight (Efraimidis & Spirakis, 2006)."""
    exponential = -np.log(row_uniforms(X, seed))
    return exponential if weight is None else exponential / weight


def smallest(keys: Floats, size: int) -> slice | Whole:
    """Where the smallest keys are, in their order; rows with equal keys are equal."""
    return slice(None) if len(keys) <= size else np.sort(np.argpartition(keys, size)[:size])


@dataclass(frozen=True)
class KeptRows:
    """At most `size` rows, those with the smallest keys, of the `seen` ones so far that have a weight."""

    chunk: Chunk
    keys: Floats
    size: int
    seen: int

    @classmethod
    def of(cls, chunk: Chunk, size: int, seed: int, most: float = np.inf) -> KeptRows:
        """Of the rows of a chunk; those with keys above `most` are left out, of rows without weights."""
        height = max(1, _BLOCK_CELLS // max(1, chunk.X.shape[1]))
        starts = range(0, max(1, len(chunk)), height)
        return reduce(add, (cls._of_block(chunk.rows(i, i + height), size, seed, most) for i in starts))

    @classmethod
    def _of_block(cls, chunk: Chunk, size: int, seed: int, most: float) -> KeptRows:
        if chunk.weight is not None:
            chunk = chunk.at(np.flatnonzero(chunk.weight > 0))
        keys = draw_keys(chunk.X, chunk.weight, seed)
        kept = np.arange(len(keys)) if chunk.weight is not None else np.flatnonzero(keys <= most)
        kept = kept[smallest(keys[kept], size)]
        return cls(chunk.at(kept), keys[kept], size, len(chunk))  # a copy: the chunk itself need not stay

    def sample(self) -> Chunk:
        """The rows in order; their weights only where no row was left out."""
        return self.chunk if self.seen <= self.size else replace(self.chunk, weight=None)

    def __add__(self, other: KeptRows) -> KeptRows:
        keys = np.append(self.keys, other.keys)
        kept, n = np.arange(len(keys))[smallest(keys, self.size)], len(self.keys)
        parts = self.chunk.at(kept[kept < n]), other.chunk.at(kept[kept >= n] - n)  # never all rows of both at once
        chunks: Iterable[Chunk] = [part for part in parts if len(part)] or [self.chunk]
        return KeptRows(joined(chunks), keys[kept], self.size, self.seen + other.seen)


def sampled(source: Source, n: int, seed: int) -> Chunk:
    """At most n rows of a source; see `Source.sample`."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise InvalidParameter(f"{source.needs.owner}: a sample has a whole number of rows, at least 1; got {n!r:.80}.")
    rows = source.in_memory
    if rows is not None and len(rows) <= n:
        return rows if rows.weight is None or (rows.weight > 0).all() else rows.at(np.flatnonzero(rows.weight > 0))
    found = source.reduce(partial(KeptRows.of, size=int(n), seed=seed, most=_most_key(int(n), source.n_rows)))
    if len(found.keys) < min(n, found.seen):  # many equal rows have the same key
        found = source.reduce(partial(KeptRows.of, size=int(n), seed=seed))
    return found.sample()


def _most_key(size: int, rows: int | None) -> float:
    """What more than `size` of so many different rows, but not many more, have keys below: −log(u), u in (0, 1)."""
    share = 1.0 if rows is None else (size + 8 * size**0.5 + 8) / max(1, rows)
    return float(-np.log1p(-share)) if share < 1 else np.inf
