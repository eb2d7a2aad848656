"""What fits to the same splits share: the rows of each split, and the sums of all rows but those of each fold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from ..data.rows import is_sparse
from ..typing import EstimatorLike, TableLike
from .problem import Problem
from .rows import rows_of
from .shared_fits import SharedFits, shared_fits

_MOST_BYTES = 1 << 28  # that the rows of all splits may take when they are kept


@dataclass(eq=False)
class Work:
    """The splits of a problem, for one model or for `many`: then rows are taken out once, where there is room."""

    of: Problem
    many: bool = False
    sums: bool = True  # whether fits may come from sums
    _fits: dict[Hashable, SharedFits | None] = field(default_factory=dict, repr=False)
    _parts: dict[int, Problem] = field(default_factory=dict, repr=False)
    _tables: dict[int, TableLike] = field(default_factory=dict, repr=False)

    def shared(self, model: EstimatorLike) -> SharedFits | None:
        """How the fits of a model to all splits share one pass; None where each is made by itself."""
        if not self.sums or not getattr(model, "follows_from_summary", False):
            return None
        needs = model._fit_needs() if hasattr(model, "_fit_needs") else None
        key = (type(model), needs)
        if key not in self._fits:
            self._fits[key] = shared_fits(model, self.of)
        return self._fits[key]

    def to_learn_from(self, at: int) -> Problem:
        """The problem of the rows that a split learns from."""
        if at in self._parts:
            return self._parts[at]
        made = self.of.part(self.of.splits[at][0])
        if self._are_kept:
            self._parts[at] = made
        return made

    def to_test(self, at: int) -> TableLike:
        """The rows that a split tests on."""
        if at in self._tables:
            return self._tables[at]
        made: TableLike = rows_of(self.of.X, self.of.tested(at))
        if self._are_kept:
            self._tables[at] = made
        return made

    @property
    def _are_kept(self) -> bool:
        return self.many and len(self.of.splits) * _bytes(self.of) <= _MOST_BYTES

    def __getstate__(self) -> dict[str, object]:
        """Other processes take the rows out by themselves."""
        return {**vars(self), "_fits": {}, "_parts": {}, "_tables": {}}


def _bytes(of: Problem) -> int:
    """About how much memory the table takes."""
    X = of.X
    if is_sparse(X):
        return 16 * int(X.nnz)
    n, d = X.shape[0], X.shape[1] if len(X.shape) > 1 else 1
    return int(getattr(X, "nbytes", 0) or 8 * n * d) if hasattr(X, "dtype") else 16 * n * d
