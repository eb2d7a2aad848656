"""Sources: things that know how to run a summary over their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from ..backend.arrays import Array
from ..errors import InvalidData
from ..observing import observers
from .rows import stacked
from .schema import Schema

TargetKind = Literal["none", "numbers", "classes"]


class Summary(Protocol):
    """Anything that merges: the sum of two summaries is the summary of all their rows."""

    def __add__(self, other: Any, /) -> Any: ...


S = TypeVar("S", bound=Summary)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some rows of a source: X (n, d), y (n,) or (n, q), weight (n,); `start` is the first row's number.

    `numbers` (n,) are the numbers that errors name, where they do not follow one another from `start`.
    """

    X: Array
    y: Array = None
    weight: Array = None
    start: int = 0
    numbers: Array = None

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def rows(self, first: int, end: int) -> Chunk:
        """The rows from `first` up to `end`, not copied."""
        y, weight, numbers = (None if v is None else v[first:end] for v in (self.y, self.weight, self.numbers))
        return Chunk(_rows(self.X, first, end), y, weight, self.start + first, numbers)

    def at(self, places: Array) -> Chunk:
        """The rows at these places, copied."""
        y, weight = (None if v is None else v[places] for v in (self.y, self.weight))
        return Chunk(self.X[places], y, weight, self.start, self.number(places))

    def number(self, place: Any) -> Any:
        """The number, or numbers, by which errors name the rows at these places."""
        return self.start + place if self.numbers is None else self.numbers[place]


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
    # The units of the columns decide the answer, so that they had better be put on one scale.
    scaled: bool = False
    # Categories can be used as columns of 0 and 1.
    one_hot: bool = False
    # A bad cell always shows in what the model computes, so a large array is searched for it only then.
    late: bool = False
    # A target of numbers has one column.
    one_target: bool = False
    # Squares of cells are summed by weight, so that they must not overflow.
    squares: bool = False
    # Who needs the target, where `owner` only passes it on.
    asker: str = ""

    @property
    def target_owner(self) -> str:
        """Who speaks of the target."""
        return self.asker or self.owner

    def but(self, **changed: object) -> Needs:
        """The same needs with some changed.

        >>> Needs("KMeans").but(missing=True).missing
        True
        """
        return _but(self, tuple(changed.items()))

    def allows(self, checked: Needs) -> bool:
        """Whether rows that were checked for other needs are good for these."""
        return (
            self.missing >= checked.missing
            and self.sparse >= checked.sparse
            and self.categories >= checked.categories
            and self.target in ("none", checked.target)
            and self.one_target <= checked.one_target
        )


@lru_cache(1024)
def _but(needs: Needs, changed: tuple[tuple[str, object], ...]) -> Needs:
    """`dataclasses.replace`, which would take a good part of the time that small tables need."""
    return replace(needs, **dict(changed))  # type: ignore[arg-type]


