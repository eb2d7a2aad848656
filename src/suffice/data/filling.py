"""Chunks that fill up with record batches. Needs pyarrow, so it is imported only where files are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike

from .. import backend
from ..backend.arrays import Array
from .arrow import codes, numbers, text
from .declared import unknown_level
from .files import TableFile
from .memory_pool import empty
from .schema import Column
from .source import Chunk


@dataclass(frozen=True)
class Layout:
    """How the batches of a file are written as rows; it is the same for all of them."""

    columns: tuple[Column, ...]
    others: tuple[int, ...]  # the columns whose cells are not taken as they lie in a batch
    dtype: DTypeLike

    @classmethod
    def of(cls, batch: pa.RecordBatch, columns: Sequence[Column]) -> Self:
        types = batch.schema.types[: len(columns)]
        others = (j for j, column in enumerate(columns) if column.kind == "categorical" or not _is_plain(types[j]))
        single = bool(types) and all(type_ == pa.float32() for type_ in types)
        return cls(tuple(columns), tuple(others), np.float32 if single else np.float64)


class Filling:
    """A chunk of one file, from its row `start` on, with room for as many batches like the first as the file says.

    Batches are small, so that they are still in the processor's cache when they are written here as rows; chunks are
    larger, so that a call of a kernel is worth its while.
    """

    def __init__(self, file: TableFile, start: int, first: pa.RecordBatch, layout: Layout) -> None:
        self.file, self.layout, self._start = file, layout, start
        self._X = empty((file.batches_a_chunk * first.num_rows, len(layout.columns)), layout.dtype)
        self._n = 0
        self._targets: list[Array] = []
        self._weights: list[Array] = []
        self.is_finite = True

    def has_room(self, file: TableFile, batch: pa.RecordBatch) -> bool:
        """Whether the batch fits in, and comes from the same file."""
        return file is self.file and self._n + batch.num_rows <= len(self._X)

    def add(self, batch: pa.RecordBatch, y: Array, weight: Array) -> None:
        """Write the batch, whose first columns are those of the chunk, after the rows that are there.

        There are y and weight for all batches or for none.
        """
        rows = self._X[self._n : self._n + batch.num_rows]
        made: list[Array | None] = [None] * len(self.layout.columns)
        for j in self.layout.others:
            made[j] = self._made(batch.column(j), self.layout.columns[j])
        self.is_finite &= backend.fill_from_arrow(batch, made, rows)
        self._n += batch.num_rows
        self._targets += [] if y is None else [y]
        self._weights += [] if weight is None else [weight]

    def chunk(self) -> Chunk:
        return Chunk(self._X[: self._n], _joined(self._targets), _joined(self._weights), self._start)

    def _made(self, array: pa.Array, column: Column) -> Array:
        cells = codes(array, column.categories) if column.kind == "categorical" else numbers(array)
        if column.ordered and np.isnan(cells).sum() > array.null_count:
            at = int(np.argmax(np.isnan(cells) & array.is_valid().to_numpy(zero_copy_only=False)))
            place = f"column {column.name!r}, row {self._start + self._n + at + 1} of {self.file.stamp}"
            raise unknown_level("scan", place, text(array)[at].as_py(), column.categories)
        return np.ascontiguousarray(cells, dtype=self._X.dtype)


def _is_plain(type_: pa.DataType) -> bool:
    """Whether the cells are numbers of a processor, or booleans."""
    t = pa.types
    return bool(t.is_integer(type_) or t.is_float32(type_) or t.is_float64(type_) or t.is_boolean(type_))


def _joined(parts: list[Array]) -> Array:
    return np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else None
