"""Rows of many chunks put together: all of them in memory, or so many at a time."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from ..backend.arrays import Array
from ..errors import InvalidData, MemoryNeeded
from .source import Chunk, Source
from .validate import is_sparse

_ROUGH = 1.5  # an estimate may be so much too high; reading tells the rest


@dataclass(frozen=True, slots=True)
class Pile:
    """Chunks on top of each other: a summary that forgets nothing."""

    chunks: tuple[Chunk, ...]

    @classmethod
    def of(cls, chunk: Chunk) -> Pile:
        return cls((chunk,))

    def __add__(self, other: Pile) -> Pile:
        return Pile(self.chunks + other.chunks)


def gathered(source: Source, limit: int | None, instead: str) -> Chunk:
    """All rows of a source that are not in memory; see `Source.gather`."""
    if limit is not None:
        rows = source.count() if source.elsewhere else source.about_rows()
        known = source.elsewhere or source.n_rows is not None
        if rows is not None and rows * source.row_bytes() > limit * (1.0 if known else _ROUGH):
            raise too_many(source, ("" if known else "about ") + f"{rows * source.row_bytes():,}", limit, instead)
    chunks = source.reduce(Pile.of).chunks if source.elsewhere else _read(source, limit, instead)
    if not chunks:
        raise InvalidData(f"{source.needs.owner}: {source} has no rows; at least 1 is needed.")
    return joined(chunks)


def _read(source: Source, limit: int | None, instead: str) -> list[Chunk]:
    chunks, taken = [], 0
    with closing(source.watched()) as reading:
        for chunk in reading:
            taken += chunk.X.nbytes + (0 if chunk.weight is None else chunk.weight.nbytes)
            if limit is not None and taken > limit:
                raise too_many(source, f"at least {taken:,}", limit, instead)
            chunks.append(chunk)
    return chunks


def too_many(source: Source, needed: str, limit: int, instead: str) -> MemoryNeeded:
    """The error of rows that take more bytes than they may."""
    return MemoryNeeded(
        f"{source.needs.owner} needs all rows at once, and those of {source} take {needed} bytes, more than "
        f"memory={limit:,}. Raise memory, or {instead}."
    )


def joined(chunks: Iterable[Chunk]) -> Chunk:
    """Chunks that follow one another as one; a single one is not copied."""
    first, *others = chunks
    if not others:
        return first
    every = (first, *others)
    y = None if first.y is None else np.concatenate([chunk.y for chunk in every])
    weight = None if first.weight is None else np.concatenate([chunk.weight for chunk in every])
    numbers = None
    if any(chunk.numbers is not None for chunk in every):
        numbers = np.concatenate([chunk.number(np.arange(len(chunk))) for chunk in every])
    return Chunk(_stacked([chunk.X for chunk in every]), y, weight, first.start, numbers)


def _stacked(parts: list[Array]) -> Array:
    if not is_sparse(parts[0]):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def cut(chunks: Iterable[Chunk], size: int) -> Generator[Chunk, None, None]:
    """The same rows in chunks of `size` rows, the last perhaps shorter; only those across a border are copied."""
    waiting: list[Chunk] = []
    held = 0
    for chunk in chunks:
        first = 0
        while len(chunk) - first >= size - held:
            end = first + size - held
            yield joined([*waiting, chunk.rows(first, end)])
            waiting, held, first = [], 0, end
        if first < len(chunk):
            waiting.append(chunk.rows(first, len(chunk)))
            held += len(chunk) - first
    if waiting:
        yield joined(waiting)
