"""Weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def given_or_ones(weight: Any, n: int) -> NDArray[np.float64]:
    """The weights (n,), 1 for each row where none were given.

    >>> given_or_ones(None, 2).tolist()
    [1.0, 1.0]
    """
    return np.ones(n) if weight is None else weight
