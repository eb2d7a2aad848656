"""The kernels of linear predictors; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import KINDS, LossTotals, Parts


def loss_sums(
    X: Reals, slope: Floats, intercept: float, y: Floats, weight: Floats | None, kind: str, parts: Parts, curved: bool
) -> LossTotals:
    """The sums of a loss that the kernel knows."""
    totals, gradient = np.zeros(3), np.zeros(X.shape[1])
    curvature = np.empty(X.shape[0]) if curved else None
    own = np.ascontiguousarray(slope, dtype=np.float64)
    kernels().loss_sums(
        X, own, float(intercept), doubles(y), doubles(weight), KINDS.index(kind), thread_count(), totals, gradient,
        curvature,
    )  # fmt: skip
    return LossTotals(float(totals[0]), float(totals[1]), float(totals[2]), gradient, curvature)
