"""A k-d tree: rows halved again and again, so that a query looks at few of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..backend.arrays import Array
from ..backend.neighbors import TREE_KINDS, Nearest, Tree, Within, nearest_rows, rows_within
from ..distances import Distance
from ..errors import InvalidData
from ..holds import flags, instance, optional, require, row_array
from ..statistics import NearestRows
from ..typing import Whole
from .base import Index, stacked
from .brute import Brute

_LOOSE = 1024  # so many rows may be inserted or removed before the tree is built anew, and a quarter of a larger one


@dataclass(frozen=True, eq=False)
class KDTree(Index):
    """A k-d tree, exact: rows are halved at the median of their widest column, and queries pass over far boxes.

    For Minkowski distances of all orders and what is Euclidean among transformed rows (Mahalanobis, cosine,
    correlation, standardised), few columns, no missing values. Rows that are inserted are compared one by one until
    there are enough for a new tree; those removed are passed over.

    >>> index = KDTree().built([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> index.kneighbors([[3.0, 3.0]], 2).distances
    array([[1.        , 4.24264069]])
    >>> index.remove([1]).insert([[3.0, 2.0]]).kneighbors([[3.0, 3.0]], 1).rows
    array([[2]])
    """

    tree: Tree | None = None
    in_tree: int = 0  # the first so many of `rows`; the others came later
    gone: NDArray[np.bool_] | None = None  # (rows,), those removed

    name: ClassVar = "kd_tree"
    holds: ClassVar = {
        "rows": optional(row_array("n", "d", complete=True)),
        "tree": optional(instance(Tree, d="d")),
        "gone": optional(flags("n")),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        n = 0 if self.rows is None else len(self.rows)
        require(self.in_tree <= n, f"in_tree must be at most {n}; got {self.in_tree}")
        require(self.tree is None or self.tree.n_rows == self.in_tree, "the tree must have in_tree rows")

    @classmethod
    def refusal(cls, measure: Distance, is_sparse: bool) -> str | None:
        if is_sparse:
            return "a k-d tree needs dense rows"
        if not measure.has_kernel or measure.term().kind not in TREE_KINDS:
            return f"{measure!r} has no boxes that a k-d tree could pass over"
        return None

    @property
    def n_rows(self) -> int:
        """How many rows can be found."""
        return super().n_rows if self.gone is None else int(np.sum(~self.gone))

    # ---- rows come and go ----

    def _ready(self) -> Self:
        _check_whole(self.rows)
        tree = Tree.of(self.rows) if Tree.takes(self.rows) else None
        return replace(self, tree=tree, in_tree=len(self.rows), gone=None)

    def _inserted(self, rows: Array) -> Self:
        _check_whole(rows)
        gone = None if self.gone is None else np.concatenate([self.gone, np.zeros(len(rows), dtype=bool)])
        return replace(self, rows=stacked(self.rows, rows), gone=gone)._settled()

    def _removed(self, gone: NDArray[np.bool_]) -> Self:
        all_gone = np.zeros(len(self.rows), dtype=bool) if self.gone is None else self.gone.copy()
        all_gone[self._kept()[gone]] = True
        tree = None if self.tree is None else self.tree.without(all_gone[: self.in_tree])
        return replace(self, tree=tree, gone=all_gone)._settled()

    def _settled(self) -> Self:
        loose = len(self.rows) - self.in_tree + (0 if self.gone is None else int(self.gone.sum()))
        if loose <= max(_LOOSE, self.in_tree // 4):
            return self
        return replace(self, rows=self.rows[self._kept()])._ready()

    def _kept(self) -> Whole:
        """The places among `rows` of those that are still there."""
        return np.arange(len(self.rows)) if self.gone is None else np.flatnonzero(~self.gone)

    def _later(self) -> Whole:
        """The places of rows that are not in the tree."""
        kept = self._kept()
        return kept[kept >= self.in_tree]

    def _numbers(self, places: Whole) -> Whole:
        """The row numbers of places, which skip those removed."""
        if self.gone is None:
            return places
        return np.where(places < 0, -1, (np.cumsum(~self.gone) - 1)[places])

    # ---- queries ----

    def _no_tree_for(self, Q: Array) -> bool:
        """Whether all rows must be compared: for queries with missing values, or rows that no tree takes."""
        return self.tree is None or not Tree.takes(self.rows) or backend.first_bad(Q) is not None

    def _nearest(self, Q: Array, k: int) -> Nearest:
        term = self.measure.term(ranking=True)
        if self._no_tree_for(Q):
            return Brute(self.measure, self.rows[self._kept()])._nearest(Q, k)
        assert self.tree is not None
        found = self.tree.nearest(Q, term, k)
        later = self._later()
        if len(later):
            others = nearest_rows(Q, self.rows[later], term, min(k, len(later)))
            merged = NearestRows(*found, k) + NearestRows(others.distances, later[others.rows], k)
            found = Nearest(merged.distances, merged.rows)
        return Nearest(found.distances, self._numbers(found.rows))

    def _within(self, Q: Array, radius: float) -> Within:
        term = self.measure.term(ranking=True)
        if self._no_tree_for(Q):
            return Brute(self.measure, self.rows[self._kept()])._within(Q, radius)
        assert self.tree is not None
        found, later = self.tree.within(Q, term, radius), self._later()
        if len(later):
            others = rows_within(Q, self.rows[later], term, radius)
            found = joined(found, Within(others.ends, others.distances, later[others.rows]))
        return Within(found.ends, found.distances, self._numbers(found.rows))

    def _first_within(self, Q: Array, radius: float, most: int) -> Within:
        if self._no_tree_for(Q) or len(self._later()):
            return super()._first_within(Q, radius, most)
        assert self.tree is not None
        found = self.tree.first_within(Q, self.measure.term(ranking=True), radius, most)
        return Within(found.ends, found.distances, self._numbers(found.rows))


def _check_whole(rows: Array) -> None:
    bad = backend.first_bad(rows)
    if bad is not None:
        raise InvalidData(
            f"KDTree: row {bad[0]} has a missing value, and a k-d tree needs whole rows. "
            "Fill missing values, or use Brute()."
        )


def joined(one: Within, other: Within) -> Within:
    """The lists of both, for the same queries."""
    query = [lists.queries() for lists in (one, other)]
    at, distances, rows = (
        np.concatenate(pair) for pair in (query, (one.distances, other.distances), (one.rows, other.rows))
    )
    order: Any = np.lexsort((rows, distances, at))
    return Within(one.ends + other.ends, distances[order], rows[order])
