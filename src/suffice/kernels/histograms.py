"""What the kernels of histograms have in common: rows of cells that are not negative, such as counts and shares."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidData
from ..typing import Floats, Reals
from .base import Kernel, Rows


class _OfHistograms(Kernel):
    """Base of the kernels of rows without negative cells."""

    def rows(self, X: Rows) -> Reals:
        found: Reals = super().rows(X)
        if (found < 0).any():
            i, j = np.argwhere(found < 0)[0]
            raise InvalidData(
                f"{type(self).__name__}: the cells must not be negative, as those of histograms; column {j}, row {i} "
                f"holds {found[i, j]}. Shift the column, or take another kernel."
            )
        return found

    def example(self, rng: np.random.Generator, n: int) -> Floats:
        found = rng.dirichlet(np.ones(4), n)
        found[rng.random(found.shape) < 0.2] = 0.0
        return found
