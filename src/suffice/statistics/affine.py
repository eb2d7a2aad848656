"""Affine maps of rows, which change what is summed up of them without another look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Floats


@dataclass(frozen=True, eq=False)
class Affine:
    """x ↦ x A + b of rows: A is (d, k), or (d,) where each column is only multiplied; b is (k,).

    >>> twice = Affine(np.array([2.0, 1.0]), np.array([0.0, -1.0]))
    >>> twice.of(np.array([3.0, 4.0])).tolist()
    [6.0, 3.0]
    >>> total = Affine(np.ones((2, 1)), np.zeros(1))
    >>> twice.then(total).of(np.array([3.0, 4.0])).tolist()
    [9.0]
    """

    factor: Floats
    shift: Floats

    @property
    def width(self) -> int:
        """How many columns it takes."""
        return len(self.factor)

    @property
    def by_column(self) -> bool:
        """Whether each column is only multiplied and shifted."""
        return self.factor.ndim == 1

    def of(self, rows: Floats) -> Floats:
        """The rows after it, or one of them."""
        return np.asarray(rows * self.factor + self.shift if self.by_column else rows @ self.factor + self.shift)

    def turned(self, rows: Floats) -> Floats:
        """Differences of rows after it: without the shift."""
        return np.asarray(rows * self.factor if self.by_column else rows @ self.factor)

    def then(self, after: Affine) -> Affine:
        """First this one, then another."""
        if self.by_column and not after.by_column:
            return Affine(self.factor[:, None] * after.factor, after.of(self.shift))
        return Affine(after.turned(self.factor), after.of(self.shift))

    def beside(self, more: int) -> Affine:
        """The same, with so many columns behind that stay as they are."""
        if not more:
            return self
        shift = np.append(self.shift, np.zeros(more))
        if self.by_column:
            return Affine(np.append(self.factor, np.ones(more)), shift)
        d, k = self.factor.shape
        factor = np.zeros((d + more, k + more))
        factor[:d, :k] = self.factor
        factor[d:, k:] = np.eye(more)
        return Affine(factor, shift)
