"""All rows but those of a fold, as a source whose sums come from those of the folds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from ..backend.arrays import Array
from ..data.schema import Schema
from ..data.source import Chunk, Needs, S, Source
from ..statistics import Affine, Statistic
from ..typing import Flags, Whole

if TYPE_CHECKING:
    from .fold_sums import FoldedRows

Change = Callable[[Chunk], Chunk]


@dataclass(eq=False)
class Looks:
    """How often the rows themselves were needed, by a source and by all that were made from it."""

    count: int = 0


class FoldSource(Source):
    """Base: sums where they are known, and for anything else the rows, which are taken out when they are needed."""

    looks: Looks

    @property
    def was_summed(self) -> bool:
        """Whether nobody has needed the rows themselves."""
        return not self.looks.count

    @abstractmethod
    def _made(self) -> Source:
        """The rows themselves."""

    @cached_property
    def rows(self) -> Source:
        """The rows themselves; who asks for them is noted."""
        self.looks.count += 1
        return self._made()

    @abstractmethod
    def known(self, summarise: Callable[[Chunk], Statistic]) -> Statistic | None:
        """The summary of the rows, where it follows from the sums of folds."""

    @abstractmethod
    def after_affine(self, step: Change, schema: Schema, change: Affine) -> Source:
        """The rows after a step that is this affine map."""

    def after_row_by_row(self, step: Change, schema: Schema, key: Hashable) -> Source:
        """The rows after a step that makes of each row what it would make of it alone; the key says which step."""
        return self.mapped(step, schema)

    def chunks(self) -> Generator[Chunk, None, None]:
        return self.rows.chunks()

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        found = self.known(summarise)  # type: ignore[arg-type]
        return self.rows.reduce(summarise) if found is None else found  # type: ignore[return-value]

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        return self.rows.map(f)

    def mapped(self, f: Change, schema: Schema | None = None) -> Source:
        return self.rows.mapped(f, schema)


@dataclass(frozen=True, eq=False)
class WithoutFold(FoldSource):
    """All rows but those of a fold."""

    folded: FoldedRows
    fold: int
    looks: Looks = field(default_factory=Looks)

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns."""
        return self.folded.source.schema

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """What the rows were checked for."""
        return self.folded.source.needs

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """The number of rows that are left."""
        return len(self.folded.fold) - int(self.folded.sizes[self.fold])

    @property
    def elsewhere(self) -> bool:  # type: ignore[override]
        """Whether the rows lie with workers."""
        return self.folded.source.elsewhere

    def _made(self) -> Source:
        return self.folded.source.filtered(partial(_is_elsewhere, of=self.folded.fold, fold=self.fold))

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Source:
        return WithoutFold(self.folded.suited_to(needs, columns), self.fold, self.looks)

    def known(self, summarise: Callable[[Chunk], Statistic]) -> Statistic | None:
        found = self.folded.known_sums(summarise)
        return None if found is None else found[self.fold]

    def after_affine(self, step: Change, schema: Schema, change: Affine) -> Source:
        return AffineFold(self, change, step, schema, self.needs, self.looks)

    def after_row_by_row(self, step: Change, schema: Schema, key: Hashable) -> Source:
        return WithoutFold(self.folded.mapped(step, schema, key), self.fold, self.looks)

    def __str__(self) -> str:
        return str(self.folded.source)


def _is_elsewhere(chunk: Chunk, of: Whole, fold: int) -> Flags:
    return np.asarray(of[chunk.start : chunk.start + len(chunk)] != fold)


@dataclass(frozen=True, eq=False)
class AffineFold(FoldSource):
    """The rows of a fold's source after a step that is an affine map: their sums follow from those before it."""

    before: FoldSource
    change: Affine
    step: Change
    schema: Schema
    needs: Needs
    looks: Looks

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """The number of rows that are left."""
        return self.before.n_rows

    @property
    def elsewhere(self) -> bool:  # type: ignore[override]
        """Whether the rows lie with workers."""
        return self.before.elsewhere

    def _made(self) -> Source:
        return self.before.mapped(self.step, self.schema).suited_to(self.needs)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Source:
        if columns is not None and columns != self.schema.names:
            return self.rows.suited_to(needs, columns)
        return AffineFold(self.before, self.change, self.step, self.schema, needs, self.looks)

    def known(self, summarise: Callable[[Chunk], Statistic]) -> Statistic | None:
        """None as well where sums are not finite: the rows then say which cell is missing or too large."""
        found = self.before.known(summarise)
        after = found.after(self.change) if isinstance(found, Statistic) and found.is_finite() else None
        return after if after is not None and after.is_finite() else None

    def after_affine(self, step: Change, schema: Schema, change: Affine) -> Source:
        return AffineFold(self, change, step, schema, self.needs, self.looks)

    def __str__(self) -> str:
        return str(self.before)
