"""Fits without a fold, from one pass: what all other folds sum up to is the sum of their summaries.

Nothing is taken away again, which would cost digits: the sums of all folds before each and of all folds after it are
two running sums, so that k folds take one pass over the rows and 3 k additions.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from itertools import accumulate
from operator import add
from types import FunctionType, MethodType

import numpy as np

from ..backend.blas import blas_threads_for
from ..data.schema import Schema
from ..data.source import Chunk, Needs, S, Source
from ..errors import InvalidData
from ..statistics import Statistic
from ..typing import Whole
from .without_fold import WithoutFold

_MOST_BYTES = 1 << 28  # that all sums may take where the rows themselves take less
_MANY = 50  # folds, each with few rows


def left_out_sums(parts: Sequence[S]) -> Iterator[S]:
    """The sum of all parts but each in turn; at least two parts.

    >>> list(left_out_sums([1, 10, 100]))
    [110, 101, 11]
    """
    after = [*accumulate(reversed(parts), lambda total, own: own + total)][::-1]
    before: S | None = None
    for own, rest in zip(parts, [*after[1:], None], strict=True):
        total = rest if before is None else before if rest is None else before + rest
        assert total is not None, "one part alone has no others"
        yield total
        before = own if before is None else before + own


@dataclass(frozen=True)
class FoldParts:
    """The summary of the rows of each fold, None where there are none yet, and first row and length of each chunk."""

    parts: tuple[Statistic | None, ...]
    chunks: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, chunk: Chunk, summarise: Callable[[Chunk], Statistic], fold: Whole, k: int) -> FoldParts:
        """The summaries of the rows of a chunk; `fold` (n,) has the fold of every row of the source, from 0."""
        own = fold[chunk.start : chunk.start + len(chunk)]
        order = np.argsort(own, kind="stable")
        places = np.split(order, np.cumsum(np.bincount(own, minlength=k))[:-1])
        parts = tuple(summarise(chunk.at(rows)) if len(rows) else None for rows in places)
        return cls(parts, ((chunk.start, len(chunk)),))

    def __add__(self, other: FoldParts) -> FoldParts:
        pairs = zip(self.parts, other.parts, strict=True)
        return FoldParts(tuple(_added(a, b) for a, b in pairs), self.chunks + other.chunks)

    def is_finite(self) -> bool:
        """Whether no number in the summaries is NaN or infinite."""
        return all(part is None or part.is_finite() for part in self.parts)

    def hides_missing(self) -> bool:
        """Whether missing cells do not show in the summaries."""
        return any(part is not None and part.hides_missing() for part in self.parts)


def _added(a: Statistic | None, b: Statistic | None) -> Statistic | None:
    return b if a is None else a if b is None else a + b


@dataclass(eq=False)
class FoldedRows:
    """Rows in k folds: `fold` (n,) has that of each, from 0. They are summed up once, whichever fold is left out.

    >>> from suffice.data import as_source
    >>> from suffice.statistics import Counts
    >>> rows = FoldedRows(as_source([[1.0], [2.0], [3.0]]), np.array([0, 1, 1]), 2)
    >>> [found.counts.tolist() for found in rows.sums_without(lambda chunk: Counts.of(chunk.X[:, 0]))]
    [[1.0, 1.0], [1.0]]
    """

    source: Source
    fold: Whole
    k: int
    _kept: dict[Hashable, tuple[Statistic, ...] | None] = field(default_factory=dict, repr=False)
    _derived: dict[Hashable, FoldedRows] = field(default_factory=dict, repr=False)

    @cached_property
    def sizes(self) -> Whole:
        """The rows of each fold, (k,)."""
        return np.bincount(self.fold, minlength=self.k)

    def without(self, fold: int) -> WithoutFold:
        """All rows but those of a fold, as a source."""
        return WithoutFold(self, fold)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> FoldedRows:
        """The same rows in the same folds for a model with these needs; what is summed up of them is shared."""
        if needs == self.source.needs and columns in (None, self.source.schema.names):
            return self
        key = ("suited", needs, columns)
        if key not in self._derived:
            source = self.source.suited_to(needs, columns)
            sums = self._kept if source.schema.names == self.source.schema.names else {}
            self._derived[key] = FoldedRows(source, self.fold, self.k, sums)
        return self._derived[key]

    def mapped(self, change: Callable[[Chunk], Chunk], schema: Schema, key: Hashable) -> FoldedRows:
        """The rows after a function in the same folds; it is called once for all who give this key."""
        if (key, self.source.needs) not in self._derived:
            mapped = FoldedRows(self.source.mapped(change, schema), self.fold, self.k)
            self._derived[key, self.source.needs] = mapped
        return self._derived[key, self.source.needs]

    def known_sums(self, summarise: Callable[[Chunk], Statistic]) -> tuple[Statistic, ...] | None:
        """`sums_without` of a function that can be told from others; None of others as well."""
        key = key_of(summarise)
        return None if key is None else self.kept_sums(summarise, key)

    def sums_without(self, summarise: Callable[[Chunk], Statistic]) -> tuple[Statistic, ...] | None:
        """The summary of all rows but those of each fold, (k,); None where a summary is no smaller than the rows.

        It is kept for all who ask by the same function, or by the same method of a model with the same parameters.
        """
        key = key_of(summarise)
        return self._summed(summarise) if key is None else self.kept_sums(summarise, key)

    def kept_sums(self, summarise: Callable[[Chunk], Statistic], key: Hashable) -> tuple[Statistic, ...] | None:
        """The same, made when somebody first asks with this key."""
        if key not in self._kept:
            self._kept[key] = self._summed(summarise)
        return self._kept[key]

    def _summed(self, summarise: Callable[[Chunk], Statistic]) -> tuple[Statistic, ...] | None:
        n = len(self.fold)
        with blas_threads_for(n * len(self.source.schema) ** 2):
            found = self.source.reduce(partial(FoldParts.of, summarise=summarise, fold=self.fold, k=self.k))
        _check_numbered(found.chunks, n, self.source)
        parts = tuple(part for part in found.parts if part is not None)  # all: every fold has rows
        return tuple(left_out_sums(parts)) if self._are_worth_it(parts) else None

    def _are_worth_it(self, parts: tuple[Statistic, ...]) -> bool:
        """Whether sums are smaller than the rows that they are of, and small enough to be kept for every fold."""
        sizes = [_bytes(part) for part in parts]
        if self.k > _MANY:  # of few rows each, so that summaries still grow
            whole = _bytes(reduce(add, parts))
            grows = whole > sum(sizes) / 2
        else:
            whole, two = max(sizes), sizes[:2]
            grows = self.k > 2 and _bytes(parts[0] + parts[1]) > max(two) + min(two) / 2
        return not grows and self.k * whole <= max(_MOST_BYTES, len(self.fold) * self.source.row_bytes())


def _check_numbered(chunks: tuple[tuple[int, int], ...], n: int, source: Source) -> None:
    """Refuse a source whose chunks do not say which rows they hold."""
    end = 0
    for start, length in sorted(chunks):
        if start != end:
            break
        end += length
    if end != n:
        raise InvalidData(
            f"{source.needs.owner}: the chunks of {source} do not say which rows they hold, so that they have no "
            "folds. Give rows whose number is known and that are not filtered."
        )


def _bytes(summary: Statistic) -> int:
    return sum(int(array.nbytes) for array in summary.to_arrays().values())


def key_of(summarise: object) -> Hashable:
    """What two functions have in common that give the same for the same rows; None where that cannot be said.

    A function without variables of another, or a method of a model that is a function of one summary: what that makes
    of rows depends on its parameters alone.
    """
    if isinstance(summarise, partial):
        inner, given = key_of(summarise.func), (*summarise.args, *sorted(summarise.keywords.items()))
        plain = all(isinstance(value, bool | int | float | str | tuple) for value in given)
        return None if inner is None or not plain else (inner, *given)
    if isinstance(summarise, MethodType) and hasattr(summarise.__self__, "summarise"):
        model = summarise.__self__
        return type(model), summarise.__func__.__code__, _pickled(_parameters(model))
    if isinstance(summarise, FunctionType) and summarise.__closure__ is None and not summarise.__defaults__:
        return summarise.__code__
    return None


def _parameters(model: object) -> dict[str, object]:
    """What was set before the fit; `get_params` would take longer than a small fit."""
    return {name: value for name, value in vars(model).items() if not name.startswith("_") and not name.endswith("_")}


def _pickled(params: dict[str, object]) -> Hashable:
    try:
        return pickle.dumps(sorted(params.items()))
    except Exception:  # a parameter that cannot be compared is like no other
        return object()
