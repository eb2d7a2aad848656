"""A bounded sample of rows that does not depend on how the data are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..backend.weights import given_or_ones
from ..data.rows import as_rows, as_weight
from ..data.sampling import draw_keys, row_uniforms, smallest
from ..holds import floats
from ..typing import Floats, Numbers
from .base import Statistic

__all__ = ["RowSample", "row_uniforms"]


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

    holds: ClassVar = {
        "rows": floats("m", "d", finite=False),
        "weight": floats("m", finite=False),
        "keys": floats("m", finite=False),
    }

    @classmethod
    def of(cls, X: Numbers, weight: Numbers | None = None, size: int = 20, seed: int = 0) -> RowSample:
        """The sample of the rows of X; rows that weigh nothing are not drawn."""
        X = as_rows(X, cls.__name__)
        weight = as_weight(weight, X.shape[0], cls.__name__)
        if weight is not None:
            some = weight > 0
            X, weight = X[some], weight[some]
        if size == 0:
            return cls(np.empty((0, X.shape[1])), np.empty(0), np.empty(0), 0, len(X))
        keys = draw_keys(X, weight, seed)
        kept = smallest(keys, size)
        rows, keys = np.asarray(X[kept], dtype=np.float64), keys[kept]
        return cls(rows, given_or_ones(None if weight is None else weight[kept], len(rows)), keys, size, len(X))

    def __add__(self, other: RowSample) -> RowSample:
        rows = np.vstack([self.rows, other.rows])
        weight, keys = np.append(self.weight, other.weight), np.append(self.keys, other.keys)
        kept = smallest(keys, self.size)
        return RowSample(rows[kept], weight[kept], keys[kept], self.size, self.seen + other.seen)

    @property
    def is_everything(self) -> bool:
        """Whether no row had to be left out."""
        return self.seen <= self.size

    def comparable(self) -> dict[str, NDArray[np.generic]]:
        """The same rows in any order."""
        order = np.lexsort((*self.rows.T, self.keys))
        return {"rows": self.rows[order], "keys": self.keys[order], "seen": np.asarray(self.seen)}
