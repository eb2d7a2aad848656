"""Sources made from another one: its chunks after a function, or some of its rows."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..backend.arrays import Array
from ..errors import InvalidData
from .rows import stacked
from .schema import Schema
from .source import Chunk, Needs, S, Source, TargetKind
from .validate import check_chunk, check_some_weight, positions, total_weight

Change = Callable[[Chunk], Chunk]


@dataclass(frozen=True)
class Derived(Source):
    """Base: what is done to each chunk of `source` is done where that lies, so on the workers of a cluster.

    The chunks are checked once this source is given to a model; those that models derive for themselves are not.
    """

    source: Source

    @abstractmethod
    def _change(self) -> Change:
        """What is done to a chunk."""

    @property
    def elsewhere(self) -> bool:  # type: ignore[override]
        """Whether the rows lie with workers."""
        return self.source.elsewhere

    def origin(self) -> str:
        return self.source.origin()

    def target_kind(self) -> TargetKind:
        return self.source.target_kind()

    def _suited(self, needs: Needs, columns: tuple[str, ...] | None) -> Source:
        """The source beneath, which may give what the model cannot use: the change may mend or drop it."""
        target = self.target_kind() if needs.target == "none" else needs.target
        return self.source.suited_to(Needs(needs.owner, target, missing=True, categories=True), columns)

    def __str__(self) -> str:
        return str(self.source)


@dataclass(frozen=True)
class Mapped(Derived):
    """The chunks of a source after a function, which keeps the number of rows."""

    f: Change
    needs: Needs
    columns: Schema | None = None  # where they are not those of the source
    checked: bool = False

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns."""
        return self.source.schema if self.columns is None else self.columns

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """The number of rows, where it is known."""
        return self.source.n_rows

    def about_rows(self) -> int | None:
        return self.source.about_rows()

    def _change(self) -> Change:
        checks = (self.schema, self.needs, self.origin()) if self.checked else None
        return partial(mapped_chunk, f=self.f, width=len(self.schema), owner=self.needs.owner, checks=checks)

    def chunks(self) -> Generator[Chunk, None, None]:
        with closing(self.source.chunks()) as chunks:
            yield from map(self._change(), chunks)

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        total: S = self.source.reduce(partial(_after, f=summarise, change=self._change()))
        return total

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        return self.source.map(partial(_after, f=f, change=self._change()))

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Source:
        own = self.columns is not None
        source = dataclasses.replace(
            self, source=self._suited(needs, None if own else columns), needs=needs, checked=True
        )
        check_chunk(Chunk(np.empty((0, len(source.schema))), y=""), source.schema, needs, cells=False)
        if not own or columns is None or columns == self.schema.names:
            return source
        at = positions(self.schema, columns, needs.owner, str(self))
        return source.mapped(partial(_select, columns=at), Schema(tuple(self.schema.columns[j] for j in at)))


@dataclass(frozen=True)
class Filtered(Derived):
    """The rows of a source for which something holds; how many there are is not known before they were read."""

    keep: Callable[[Chunk], Array]
    needs: Needs
    checked: bool = False

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns."""
        return self.source.schema

    def _change(self) -> Change:
        checks = (self.schema, self.needs, self.origin()) if self.checked else None
        return partial(filtered_chunk, keep=self.keep, owner=self.needs.owner, checks=checks)

    def chunks(self) -> Generator[Chunk, None, None]:
        start = 0
        with closing(self.source.chunks()) as chunks:
            for chunk in filter(len, map(self._change(), chunks)):
                yield dataclasses.replace(chunk, start=start)
                start += len(chunk)

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        found = self.source.reduce(partial(_Left.of, f=summarise, change=self._change()))
        if found.summary is None:
            raise InvalidData(f"{self.needs.owner}: no row of {self} is left by the filter; at least 1 is needed.")
        check_some_weight(found.weight, self.needs.owner)
        return found.summary  # type: ignore[no-any-return]

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        return stacked(self.reduce(partial(_Parts.of, f=f)).parts)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Filtered:
        source = dataclasses.replace(self, source=self._suited(needs, columns), needs=needs, checked=True)
        check_chunk(Chunk(np.empty((0, len(source.schema))), y=""), source.schema, needs, cells=False)
        return source

    def __str__(self) -> str:
        return f"the rows kept of {self.source}"


@dataclass(frozen=True, slots=True)
class _Left:
    """The summary of the rows that are left, None where there are none, and their weight."""

    summary: Any
    weight: float

    @classmethod
    def of(cls, chunk: Chunk, f: Callable[[Chunk], Any], change: Change) -> _Left:
        left = change(chunk)
        return cls(f(left) if len(left) else None, total_weight(left))

    def __add__(self, other: _Left) -> _Left:
        if self.summary is None or other.summary is None:
            return _Left(self.summary if other.summary is None else other.summary, self.weight + other.weight)
        return _Left(self.summary + other.summary, self.weight + other.weight)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Results of rows, in order."""

    parts: tuple[Array, ...]

    @classmethod
    def of(cls, chunk: Chunk, f: Callable[[Chunk], Array]) -> _Parts:
        return cls((f(chunk),))

    def __add__(self, other: _Parts) -> _Parts:
        return _Parts(self.parts + other.parts)


Checks = tuple[Schema, Needs, str]


def mapped_chunk(chunk: Chunk, f: Change, width: int, owner: str, checks: Checks | None = None) -> Chunk:
    """f(chunk), which must have as many rows, and so many columns."""
    found = f(chunk)
    if not isinstance(found, Chunk):
        raise InvalidData(f"{owner}: the function of `mapped` must give a Chunk; got {type(found).__name__}.")
    if found.X.shape != (len(chunk), width):
        raise InvalidData(
            f"{owner}: the function of `mapped` must give {len(chunk)} rows of {width} columns; got shape "
            f"{found.X.shape}. Name other columns by `schema`, and leave rows out by `filtered`."
        )
    found = Chunk(found.X, found.y, found.weight, chunk.start, chunk.numbers)
    return found if checks is None else _checked(found, *checks)


def filtered_chunk(chunk: Chunk, keep: Callable[[Chunk], Array], owner: str, checks: Checks | None = None) -> Chunk:
    """The rows of a chunk for which keep(chunk) is true."""
    kept = np.asarray(keep(chunk))
    if kept.shape != (len(chunk),) or kept.dtype != np.bool_:
        raise InvalidData(
            f"{owner}: the predicate of `filtered` must give one truth value a row, shape ({len(chunk)},); got "
            f"{kept.dtype} of shape {kept.shape}."
        )
    found = chunk if kept.all() else chunk.at(np.flatnonzero(kept))
    return found if checks is None else _checked(found, *checks)


def _checked(chunk: Chunk, schema: Schema, needs: Needs, origin: str) -> Chunk:
    check_chunk(chunk, schema, needs, origin)
    return chunk if needs.target != "none" else dataclasses.replace(chunk, y=None)


def _after(chunk: Chunk, f: Callable[[Chunk], object], change: Change) -> Any:
    return f(change(chunk))


def _select(chunk: Chunk, columns: list[int]) -> Chunk:
    return dataclasses.replace(chunk, X=chunk.X[:, columns])
