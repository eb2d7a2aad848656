"""The nearest rows in plain NumPy, the definition: all distances, sorted, of equals the first row."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals
from ..distances import Term, pairwise
from .lists import Nearest, Within, nearest_of, within_of


def nearest_rows(Q: Floats, X: Reals, term: Term, k: int) -> Nearest:
    """The k nearest rows of X for each query."""
    return nearest_of(pairwise(Q, np.asarray(X, dtype=np.float64), term), k)


def rows_within(Q: Floats, X: Reals, term: Term, radius: float) -> Within:
    """The rows of X at most `radius` away from each query, nearest first."""
    return within_of(pairwise(Q, np.asarray(X, dtype=np.float64), term), radius)
