"""A digest of the rows of a source: the same however they are cut, another for other rows or another order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from ..typing import TableLike
from .rows import is_sparse
from .source import Chunk, Source

Hashes = NDArray[np.uint64]
_BASE = 0x9E3779B97F4A7C15  # odd, so that its powers never vanish
_CELLS = 1 << 18  # hashed at once
_WORD = 1 << 64


@dataclass(frozen=True)
class RowsDigest:
    """How many rows, and Σᵢ h(row i) bⁿ⁻ⁱ modulo 2⁶⁴.

    >>> whole = RowsDigest.of(Chunk(np.array([[1.0], [2.0], [3.0]])))
    >>> whole == RowsDigest.of(Chunk(np.array([[1.0]]))) + RowsDigest.of(Chunk(np.array([[2.0], [3.0]])))
    True
    """

    rows: int
    value: int

    @classmethod
    def of(cls, chunk: Chunk) -> RowsDigest:
        """The digest of some rows, with their targets and weights."""
        size = max(1, _CELLS // max(1, chunk.X.shape[1]))
        starts = range(0, max(1, len(chunk)), size)
        return reduce(add, (cls._of_block(chunk.rows(i, i + size)) for i in starts))

    @classmethod
    def _of_block(cls, chunk: Chunk) -> RowsDigest:
        n = len(chunk)
        each = _row_hashes(chunk.X.toarray() if is_sparse(chunk.X) else chunk.X)
        for more in (chunk.y, chunk.weight):
            if more is not None:
                values = _numbers(np.asarray(more))
                each = mixed(each) + _row_hashes(values[:, None] if values.ndim == 1 else values)
        return cls(n, int((mixed(each) * _powers(n)[::-1]).sum(dtype=np.uint64)))

    def __add__(self, other: RowsDigest) -> RowsDigest:
        value = (self.value * pow(_BASE, other.rows, _WORD) + other.value) % _WORD
        return RowsDigest(self.rows + other.rows, value)


def rows_digest(source: Source) -> str:
    """The digest of all rows of a source and its columns, by one pass."""
    found = source.reduce(RowsDigest.of)
    columns = [(column.name, column.kind, column.categories) for column in source.schema.columns]
    return hashlib.sha256(repr((found.rows, found.value, columns)).encode()).hexdigest()[:32]


def _powers(n: int) -> Hashes:
    return np.cumprod(np.r_[np.uint64(1), np.full(max(n - 1, 0), _BASE, np.uint64)], dtype=np.uint64)[:n]


def _row_hashes(table: TableLike) -> Hashes:
    cells = np.ascontiguousarray(table, dtype=np.float64).view(np.uint64)
    return np.asarray((mixed(cells) * _powers(cells.shape[1])).sum(axis=1, dtype=np.uint64))


def mixed(values: Hashes) -> Hashes:
    """The bits of each number spread over all of it."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return values ^ (values >> np.uint64(29))


def _numbers(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Numbers as they are; other labels by a digest of each."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    different, at = np.unique(values.astype(str), return_inverse=True)
    codes = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") for text in different]
    return np.array(codes, dtype=np.float64)[at.reshape(values.shape)]
