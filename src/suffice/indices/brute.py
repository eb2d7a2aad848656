"""All rows compared with every query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from .. import backend
from ..backend.arrays import Array
from ..backend.distances import Term
from ..backend.neighbors import Nearest, Panels, Within, nearest_of, nearest_rows, rows_within, within_of
from .base import Index
from .inverted_lists import InvertedLists


@dataclass(frozen=True, eq=False)
class Brute(Index):
    """Every query is compared with every row, block by block, in memory that does not grow with the number of pairs.

    Any distance, dense or sparse, with missing values. Euclidean distances of many columns are first compared in single
    precision, or in 8 bits where the processor multiplies bytes; what that cannot decide is computed in double, so the
    answer is exact. Sparse rows meet the queries column by column, as `InvertedLists` compares them.

    >>> Brute().built([[0.0], [2.0], [3.0]], "manhattan").kneighbors([[2.4]], 2).rows
    array([[1, 2]])
    """

    name: ClassVar = "brute"

    def _nearest(self, Q: Array, k: int) -> Nearest:
        if self._lists is not None:
            return self._lists._nearest(Q, k)
        if self._by_pairs:
            parts = [nearest_of(block, k) for _, block in self._blocks(Q)]
            return Nearest(np.concatenate([p.distances for p in parts]), np.concatenate([p.rows for p in parts]))
        term = self._term(Q)
        panels = self._panels_for(Q, term)
        return nearest_rows(Q, self.rows, term, k) if panels is None else panels.nearest(Q, self.rows, k)

    def _within(self, Q: Array, radius: float) -> Within:
        if self._lists is not None:
            return self._lists._within(Q, radius)
        if not self._by_pairs:
            term = self._term(Q)
            panels = self._panels_for(Q, term)
            return rows_within(Q, self.rows, term, radius) if panels is None else panels.within(Q, self.rows, radius)
        parts = [within_of(block, radius) for _, block in self._blocks(Q)]
        before = np.cumsum([0, *(len(p.rows) for p in parts)])
        ends = [p.ends + start for p, start in zip(parts, before, strict=False)]
        return Within(
            np.concatenate(ends), np.concatenate([p.distances for p in parts]), np.concatenate([p.rows for p in parts])
        )

    @property
    def _by_pairs(self) -> bool:
        """Whether no kernel searches, so that blocks of distances are made and looked at."""
        return not self.measure.has_kernel or sparse.issparse(self.rows)

    def _blocks(self, Q: Array) -> Any:
        return self.measure.chunked(Q, self.rows, ranking=True)

    def _term(self, Q: Array) -> Term:
        return self.measure.term_for(self._example, Q, ranking=True)

    def _panels_for(self, Q: Array, term: Term) -> Panels | None:
        """What rules out most rows for these queries; None where all must be compared."""
        if term.kind != "squared" or term.weight is not None or self._panels is None:
            return None
        return self._panels if self._panels.suits(Q, self.rows) else None

    @cached_property
    def _lists(self) -> InvertedLists | None:
        """The columns of sparse rows as lists, for the distances that they give exactly."""
        if not sparse.issparse(self.rows) or InvertedLists.refusal(self.measure, True) is not None:
            return None
        return InvertedLists().of_checked(self.rows, self.measure)

    @cached_property
    def _example(self) -> Array:
        """A row with a missing value where some row has one, so that not all need be searched for every question."""
        return np.full((1, self.rows.shape[1]), 0.0 if backend.first_bad(self.rows) is None else np.nan)

    @cached_property
    def _panels(self) -> Panels | None:
        return None if np.isnan(self._example).any() else Panels.of(self.rows)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_panels", "_lists", "_example")}
