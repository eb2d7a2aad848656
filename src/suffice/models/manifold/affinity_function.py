"""Affinities by a function of a user's: of a table, of two tables, or of two rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...data.rows import stacked
from ...kernels.gram import checked
from ...typing import Floats, Numbers

_TWO = 2  # arguments, of a function that compares


@dataclass(frozen=True)
class Affinity:
    """A function that says how alike rows are, called as its arguments ask for.

    One of a single table (n, d) gives (n, n), as scikit-learn's `SpectralEmbedding` takes it, and is asked of the
    objects and new rows together; one of two tables (n, d) and (m, d) gives (n, m), as a kernel does; else one of two
    rows gives a number, as scikit-learn's `SpectralClustering` takes it.
    """

    function: Callable[..., object]

    def __repr__(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))

    def between(self, X: Numbers, Y: Numbers, owner: str) -> Floats:
        """Of the rows X (q, d) to Y (m, d), (q, m)."""
        if not self._takes_two():
            both = X if X is Y else stacked([Y, X])
            whole = checked(lambda A, B: self.function(A), both, both, owner, "affinity")
            return whole if X is Y else whole[Y.shape[0] :, : Y.shape[0]]
        if self._takes_tables(X):
            return checked(self.function, X, Y, owner, "affinity")
        return checked(self._by_rows, X, Y, owner, "affinity")

    def _takes_two(self) -> bool:
        try:
            known = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):  # a function of C
            return True
        by_place = [one for one in known if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
        return len(by_place) >= _TWO or any(one.kind == one.VAR_POSITIONAL for one in known)

    def _takes_tables(self, X: Numbers) -> bool:
        """Whether it gives (a, b) for a and b rows; neither is the number of columns, so that `x @ y` does not."""
        a, b = [size for size in (2, 3, 4) if size != X.shape[1]][:2]
        some = X[np.zeros(a, dtype=np.int64)], X[np.zeros(b, dtype=np.int64)]
        try:
            return bool(np.asarray(self.function(*some)).shape == (a, b))
        except Exception:  # whatever a function of two rows says of two tables
            return False

    def _by_rows(self, X: Numbers, Y: Numbers) -> object:
        if X is Y:  # each pair once
            n = range(X.shape[0])
            half = [[self.function(X[i], X[j]) for j in range(i + 1)] for i in n]
            return [[half[max(i, j)][min(i, j)] for j in n] for i in n]
        return [[self.function(x, y) for y in Y] for x in X]
