"""The nearest rows of some queries, found piece by piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..data.rows import as_array, as_rows
from ..errors import InvalidData
from ..holds import floats, integers
from ..typing import Floats, Whole
from .base import Statistic


@dataclass(frozen=True)
class NearestRows(Statistic):
    """The k nearest rows of each query: distances (q, j) ascending, j ≤ k, and row numbers (q, j); of equals the first.

    The lists of two pieces merge into those of all their rows, so neighbours can be searched in any pieces.

    >>> left = NearestRows.of([[3.0], [1.0], [4.0]], [0, 1, 2], k=2)
    >>> right = NearestRows.of([[1.0], [5.0]], [3, 4], k=2)
    >>> (left + right).rows, (left + right).distances
    (array([[1, 3]]), array([[1., 1.]]))
    """

    distances: Floats
    rows: Whole
    k: int

    holds: ClassVar = {"distances": floats("q", "j", finite=False), "rows": integers("q", "j")}

    @classmethod
    def of(cls, distances: Any, rows: Floats, k: int = 10) -> NearestRows:
        """From the distances (n, q) of rows to queries, and the numbers (n,) of the rows."""
        D = as_rows(distances, cls.__name__).astype(np.float64, copy=False).T
        numbers = as_array(rows, cls.__name__, "rows must have whole numbers")
        if numbers.shape != (D.shape[1],) or numbers.dtype.kind not in "iu":
            raise InvalidData(
                f"NearestRows: rows must have {D.shape[1]} whole numbers, one for each row of distances; got "
                f"{numbers.dtype} of shape {numbers.shape}."
            )
        numbers = np.broadcast_to(numbers.astype(np.int64, copy=False), D.shape)
        return cls(D, numbers, k)._first()

    def _first(self) -> NearestRows:
        order = np.lexsort((self.rows, self.distances), axis=-1)[:, : self.k]
        return NearestRows(
            np.take_along_axis(self.distances, order, axis=1), np.take_along_axis(self.rows, order, axis=1), self.k
        )

    def __add__(self, other: NearestRows) -> NearestRows:
        distances = np.concatenate([self.distances, other.distances], axis=1)
        return NearestRows(distances, np.concatenate([self.rows, other.rows], axis=1), self.k)._first()

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.integers(0, 20, size=(n, 4)).astype(float), rng.permutation(n)
