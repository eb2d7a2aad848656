"""What every index of rows is: built from rows, asked for neighbours, with rows inserted and removed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..backend.neighbors import Nearest, Within
from ..data.validate import check_size
from ..distances import Distance, Euclidean, as_distance
from ..errors import InvalidData, InvalidParameter
from ..holds import instance, optional, require, row_array
from ..registry import register_member

Array = Any
Whole = NDArray[np.int64]

_EUCLIDEAN = Euclidean()


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

    # ---- what everybody uses ----

    @property
    def n_rows(self) -> int:
        """How many rows can be found."""
        return 0 if self.rows is None else int(self.rows.shape[0])

    def built(self, X: Any, metric: Any = "euclidean") -> Self:
        """The index of the rows X, with the distance of that name, or the distance it is."""
        owner = type(self).__name__
        measure = as_distance(metric, owner).fitted(X)
        values = measure.matrix(X)
        why = self.refusal(measure, sparse.issparse(values))
        if why is not None:
            raise InvalidParameter(f"{owner}: {why}. Use Brute(), or algorithm='auto'.")
        if not sparse.issparse(values) and values.dtype.kind == "f":
            check_size(values, None, owner)
        reason = self.reason or f"{owner} was asked for"
        return replace(self, measure=measure, rows=self._comparable(measure, values), reason=reason)._ready()

    def kneighbors(self, Q: Any, k: int = 5) -> Nearest:
        """The k nearest rows of each query: distances (m, k) ascending, and rows (m, k); of equals the first."""
        self._check_built()
        if isinstance(k, bool) or not isinstance(k, Integral) or not 1 <= k <= self.n_rows:
            raise InvalidParameter(
                f"{type(self).__name__}: k={k!r} neighbours of {self.n_rows} rows; k must be an integer, at least 1, "
                f"at most {self.n_rows}. Lower k, or insert more rows."
            )
        found = self._nearest(self._queries(Q), k)
        self._check_defined(found)
        return Nearest(self.measure.to_true(found.distances), found.rows)

    def radius_neighbors(self, Q: Any, radius: float = 1.0) -> Within:
        """The rows at most `radius` away from each query, nearest first: ends of the lists (m,), distances, rows."""
        self._check_built()
        if not isinstance(radius, Real) or not radius >= 0:
            raise InvalidParameter(f"{type(self).__name__}: radius must be a number, at least 0; got {radius!r}.")
        found = self._within(self._queries(Q), float(self.measure.to_ranking(np.float64(radius))))
        return Within(found.ends, self.measure.to_true(found.distances), found.rows)

    def insert(self, X: Any) -> Self:
        """An index that has more rows, numbered after those that are there."""
        self._check_built()
        rows = self._comparable(self.measure, self.measure.matrix(X, self.rows))
        self._check_kind(rows)
        return self._inserted(rows)

    def remove(self, rows: Any) -> Self:
        """An index without the rows of these numbers; those behind them move up."""
        self._check_built()
        at = np.asarray(rows).ravel()
        if at.dtype.kind not in "iu" and at.size:
            raise InvalidData(f"{type(self).__name__}: rows are removed by their numbers; got {at.dtype}.")
        at = at.astype(np.int64)
        if at.size and not (at.min() >= 0 and at.max() < self.n_rows):
            wrong = int(at[(at < 0) | (at >= self.n_rows)][0])
            raise InvalidData(
                f"{type(self).__name__}: there is no row {wrong}; rows are numbered from 0 to {self.n_rows - 1}."
            )
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

    def _queries(self, Q: Any) -> Array:
        values = self._comparable(self.measure, self.measure.matrix(Q, self.rows))
        self._check_kind(values)
        if values.shape[1] != self.rows.shape[1]:
            raise InvalidData(
                f"{type(self).__name__}: {self.measure!r} makes {values.shape[1]} columns of a query and "
                f"{self.rows.shape[1]} of a row; build the index anew."
            )
        if sparse.issparse(values) or not self.measure.has_kernel:
            return values
        return np.ascontiguousarray(values, dtype=np.float64)

    def _check_kind(self, rows: Array) -> None:
        if sparse.issparse(rows) and not sparse.issparse(self.rows):
            raise InvalidData(f"{type(self).__name__}: the rows of the index are dense; use X.toarray() here too.")

    def _check_built(self) -> None:
        if self.rows is None:
            raise InvalidParameter(f"{type(self).__name__}: there are no rows yet; call built(X) first.")

    def _check_defined(self, found: Nearest) -> None:
        if np.isinf(found.distances).any():
            query = int(np.argwhere(np.isinf(found.distances))[0][0])
            raise InvalidData(
                f"{type(self).__name__}: query {query} has a distance from fewer rows than neighbours are asked for: "
                "with the others it has no column in common. Fill missing values, or lower the number of neighbours."
            )


def stacked(above: Array, below: Array) -> Array:
    """Rows under rows."""
    stack: Any = sparse.vstack
    if sparse.issparse(above):
        return stack([above, below], format="csr")
    return np.concatenate([above, below.astype(above.dtype, copy=False)])
