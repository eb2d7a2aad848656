"""What every distance is: a way to compare all pairs of rows, dense or sparse, whole or in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from .. import backend
from ..backend import distances as kernels
from ..backend.arrays import Array
from ..backend.distances import Kind, Term
from ..choices import Choices, Named
from ..data import Needs, Schema
from ..data.memory import from_memory
from ..errors import InvalidData, InvalidParameter, MemoryNeeded, RefusedRow
from ..registry import register_member
from ..typing import Floats, Numbers, TableLike

Centre = Literal["", "mean", "direction"]


class Distance(Named):
    """Base of the distances: frozen dataclasses that say how two rows are compared.

    A subclass names itself in `names`, says what it is in the flags, and gives either `kind` and `rows`, which the
    kernels then use, or `_between` where it computes by itself. Subclasses register themselves, so that everybody who
    takes names, and the contract tests, find them.

    `rows(X)` is what the kernel compares: with `kind` "squared" the geometry among these rows is Euclidean, with
    "absolute", "largest" and "power" that of the other Minkowski distances. A search tree may be built on them.
    """

    members: ClassVar[list[type[Distance]]] = []
    kind: ClassVar[Kind] = "squared"
    takes_root: ClassVar[bool] = False  # the ranking form is the square of the true one
    is_symmetric: ClassVar[bool] = True
    is_metric: ClassVar[bool] = (
        False  # for rows without missing values: 0 to itself, symmetric, and no detour is shorter
    )
    sparse: ClassVar[bool] = False
    missing: ClassVar[bool] = False  # NaN allowed: the columns that both rows have count, scaled up to all
    categories: ClassVar[bool] = False
    by_units: ClassVar[bool] = False  # differences of columns are added up, so that their units decide
    has_kernel: ClassVar[bool] = True  # `rows` and `term_for` say all; else only `pairwise` knows
    centre: ClassVar[Centre] = ""  # what is nearest to some of `rows` in all: their mean, or its direction; or neither
    factor: ClassVar[Any] = None  # L, (d, r), or (d,) one number a column, where `rows(X)` is X L

    def __init_subclass__(cls, saved: bool = True) -> None:
        Distance.members.append(cls)
        DISTANCES.register(cls)
        if saved:
            register_member(cls, "distance")

    # ---- what a subclass may say ----

    @property
    def learns(self) -> bool:
        """Whether it takes something from all rows (ranges, a covariance) that was not given."""
        return False

    def summary(self, X: Array, weight: Numbers | None = None) -> Any:
        """What it takes from some rows, a statistic."""
        raise TypeError(f"{type(self).__name__} does not define summary")

    def given(self, summary: Any) -> Self:
        """This distance with what the summary of all rows says."""
        raise TypeError(f"{type(self).__name__} does not define given")

    def factor_from(self, summary: Any) -> Floats:
        """The `factor` that follows from the summary of all rows."""
        return np.asarray(self.given(summary).factor)

    def fitted(self, X: TableLike, *more: object, weight: Numbers | None = None) -> Self:
        """This distance with what it takes from all rows where that was not given."""
        if not self.learns:
            return self
        found = self.summary(self.matrix(X), weight)
        for other in more:
            found = found + self.summary(self.matrix(other, X))
        return self.given(found)

    def for_columns(self, schema: Schema) -> Self:
        """This distance for the columns of a table of which a model sees codes in place of text."""
        return self

    def check_columns(self, d: int) -> None:
        """Refuse rows of d columns where the parameters are for another number of them."""

    def rows(self, X: Array) -> Array:
        """The rows that the kernel compares; refuses those that have no such distance."""
        return X

    def term(self, ranking: bool = False) -> Term:
        """What the kernel does with two rows."""
        return Term(self.kind, "root" if self.takes_root and not ranking else "none")

    def to_true(self, values: Array) -> Array:
        """True distances from those of the ranking form."""
        return np.sqrt(values) if self.takes_root else values

    def to_ranking(self, values: Array) -> Array:
        """The ranking form of true distances."""
        return values * values if self.takes_root else values

    @classmethod
    def examples(cls) -> tuple[Distance, ...]:
        """Some members, for the contract tests."""
        return (cls(),)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        """Rows that have this distance, for the contract tests."""
        return rng.normal(size=(n, 5))

    # ---- what everybody uses ----

    @property
    def is_plain(self) -> bool:
        """Whether Euclidean distances of the rows as they are rank as this one does."""
        return self.centre == "mean" and type(self).rows is Distance.rows

    def __call__(self, x: Numbers, y: Numbers) -> float:
        """The distance of two rows."""
        return float(self.pairwise(np.asarray(x)[None, :], np.asarray(y)[None, :])[0, 0])

    def pairwise(self, X: TableLike, Y: Numbers | None = None, *, ranking: bool = False) -> Array:
        """The distances (n, m) of the rows of X from those of Y, (n, n) without Y, in the precision of X.

        `ranking` gives a cheaper form in the same order; `to_true` turns it into the distances.
        """
        measure = self._learned(X, Y)
        return measure._pairs(measure.matrix(X), None if Y is None else measure.matrix(Y, X), ranking)

    def of_checked(self, A: Array, B: Array | None = None) -> Array:
        """The same of matrices as `matrix` gives them, by a distance that knows all that it takes from rows."""
        return self._pairs(A, B, False)

    def condensed(self, X: TableLike, *, ranking: bool = False) -> Array:
        """The distances of the pairs i < j in the order of SciPy's pdist, (n (n − 1) / 2,)."""
        if not self.is_symmetric:
            raise InvalidParameter(
                f"{type(self).__name__}: the distance from i to j is not that from j to i, so half of the pairs is not "
                "enough. Use pairwise, or a symmetric distance such as JensenShannon."
            )
        measure = self._learned(X, None)
        return measure._half(measure.matrix(X), ranking)

    def chunked(
        self, X: TableLike, Y: Numbers | None = None, *, memory: int = 1 << 26, ranking: bool = False
    ) -> Iterator[tuple[slice, Array]]:
        """The same as `pairwise` in blocks of rows of X, each of at most `memory` bytes: (rows, block) one by one."""
        measure = self._learned(X, Y)
        A = measure.matrix(X)
        B = A if Y is None else measure.matrix(Y, X)
        height = block_height(type(self).__name__, B.shape[0] * A.dtype.itemsize, memory)
        own, other = (A, B) if _any_sparse(A, B) else (measure.rows(A), measure.rows(B))
        for start in range(0, A.shape[0], height):
            at = slice(start, min(start + height, A.shape[0]))
            if _any_sparse(A, B):
                yield at, measure._sparse_pairs(A[at], B, ranking)
            else:
                yield at, measure._between(own[at], other, ranking, A.dtype)

    # ---- how it is done ----

    def _learned(self, X: TableLike, Y: Numbers | None) -> Self:
        return self.fitted(X) if Y is None else self.fitted(X, Y)

    def matrix(self, X: Any, like: Any = None) -> Array:
        """X as a checked matrix of float32 or float64, with as many columns as `like` where that is given."""
        needs = Needs(type(self).__name__, missing=self.missing, sparse=self.sparse, categories=self.categories)
        values = from_memory(X, None, None, needs).chunk.X
        width = values.shape[1] if like is None else np.shape(like)[1]
        if values.shape[1] != width:
            raise InvalidData(
                f"{type(self).__name__}: X has {width} columns but Y has {values.shape[1]}; rows of both must have the "
                "same columns."
            )
        return values

    def _pairs(self, A: Array, B: Array | None, ranking: bool) -> Array:
        if _any_sparse(A, B):
            return self._sparse_pairs(A, B, ranking)
        return self._between(self.rows(A), None if B is None else self.rows(B), ranking, A.dtype)

    def _between(self, own: Array, other: Array | None, ranking: bool, dtype: DTypeLike) -> Array:
        """From rows made ready, (n, m)."""
        return self._finished(kernels.pairwise(own, other, self.term_for(own, other, ranking), dtype))

    def _half(self, A: Array, ranking: bool) -> Array:
        if _any_sparse(A, None):
            return self._sparse_pairs(A, None, ranking)[np.triu_indices(A.shape[0], 1)]
        own = self.rows(A)
        return self._finished(kernels.condensed(own, self.term_for(own, None, ranking), A.dtype))

    def term_for(self, own: Array, other: Array | None = None, ranking: bool = False) -> Term:
        """What the kernel does with these rows, made ready by `rows`: missing values count where there are some."""
        term = self.term(ranking)
        if not self.missing or term.weight is not None or not (_has_missing(own) or _has_missing(other)):
            return term
        d = own.shape[1]
        return Term(term.kind, term.finish, term.p, term.numbers, np.ones(d), float(d))

    def _finished(self, values: Array) -> Array:
        return values

    def _sparse_pairs(self, A: Array, B: Array | None, ranking: bool) -> Array:
        raise TypeError(f"{type(self).__name__} does not define _sparse_pairs")

    def _refuse(self, row: int, why: str, remedy: str) -> RefusedRow:
        return RefusedRow(type(self).__name__, row, why, remedy)


DISTANCES: Choices[Distance] = Choices("distance", Distance)


def _any_sparse(A: Array, B: Array | None) -> bool:
    return bool(sparse.issparse(A) or sparse.issparse(B))


def _has_missing(X: Array | None) -> bool:
    return X is not None and backend.first_bad(X) is not None


def block_height(owner: str, row: int, memory: int) -> int:
    """How many rows of `row` bytes fit into `memory` bytes; an error where it is none."""
    if isinstance(memory, bool) or not isinstance(memory, int | np.integer):
        raise InvalidParameter(f"{owner}: memory must be an integer, the bytes of a block; got {memory!r}.")
    if row > memory:
        raise MemoryNeeded(
            f"{owner}: one row of distances takes {row:,} bytes, more than memory={memory:,}. Raise memory, or compare "
            "with fewer rows."
        )
    return memory // max(row, 1)
