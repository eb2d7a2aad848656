"""Variables that add up to a given sum."""

from __future__ import annotations

import numpy as np

from ...typing import Floats


def filled(high: Floats, total: float) -> Floats:
    """Variables from 0 to `high`, (n,), that add up to `total`: the first ones at their bounds, the others 0.

    >>> filled(np.array([1.0, 1.0, 1.0]), 1.5)
    array([1. , 0.5, 0. ])
    """
    before = np.concatenate([[0.0], np.cumsum(high)[:-1]]) if len(high) else high
    return np.clip(total - before, 0.0, high)
