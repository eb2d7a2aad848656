"""Batches of rows in a random order: of all rows in memory, else shuffled in a window that passes over the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...data import Chunk, Source
from ...observing import observers
from ...typing import Reals, Whole
from .engine import DType
from .inputs import Inputs

_BLOCK, _WINDOW = 1 << 20, 1 << 24  # cells of rows after which observers are told, and of a window


@dataclass(frozen=True)
class Batch:
    """Some rows as the net sees them: X (m, width), targets y, and their weights over the mean weight, (m,) or None."""

    X: Reals
    y: Reals
    weight: Reals | None

    def __len__(self) -> int:
        return len(self.X)


@dataclass(frozen=True)
class Prepared:
    """What makes batches of rows: inputs and targets in the precision of the net; weights in units of `unit`."""

    inputs: Inputs
    targets: Callable[..., Reals]
    dtype: DType
    unit: float = 1.0

    def __call__(self, chunk: Chunk) -> Batch:
        X: Reals = self.inputs(chunk.X).astype(self.dtype, copy=False)
        return Batch(X, self.targets(chunk.y, self.dtype), self.weight(chunk))

    def weight(self, chunk: Chunk) -> Reals | None:
        """What the rows count."""
        return None if chunk.weight is None else (chunk.weight / self.unit).astype(self.dtype)


class _Picked:
    """Batches that are picked from rows in memory: their inputs are written into one stretch of memory."""

    def __init__(self, whole: Chunk, prepared: Prepared, most: int) -> None:
        self.whole, self.prepared = whole, prepared
        self.room = np.empty((most, prepared.inputs.width), prepared.dtype)
        own = whole.y is whole.X  # targets of autoencoders: not all of them at once
        self.targets = None if own else prepared.targets(whole.y, prepared.dtype)
        self.weight = prepared.weight(whole)

    def batch(self, rows: Whole) -> Batch:
        """The rows at some places; the next call uses its memory."""
        X: Reals = self.prepared.inputs(self.whole.X, rows, self.room).astype(self.prepared.dtype, copy=False)
        if self.targets is None:
            y = self.prepared.targets(self.whole.y[rows], self.prepared.dtype)
        else:
            y = self.targets[rows] if len(self.targets) else self.targets
        return Batch(X, y, None if self.weight is None else self.weight[rows])


@dataclass(frozen=True)
class Batches:
    """The batches of each epoch; `least` is the smallest that a layer can use: a smaller one joins that before it.

    A batch is to be used before the next one is asked for, which may lie in its memory.
    """

    source: Source
    prepared: Prepared
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
        whole, order = self.source.in_memory, rng if self.shuffle else None
        if whole is not None:
            yield from self._from_memory(whole, order, drawn)
        else:
            for window in self._windows(order):
                yield from self._cut(window, drawn)

    @cached_property
    def _only(self) -> Batch | None:
        """All rows in memory, where they are one batch, in which the order is nothing."""
        whole = self.source.in_memory
        return None if whole is None or len(whole) > self.size else self.prepared(_counted(whole))

    @cached_property
    def _picked(self) -> _Picked:
        whole = self.source.in_memory
        assert whole is not None
        return _Picked(whole, self.prepared, self.size + self.least)

    def _from_memory(
        self, whole: Chunk, rng: np.random.Generator | None, drawn: np.random.Generator
    ) -> Iterator[Batch]:
        order = np.arange(len(whole)) if whole.weight is None else np.flatnonzero(whole.weight > 0)
        told = self._rows_of(_BLOCK // max(1, len(self.source.schema)))
        _shuffle(order, rng, self.size)
        for first, end in self._ends(len(order)):
            rows = order[first:end]
            yield self._picked.batch(rows) if self.change is None else self._changed(whole.at(rows), drawn)
            if not end % told or end == len(order):
                for observer in observers():
                    observer.rows_read(end, len(order))

    def _changed(self, rows: Chunk, drawn: np.random.Generator) -> Batch:
        return self.prepared(rows if self.change is None else self.change(rows, drawn))

    def _cut(self, window: Chunk, drawn: np.random.Generator) -> Iterator[Batch]:
        whole = self.prepared(window) if self.change is None else None
        for first, end in self._ends(len(window)):
            yield self._changed(window.rows(first, end), drawn) if whole is None else _part(whole, first, end)

    def _ends(self, rows: int) -> Iterator[tuple[int, int]]:
        """Where each batch of so many rows begins and ends."""
        ends = [*range(self.size, rows, self.size), rows]
        if len(ends) > 1 and ends[-1] - ends[-2] < self.least:
            del ends[-2]
        return zip([0, *ends], ends, strict=False)

    def _windows(self, rng: np.random.Generator | None) -> Iterator[Chunk]:
        """The rows that count, some batches at a time, each of these in an order of its own."""
        most, kept = self._rows_of(_WINDOW // max(1, len(self.source.schema))), _Kept()
        with closing(self.source.watched()) as chunks:
            for chunk in chunks:
                kept.add(_counted(chunk))
                while kept.rows >= 2 * most:  # what is left is never smaller than a window
                    yield _shuffled(kept.taken(most), rng, self.size)
        if kept.rows:
            yield _shuffled(kept.taken(kept.rows), rng, self.size)

    def _rows_of(self, rows: int) -> int:
        """About so many rows, in whole batches."""
        return max(1, rows // self.size) * self.size


def _part(rows: Batch, first: int, end: int) -> Batch:
    """Some of the rows of a batch."""
    if end - first == len(rows):
        return rows
    weight = None if rows.weight is None else rows.weight[first:end]
    return Batch(rows.X[first:end], rows.y[first:end], weight)


def _counted(chunk: Chunk) -> Chunk:
    """The rows that weigh something."""
    if chunk.weight is None or (chunk.weight > 0).all():
        return chunk
    return chunk.at(np.flatnonzero(chunk.weight > 0))


def _shuffle(order: Whole, rng: np.random.Generator | None, size: int) -> None:
    """Another order, unless the rows are one batch."""
    if rng is not None and len(order) > size:
        rng.shuffle(order)


def _shuffled(chunk: Chunk, rng: np.random.Generator | None, size: int) -> Chunk:
    order = np.arange(len(chunk))
    _shuffle(order, rng, size)
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
