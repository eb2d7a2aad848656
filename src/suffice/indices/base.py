"""What every index of rows is: built from rows, asked for neighbours, with rows inserted and removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..backend.neighbors import Floats, Nearest, Within
from ..data.rows import as_array
from ..data.validate import check_size
from ..distances import Distance, Euclidean, as_distance
from ..errors import InvalidData, InvalidParameter, squares_overflow
from ..holds import instance, optional, require, row_array
from ..params import as_float
from ..registry import register_member
from ..typing import Numbers
from .tied import nearest_with_ties

Array = Any
Whole = NDArray[np.int64]

_EUCLIDEAN = Euclidean()
_HOPED = 3  # times as many queries as would fit if each had all rows within its radius


@dataclass(frozen=True, eq=False)
class Index:
    """Base of the indices: frozen dataclasses of options, and with `built(X, metric)` the index of some rows.

    A subclass gives `_nearest` and `_within` in the ranking form of the distance, and what it needs to be `_ready`.
    `insert` and `remove` give a new index and leave the old one as it was; rows are always numbered from 0 in the order
    of their arrival, those removed not counted.
    """

    measure: Distance = _EUCLIDEAN
    rows: Array = None  # as the kernels compare them, (n, d)
    reason: str = ""  # why this index was chosen

    name: ClassVar[str] = ""
    is_exact: ClassVar[bool] = True
    holds: ClassVar = {"measure": instance(Distance, d="d"), "rows": optional(row_array("n", "d"))}

    def __init_subclass__(cls, saved: bool = True) -> None:
        if saved:
            register_member(cls, "index")

    def check_loaded(self) -> None:
        """Raise an error where an index from a file could not search its rows."""
        if self.rows is not None:
            why = self.refusal(self.measure, sparse.issparse(self.rows))
            require(why is None, f"{why}")
            require(not sparse.issparse(self.rows) or self.measure.sparse, f"{self.measure!r} needs dense rows")

    # ---- what a subclass may say ----

    @classmethod
    def refusal(cls, measure: Distance, is_sparse: bool) -> str | None:
        """Why this index cannot hold such rows; None where it can."""
        return None

    def _ready(self) -> Self:
        """This index with everything that queries need."""
        return self

    def _nearest(self, Q: Array, k: int) -> Nearest:
        raise TypeError(f"{type(self).__name__} does not define _nearest")

    def _within(self, Q: Array, radius: float) -> Within:
        raise TypeError(f"{type(self).__name__} does not define _within")

    def _first_within(self, Q: Array, radius: float, most: int) -> Within:
        """The lists of the first queries, at least one; the others are not looked at."""
        return self._within(Q[: max(1, _HOPED * most // max(1, self.n_rows))], radius)

    # ---- what everybody uses ----

    @property
    def n_rows(self) -> int:
        """How many rows can be found."""
        return 0 if self.rows is None else int(self.rows.shape[0])

    def built(self, X: Numbers, metric: object = "euclidean") -> Self:
        """The index of the rows X, with the distance of that name, or the distance it is."""
        owner = type(self).__name__
        measure = as_distance(metric, owner).fitted(X)
        values = measure.matrix(X)
        if not sparse.issparse(values) and values.dtype.kind == "f":
            check_size(values, None, owner)
        return self.of_checked(values, measure)

    def of_checked(self, X: Array, measure: Distance) -> Self:
        """The same for rows that have been checked, and a distance that has learned from them."""
        owner = type(self).__name__
        why = self.refusal(measure, sparse.issparse(X))
        if why is not None:
            raise InvalidParameter(f"{owner}: {why}. Use Brute(), or algorithm='auto'.")
        reason = self.reason or f"{owner} was asked for"
        return replace(self, measure=measure, rows=self._comparable(measure, X), reason=reason)._ready()

    def kneighbors(self, Q: Array, k: int = 5) -> Nearest:
        """The k nearest rows of each query: distances (m, k) ascending, and rows (m, k); of equals the first."""
        self._check_built()
        self._check_count(k)
        queries = self._queries(Q)
        found = self._nearest(queries, k)
        self._check_defined(queries, found.distances, lambda: np.arange(len(found.distances)))
        return Nearest(self.measure.to_true(found.distances), found.rows)

    def tied_neighbors(self, Q: Array, k: int, weight: Floats | None = None) -> Within:
        """The k nearest rows of each query and all that are as near as the k-th: as `radius_neighbors` gives them.

        With the weights (n,) of the rows, the nearest rows whose weights sum to k. So the order of the rows does not
        matter.
        """
        self._check_built()
        if weight is None:
            self._check_count(k)
        queries = self._queries(Q)
        found = nearest_with_ties(self._nearest, queries, k, self.n_rows, weight)
        self._check_defined(queries, found.distances, found.queries)
        return Within(found.ends, self.measure.to_true(found.distances), found.rows)

    def radius_neighbors(self, Q: Array, radius: float = 1.0) -> Within:
        """The rows at most `radius` away from each query, nearest first: ends of the lists (m,), distances, rows."""
        self._check_built()
        found = self._within(self._queries(Q), self._ranking_radius(radius))
        return Within(found.ends, self.measure.to_true(found.distances), found.rows)

    def first_radius_neighbors(self, Q: Array, radius: float, most: int) -> Within:
        """`radius_neighbors` of the first queries, at least one, as many as have about `most` rows together."""
        self._check_built()
        found = self._first_within(self._queries(Q), self._ranking_radius(radius), most)
        return Within(found.ends, self.measure.to_true(found.distances), found.rows)

    def insert(self, X: object) -> Self:
        """An index that has more rows, numbered after those that are there."""
        self._check_built()
        return self._inserted(self._comparable(self.measure, self._formed(X)))

    def remove(self, rows: object) -> Self:
        """An index without the rows of these numbers; those behind them move up."""
        self._check_built()
        at = row_numbers(type(self).__name__, rows, self.n_rows)
        gone = np.zeros(self.n_rows, dtype=bool)
        gone[at] = True
        return self._removed(gone)

    # ---- how it is done ----

    def _inserted(self, rows: Array) -> Self:
        return replace(self, rows=stacked(self.rows, rows))._ready()

    def _removed(self, gone: NDArray[np.bool_]) -> Self:
        return replace(self, rows=self.rows[np.flatnonzero(~gone)])._ready()

    @staticmethod
    def _comparable(measure: Distance, values: Array) -> Array:
        if sparse.issparse(values):
            return values
        return np.ascontiguousarray(measure.rows(values) if measure.has_kernel else values)

    def _formed(self, X: object) -> Array:
        """Rows as a matrix, dense where those of the index are."""
        values = self.measure.matrix(X, self.rows)
        return values if sparse.issparse(self.rows) else filled_out(values)

    def _ranking_radius(self, radius: float) -> float:
        """The ranking form of a radius; infinite where that is too large for a number."""
        is_number = isinstance(radius, int | float | np.number) and not isinstance(radius, bool)
        if not is_number or not radius >= 0:
            raise InvalidParameter(f"{type(self).__name__}: radius must be a number, at least 0; got {radius!r}.")
        with np.errstate(over="ignore"):
            return float(self.measure.to_ranking(np.float64(as_float(radius))))

    def _queries(self, Q: Numbers) -> Array:
        values = self._comparable(self.measure, self._formed(Q))
        if values.shape[1] != self.rows.shape[1]:
            raise InvalidData(
                f"{type(self).__name__}: {self.measure!r} makes {values.shape[1]} columns of a query and "
                f"{self.rows.shape[1]} of a row; build the index anew."
            )
        if sparse.issparse(values) or not self.measure.has_kernel:
            return values
        return np.ascontiguousarray(values, dtype=np.float64)

    def _check_built(self) -> None:
        if self.rows is None:
            raise InvalidParameter(f"{type(self).__name__}: there are no rows yet; call built(X) first.")

    def _check_count(self, k: int) -> None:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= self.n_rows:
            raise InvalidParameter(
                f"{type(self).__name__}: k={k} neighbours of {self.n_rows} rows; k must be an integer, at least 1, at "
                f"most {self.n_rows}. Lower k, or insert more rows."
            )

    def _check_defined(self, queries: Array, distances: Floats, numbers: Callable[[], Whole]) -> None:
        """Refuse distances (m, …) that are not defined, of the queries of these numbers (m,)."""
        if not np.isinf(distances).any():
            return
        query = int(numbers()[np.argwhere(np.isinf(distances))[0][0]])
        known = self.n_rows == self.rows.shape[0]  # else rows are elsewhere, or some are gone
        if not self.measure.missing or (known and not (has_missing(queries[[query]]) or has_missing(self.rows))):
            raise squares_overflow(type(self).__name__)
        raise InvalidData(
            f"{type(self).__name__}: query {query} has a distance from fewer rows than neighbours are asked for: with "
            "the others it has no column in common. Fill missing values, or lower the number of neighbours."
        )


def row_numbers(owner: str, rows: object, n: int) -> Whole:
    """The numbers of some of n rows, as an array; what is no such number is refused."""
    given = as_array(rows, owner, f"rows are named by integers from 0 to {n - 1}").ravel()
    if not given.size:
        return np.empty(0, dtype=np.int64)
    if given.dtype.kind not in "iu":
        raise InvalidData(f"{owner}: rows are named by integers from 0 to {n - 1}; got {given[0]!r}.")
    wrong = given[(given < 0) | (given >= n)]
    if wrong.size:
        raise InvalidData(f"{owner}: there is no row {wrong[0]}; rows are numbered from 0 to {n - 1}.")
    return given.astype(np.int64)


def has_missing(rows: Array) -> bool:
    """Whether some cell is missing, in a dense or sparse matrix."""
    return bool(np.isnan(rows.data if sparse.issparse(rows) else rows).any())


def filled_out(values: Array) -> Array:
    """Rows as a dense array."""
    return values.toarray() if sparse.issparse(values) else values


def stacked(above: Array, below: Array) -> Array:
    """Rows under rows, in the form of those above."""
    stack: Any = sparse.vstack
    if sparse.issparse(above):
        return stack([above, sparse.csr_array(below)], format="csr")
    return np.concatenate([above, filled_out(below).astype(above.dtype, copy=False)])
