"""Arguments to try operations with: drawn for any number of rows and columns, in any type and layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..typing import Floats, Whole
from .arrays import Array

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """How many rows and columns an example has, and how the array that decides lies in memory."""

    n: int = 40
    d: int = 7
    dtype: Any = np.float64
    layout: Callable[[NDArray[np.generic]], Array] = np.ascontiguousarray
    seed: int = 0

    def rng(self) -> np.random.Generator:
        """A generator that is the same for every type and layout."""
        return np.random.default_rng([self.seed, self.n, self.d])

    def laid_out(self, values: NDArray[np.generic]) -> Array:
        """The values in the type and layout that are tried."""
        return self.layout(values.astype(self.dtype))

    def rows(self, rng: np.random.Generator, missing: float = 0.0) -> Array:
        """Rows (n, d), a share of the cells missing."""
        values = rng.normal(1.0, 2.0, (self.n, self.d))
        values[rng.random(values.shape) < missing] = np.nan
        return self.laid_out(values)

    def weight(self, rng: np.random.Generator) -> Floats:
        """Weights (n,), some of them zero."""
        return rng.integers(0, 4, self.n).astype(np.float64)

    def groups(self, rng: np.random.Generator, k: int) -> Whole:
        """A group for every row (n,)."""
        return rng.integers(0, k, self.n)


Example = Callable[[Case], Iterator[Arguments]]  # yields nothing for a shape that is not allowed
