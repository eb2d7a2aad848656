"""Sources: things that know how to run a summary over their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Self, TypeVar

import numpy as np

from ..errors import InvalidData
from ..observing import observers
from .schema import Schema

Array = Any
TargetKind = Literal["none", "numbers", "classes"]


class Summary(Protocol):
    """Anything that merges: the sum of two summaries is the summary of all their rows."""

    def __add__(self, other: Any, /) -> Any: ...


S = TypeVar("S", bound=Summary)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a source: X (n, d), y (n,) or (n, q), weight (n,); `start` is the first row's number."""

    X: Array
    y: Array = None
    weight: Array = None
    start: int = 0

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def rows(self, first: int, end: int) -> Chunk:
        """The rows from `first` up to `end`, not copied."""
        y = None if self.y is None else self.y[first:end]
        weight = None if self.weight is None else self.weight[first:end]
        return Chunk(_rows(self.X, first, end), y, weight, self.start + first)


def _rows(X: Array, first: int, end: int) -> Array:
    """Some rows, not copied: SciPy would copy those of a sparse matrix."""
    if getattr(X, "format", None) != "csr":
        return X[first:end]
    begin, stop = X.indptr[first], X.indptr[min(end, X.shape[0])]
    ends = X.indptr[first : end + 1] - begin
    return type(X)((X.data[begin:stop], X.indices[begin:stop], ends), shape=(len(ends) - 1, X.shape[1]), copy=False)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a model can use; the source refuses everything else with one sentence that begins with `owner`."""

    owner: str = "Suffice"
    target: TargetKind = "none"
    missing: bool = False
    sparse: bool = False
    categories: bool = False
    # A bad cell always shows in what the model computes, so a large array is searched for it only then.
    late: bool = False


class Source(ABC):
    """Rows in one or many chunks; `reduce` and `map` are all that models use."""

    schema: Schema
    needs: Needs
    n_rows: int | None = None

    @abstractmethod
    def chunks(self) -> Generator[Chunk, None, None]:
        """The rows in order, checked against `needs`."""

    @abstractmethod
    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Self:
        """This source for a model with these needs, using only `columns`, in that order, where given."""

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        """The merged summary of all rows, in row order."""
        total: S | None = None
        with closing(self._watched()) as chunks:
            for chunk in chunks:
                part = summarise(chunk)
                total = part if total is None else total + part
        if total is None:
            raise InvalidData(f"{self.needs.owner}: {self} has no rows; at least 1 is needed.")
        return total

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        """The per-row results of all chunks, in row order."""
        with closing(self._watched()) as chunks:
            parts = [f(chunk) for chunk in chunks]
        if not parts:
            raise InvalidData(f"{self.needs.owner}: {self} has no rows; at least 1 is needed.")
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def target(self) -> Array:
        """The target of every row."""
        return self.map(lambda chunk: chunk.y)

    def _watched(self) -> Generator[Chunk, None, None]:
        """The chunks, each reported to the observers when it was used; closing it ends the reading."""
        with closing(self.chunks()) as chunks:
            for chunk in chunks:
                yield chunk
                for observer in observers():
                    observer.rows_read(chunk.start + len(chunk), self.n_rows)
