"""The correlation distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array
from .base import Distance


@dataclass(frozen=True)
class Correlation(Distance):
    """The correlation distance: 1 − r(x, y), r the correlation of the cells of two rows.

    Rows whose cells are all equal have no correlation and are refused.

    >>> Correlation().pairwise([[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0], [3.0, 2.0, 1.0]]).round(12)
    array([[0., 2.]])
    """

    names: ClassVar = ("correlation",)
    centre: ClassVar = "direction"

    def rows(self, X: Array) -> Array:
        Z = np.asarray(X, dtype=np.float64)
        constant = np.ptp(Z, axis=1) == 0
        if constant.any():
            row = int(np.argmax(constant))
            raise self._refuse(row, f"has the same value {Z[row, 0]:g} in every column and no correlation",
                               "Drop it, or use another distance.")  # fmt: skip
        Z = Z - Z.mean(axis=1, keepdims=True)
        Z = Z / np.abs(Z).max(axis=1, keepdims=True)
        return Z / np.sqrt(2 * np.einsum("nd,nd->n", Z, Z))[:, None]
