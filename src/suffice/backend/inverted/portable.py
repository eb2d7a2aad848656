"""Searches of sparse rows in plain NumPy, the definition: every query is compared with all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from ...typing import Floats, Numbers
from ..neighbors.lists import Nearest, Within, nearest_of, within_of

if TYPE_CHECKING:
    from . import Inverted


def nearest(Q: Numbers, squared: Floats, index: Inverted, k: int) -> Nearest:
    """The k rows with the least ‖q − x‖² for each query, a CSR matrix; `squared` are its squared lengths."""
    return nearest_of(_distances(Q, index), k)


def within(Q: Numbers, squared: Floats, index: Inverted, radius: float) -> Within:
    """The rows with ‖q − x‖² at most `radius`, nearest first."""
    return within_of(_distances(Q, index), radius)


def _distances(Q: Numbers, index: Inverted) -> Floats:
    """(m, n), column by column, so that nothing cancels."""
    shape = len(index.squared), Q.shape[1]
    X = sparse.csr_array(index.rows, shape=shape).toarray()
    queries = (Q[i : i + 1].toarray() for i in range(Q.shape[0]))
    return np.array([np.sum((X - q) ** 2, axis=1) for q in queries]).reshape(-1, len(X))
