"""Inverted lists for sparse rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from ..backend.arrays import Array
from ..backend.inverted import Inverted
from ..backend.neighbors import Nearest, Within
from ..distances import Cosine, Distance
from ..distances.dots import as_rows, squared_norms
from ..holds import instance, optional, require
from .base import Index


@dataclass(frozen=True, eq=False)
class InvertedLists(Index):
    """For every column the list of the rows that have it, exact: a query merges the lists of its own columns.

    Rows without a column in common are ranked by their lengths and need not be looked at. For sparse rows with the
    Euclidean or the cosine distance.

    >>> from scipy import sparse
    >>> X = sparse.csr_array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 0.0]])
    >>> InvertedLists().built(X, "cosine").kneighbors(X[:1], 2).rows
    array([[0, 2]])
    """

    lists: Inverted | None = None

    name: ClassVar = "inverted_lists"
    holds: ClassVar = {"lists": optional(instance(Inverted, n="n", d="d"))}

    def check_loaded(self) -> None:
        super().check_loaded()
        require((self.rows is None) == (self.lists is None), "lists must be there where rows are")

    @classmethod
    def refusal(cls, measure: Distance, is_sparse: bool) -> str | None:
        if not is_sparse:
            return "inverted lists need sparse rows"
        if not (measure.is_plain or isinstance(measure, Cosine)):
            return f"inverted lists are for the Euclidean and the cosine distance, not for {measure!r}"
        return None

    def _ready(self) -> Self:
        X = self._scaled(self.rows)
        return replace(self, lists=Inverted.of(X, squared_norms(X, type(self).__name__)))

    def _scaled(self, X: Array) -> Any:
        """Rows whose squared Euclidean distances are the ranking form."""
        return self.measure.directions(X) if isinstance(self.measure, Cosine) else as_rows(X)

    def _nearest(self, Q: Array, k: int) -> Nearest:
        own = self._scaled(Q)
        return self._lists.nearest(own, squared_norms(own, type(self).__name__), k)

    def _within(self, Q: Array, radius: float) -> Within:
        own = self._scaled(Q)
        return self._lists.within(own, squared_norms(own, type(self).__name__), radius)

    @property
    def _lists(self) -> Inverted:
        assert self.lists is not None
        return self.lists
