"""A bounded sample of rows that does not depend on how the data are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..backend.weights import given_or_ones
from ..data.rows import as_rows, as_weight
from .base import Statistic

Floats = NDArray[np.float64]


def row_uniforms(X: Any, seed: int) -> Floats:
    """A number in (0, 1) for each row that depends on its cells and the seed alone, so on no chunk or thread.

    >>> u = row_uniforms(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]]), seed=0)
    >>> bool(u[0] == u[2]), bool(u[0] == u[1])
    (True, False)
    """
    return backend.row_uniforms(np.asarray(as_rows(X, "row_uniforms")), seed)


@dataclass(frozen=True)
class RowSample(Statistic):
    """At most `size` rows in their order, drawn with chances proportional to their weights.

    Each row has a key −log(u) / w; the rows with the smallest keys are kept (Efraimidis & Spirakis, 2006), so the
    sample of two pieces is found from the samples of each.
    """

    rows: Floats
    weight: Floats
    keys: Floats
    size: int
    seen: int

    @classmethod
    def of(cls, X: Any, weight: Any = None, size: int = 20, seed: int = 0) -> RowSample:
        """The sample of the rows of X; rows that weigh nothing are not drawn."""
        X = as_rows(X, cls.__name__)
        weight = as_weight(weight, X.shape[0], cls.__name__)
        if weight is not None:
            some = weight > 0
            X, weight = X[some], weight[some]
        if size == 0:
            return cls(np.empty((0, X.shape[1])), np.empty(0), np.empty(0), 0, len(X))
        uniform = row_uniforms(X, seed)
        keys = -np.log(uniform) if weight is None else -np.log(uniform) / weight
        kept = _smallest(keys, size)
        rows, keys = np.asarray(X[kept], dtype=np.float64), keys[kept]
        return cls(rows, given_or_ones(None if weight is None else weight[kept], len(rows)), keys, size, len(X))

    def __add__(self, other: RowSample) -> RowSample:
        rows = np.vstack([self.rows, other.rows])
        weight, keys = np.append(self.weight, other.weight), np.append(self.keys, other.keys)
        kept = _smallest(keys, self.size)
        return RowSample(rows[kept], weight[kept], keys[kept], self.size, self.seen + other.seen)

    @property
    def is_everything(self) -> bool:
        """Whether no row had to be left out."""
        return self.seen <= self.size

    def comparable(self) -> dict[str, NDArray[Any]]:
        """The same rows in any order."""
        order = np.lexsort((*self.rows.T, self.keys))
        return {"rows": self.rows[order], "keys": self.keys[order], "seen": np.asarray(self.seen)}


def _smallest(keys: Floats, size: int) -> Any:
    """Where the smallest keys are, in their order; rows with equal keys are equal."""
    return slice(None) if len(keys) <= size else np.sort(np.argpartition(keys, size)[:size])
