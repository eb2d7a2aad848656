"""Weights of rows, and numbers as the kernels take them."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray


def given_or_ones(weight: Any, n: int) -> NDArray[np.float64]:
    """The weights (n,), 1 for each row where none were given.

    >>> given_or_ones(None, 2).tolist()
    [1.0, 1.0]
    """
    return np.ones(n) if weight is None else weight


@overload
def doubles(values: None) -> None: ...
@overload
def doubles(values: ArrayLike) -> NDArray[np.float64]: ...
def doubles(values: ArrayLike | None) -> NDArray[np.float64] | None:
    """The values as contiguous doubles, not copied where they are so already; None stays None.

    >>> doubles([1, 2])
    array([1., 2.])
    """
    return None if values is None else np.ascontiguousarray(values, dtype=np.float64)
