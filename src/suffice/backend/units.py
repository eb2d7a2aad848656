"""Units in which no product of numbers over- or underflows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def power_of_two(values: NDArray[np.floating]) -> float:
    """The power of two at the size of the largest value, by which division rounds nothing; 1 where all are 0.

    >>> power_of_two(np.array([-5.0, 3.0])), power_of_two(np.zeros(2))
    (4.0, 1.0)
    """
    size = float(np.abs(values).max(initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(size)[1]) - 1)) if size > 0 else 1.0
