"""Batches of rows in a random order: of all rows in memory, else shuffled in a window that passes over the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...data import Chunk, Source
from ...observing import observers
from ...typing import Reals

_BLOCK, _WINDOW = 1 << 20, 1 << 24  # cells of the rows that are picked out at once, and of a window


@dataclass(frozen=True)
class Batch:
    """Some rows as the net sees them: X (m, width), targets y, and their weights over the mean weight, (m,) or None."""

    X: Reals
    y: Reals
    weight: Reals | None

    def __len__(self) -> int:
        return len(self.X)


@dataclass(frozen=True)
class Batches:
    """The batches of each epoch; `least` is the smallest that a layer can use: a smaller one joins that before it."""

    source: Source
    prepared: Callable[[Chunk], Batch]
    size: int
    shuffle: bool
    seed: int
    least: int = 1
    change: Callable[[Chunk, np.random.Generator], Chunk] | None = None  # at random, in every epoch anew

    def epoch(self, number: int) -> Iterator[Batch]:
        """All rows once, in an order that the seed and the number of the epoch decide."""
        if self.change is None and self._only is not None:
            yield self._only
            return
        rng, drawn = (np.random.default_rng((self.seed, number, k)) for k in range(2))
        for window in self._windows(rng if self.shuffle else None):
            changed = window if self.change is None else self.change(window, drawn)
            if len(changed):
                yield from self._cut(self.prepared(changed))

    @cached_property
    def _only(self) -> Batch | None:
        """All rows in memory, where they are one batch, in which the order is nothing."""
        whole = self.source.in_memory
        if whole is None or len(whole) > self.size:
            return None
        return self.prepared(whole if whole.weight is None else whole.at(np.flatnonzero(whole.weight > 0)))

    def _cut(self, rows: Batch) -> Iterator[Batch]:
        ends = [*range(self.size, len(rows), self.size), len(rows)]
        if len(ends) > 1 and ends[-1] - ends[-2] < self.least:
            del ends[-2]
        for first, end in zip([0, *ends], ends, strict=False):
            weight = None if rows.weight is None else rows.weight[first:end]
            yield rows if end - first == len(rows) else Batch(rows.X[first:end], rows.y[first:end], weight)

    def _windows(self, rng: np.random.Generator | None) -> Iterator[Chunk]:
        width = max(1, len(self.source.schema))
        whole = self.source.in_memory
        if whole is not None:
            yield from self._blocks(whole, rng, self._rows_of(_BLOCK // width))
            return
        most, kept = self._rows_of(_WINDOW // width), _Kept()
        with closing(self.source.watched()) as chunks:
            for chunk in chunks:
                kept.add(chunk)
                while kept.rows >= 2 * most:  # what is left is never smaller than a window
                    yield _shuffled(kept.taken(most), rng, self.size)
        if kept.rows:
            yield _shuffled(kept.taken(kept.rows), rng, self.size)

    def _rows_of(self, rows: int) -> int:
        """About so many rows, in whole batches."""
        return max(1, rows // self.size) * self.size

    def _blocks(self, whole: Chunk, rng: np.random.Generator | None, most: int) -> Iterator[Chunk]:
        """All rows in memory in one order, picked out block by block."""
        order = np.arange(len(whole)) if whole.weight is None else np.flatnonzero(whole.weight > 0)
        if rng is not None and len(order) > self.size:
            rng.shuffle(order)
        starts = list(range(0, len(order), most))
        if len(starts) > 1 and len(order) - starts[-1] < self.least:
            del starts[-1]
        for first, end in zip(starts, [*starts[1:], len(order)], strict=True):
            yield whole.at(order[first:end])
            for observer in observers():
                observer.rows_read(end, len(order))


def _shuffled(chunk: Chunk, rng: np.random.Generator | None, size: int) -> Chunk:
    order = np.arange(len(chunk)) if chunk.weight is None else np.flatnonzero(chunk.weight > 0)
    if rng is not None and len(order) > size:
        rng.shuffle(order)
    return chunk.at(order)


class _Kept:
    """Rows that were read and not used yet."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.rows = 0

    def add(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)
        self.rows += len(chunk)

    def taken(self, count: int) -> Chunk:
        """The first rows, as one chunk."""
        whole = _joined(self.chunks)
        self.chunks = [whole.rows(count, len(whole))] if count < len(whole) else []
        self.rows -= count
        return whole.rows(0, count)


def _joined(chunks: list[Chunk]) -> Chunk:
    if len(chunks) == 1:
        return chunks[0]
    X, y = np.concatenate([chunk.X for chunk in chunks]), None
    if chunks[0].y is not None:
        y = np.concatenate([chunk.y for chunk in chunks])
    weight = None
    if any(chunk.weight is not None for chunk in chunks):
        weight = np.concatenate([np.ones(len(c)) if c.weight is None else c.weight for c in chunks])
    return Chunk(X, y, weight, chunks[0].start)
