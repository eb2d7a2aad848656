"""The kernel of Shapley values; see `portable.py` for what it computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals
from ..followed import sound
from ..growth.values import Forest
from ..native import kernels
from ..threads import thread_count
from .rule import gauss


def contributions(X: Reals, forest: Forest, weight: Floats, value: Floats, most: int) -> Floats:
    """What each column adds, (n, d, q)."""
    out = np.zeros((*X.shape, value.shape[1]))
    kernels().tree_contributions(
        X, *sound(forest).as_read(), np.ascontiguousarray(weight),
        np.ascontiguousarray(value), *gauss(most), out, thread_count(),
    )  # fmt: skip
    return out