class Source(ABC):
    """Rows in one or many chunks: summed up, mapped, filtered, gathered, cut into batches or sampled."""

    schema: Schema
    needs: Needs
    n_rows: int | None = None
    in_memory: Chunk | None = None  # all rows as one chunk, where they are in memory already
    elsewhere: bool = False  # whether the rows lie with workers, so that they had better be summed up there

    @property
    def is_wide(self) -> bool:
        """Whether there are no more rows than columns, so that a matrix of all rows is smaller than one of all columns.

        The one rule by which linear and Gaussian models choose between them; where rows are not counted they are many.
        """
        return self.n_rows is not None and self.n_rows <= len(self.schema)

    @abstractmethod
    def chunks(self) -> Generator[Chunk, None, None]:
        """The rows in order, checked against `needs`."""

    @abstractmethod
    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Source:
        """This source for a model with these needs, using only `columns`, in that order, where given."""

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        """The merged summary of all rows, in row order."""
        total: S | None = None
        with closing(self.watched()) as chunks:
            for chunk in chunks:
                part = summarise(chunk)
                total = part if total is None else total + part
        if total is None:
            raise InvalidData(f"{self.needs.owner}: {self} has no rows; at least 1 is needed.")
        return total

    def reduce_targets(self, summarise: Callable[[Chunk], S]) -> S:
        """The same of a summary that asks for targets and weights alone: files are not read for their columns."""
        return self.reduce(summarise)

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        """The per-row results of all chunks, in row order."""
        with closing(self.watched()) as chunks:
            parts = [f(chunk) for chunk in chunks]
        if not parts:
            raise InvalidData(f"{self.needs.owner}: {self} has no rows; at least 1 is needed.")
        return stacked(parts)

    def map_at_once(self, f: Callable[[Chunk], Array]) -> Array:
        """The same for an `f` that takes no memory but its result and shares its work among threads itself."""
        return self.map(f)

    def target(self) -> Array:
        """The target of every row."""
        return self.map(lambda chunk: chunk.y)

    # ---- other sources from this one ----

    def mapped(self, f: Callable[[Chunk], Chunk], schema: Schema | None = None) -> Source:
        """A source whose chunks are f(chunk): as many rows, with the columns `schema` where they are others.

        >>> from suffice.data import as_source
        >>> doubled = as_source([[1.0], [2.0]]).mapped(lambda chunk: Chunk(2 * chunk.X, chunk.y, chunk.weight))
        >>> doubled.gather().X.ravel()
        array([2., 4.])
        """
        from .derived import Mapped

        return Mapped(self, f, self.needs, schema)

    def filtered(self, keep: Callable[[Chunk], Array]) -> Source:
        """A source of the rows for which keep(chunk) is true, one truth value a row, (n,).

        >>> from suffice.data import as_source
        >>> as_source([[1.0], [2.0], [3.0]]).filtered(lambda chunk: chunk.X[:, 0] > 1).gather().X.ravel()
        array([2., 3.])
        """
        from .derived import Filtered

        return Filtered(self, keep, self.needs)

    def looked_through(self) -> Source:
        """This source after a summary of all its rows was finite: from then on nobody looks for bad cells."""
        return self

    # ---- rows of this one ----

    def count(self) -> int:
        """The number of rows: one pass where it is not known."""
        return self.reduce(len) if self.n_rows is None else self.n_rows

    def gather(self, limit: int | None = None, instead: str = "give a sample of the rows") -> Chunk:
        """All rows as one chunk; where they would take more than `limit` bytes, `MemoryNeeded` before they are read.

        `instead` ends the sentence of that error: what to do if there is no more memory.
        """
        from .gathering import gathered

        return gathered(self, limit, instead)

    def batches(self, size: int, rng: np.random.Generator | None = None) -> Generator[Chunk, None, None]:
        """Chunks of `size` rows: one pass in order, the last perhaps shorter; with `rng` without end.

        With `rng`, rows in memory are drawn at random, by weight and so without one; where a batch is more than half as
        large as the table each of its rows comes once, weighted by how often it was drawn. Other rows are read in order
        again and again.

        >>> from suffice.data import as_source
        >>> [len(batch) for batch in as_source([[1.0], [2.0], [3.0]]).batches(2)]
        [2, 1]
        """
        from .gathering import cut

        while True:
            with closing(self.watched()) as chunks:
                yield from cut(chunks, size)
            if rng is None:
                return

    def sample(self, n: int, seed: int = 0) -> Chunk:
        """At most `n` rows in order, drawn by weight; the same rows from any source, however it is cut.

        Rows that weigh nothing are not drawn. The weights are kept where all rows are, else each row counts the same.
        """
        from .sampling import sampled

        return sampled(self, n, seed)

    def row_bytes(self) -> int:
        """About how many bytes a row takes in memory, with its weight."""
        return 8 * (len(self.schema) + 1)

    def about_rows(self) -> int | None:
        """About how many rows there are, where that can be said without reading them."""
        return self.n_rows

    def target_kind(self) -> TargetKind:
        """What its target is, whether a model needs it or not."""
        return self.needs.target

    def origin(self) -> str:
        """What errors call the place of a row, besides its number."""
        return str(self)

    def watched(self) -> Generator[Chunk, None, None]:
        """The chunks, each reported to the observers when it was used; closing it ends the reading."""
        with closing(self.chunks()) as chunks:
            for chunk in chunks:
                yield chunk
                for observer in observers():
                    observer.rows_read(chunk.start + len(chunk), self.n_rows)
