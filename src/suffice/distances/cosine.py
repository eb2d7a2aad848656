"""The cosine distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from ..typing import Floats
from .base import Distance
from .dots import as_rows, squared_by_dots, squared_norms


@dataclass(frozen=True)
class Cosine(Distance):
    """The cosine distance, d(x, y) = 1 − x·y / (‖x‖ ‖y‖); 0 for rows of one direction, 2 for opposite ones.

    It is computed as ‖u − v‖² / 2 of the rows scaled to length 1, which keeps the digits of small distances. Rows of
    zeros have no direction and are refused.

    >>> Cosine().pairwise([[1.0, 0.0]], [[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]]).round(12)
    array([[0., 1., 2.]])
    """

    names: ClassVar = ("cosine",)
    centre: ClassVar = "direction"
    sparse: ClassVar = True

    def rows(self, X: Array) -> Array:
        Z = np.asarray(X, dtype=np.float64)
        scale = np.abs(Z).max(axis=1, keepdims=True)  # no squares overflow
        self._check(scale.ravel())
        Z = Z / scale
        return Z / np.sqrt(2 * np.einsum("nd,nd->n", Z, Z))[:, None]

    def _sparse_pairs(self, A: Array, B: Array | None, ranking: bool) -> Array:
        left, right = (None if X is None else self.directions(X) for X in (A, B))
        return squared_by_dots(left, right).astype(A.dtype, copy=False)

    def directions(self, X: Array) -> Array:
        Z = as_rows(X).copy()
        largest = abs(Z).max(axis=1).toarray().ravel()  # no squares overflow
        self._check(largest)
        cells = np.diff(Z.indptr)
        Z.data /= np.repeat(largest, cells)
        Z.data /= np.repeat(np.sqrt(2 * squared_norms(Z)), cells)
        return Z

    def _check(self, size: Floats) -> None:
        if np.any(size == 0):
            raise self._refuse(
                int(np.argmin(size)), "is all zeros and has no direction", "Drop it, or use another distance."
            )
