"""The kernels of nets; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Reals, Whole
from ..arrays import Array
from ..native import kernels
from ..threads import thread_count


def input_rows(X: Reals, rows: Whole | None, shift: Reals, factor: Reals, out: Reals) -> tuple[Reals, bool]:
    """Rows as a net takes them, and whether a cell was missing."""
    return out, kernels().input_rows(X, rows, shift, factor, thread_count(), out)


def bend(z: Reals, bias: Reals, below: float) -> Reals:
    """The bias and an activation of two straight pieces."""
    kernels().bend(z, bias, below, len(z))
    return z


def unbend(slope: Reals, h: Reals, below: float, sums: Reals) -> tuple[Reals, Reals]:
    """The gradients before such an activation."""
    kernels().unbend(slope, h, below, sums)
    return slope, sums


def adam(
    theta: Array, slope: Array, mean: Array, square: Array, betas: tuple[float, float], epsilon: float, rate: float
) -> tuple[Array, Array, Array]:
    """A step of Adam."""
    kernels().adam(theta, slope, mean, square, *betas, epsilon, rate, thread_count())
    return theta, mean, square


def softmax(eta: Array, y: Array) -> tuple[Array, Array]:
    """The softmax loss and its gradient."""
    value, slope = np.empty(len(eta), eta.dtype), np.empty(eta.shape, eta.dtype)
    kernels().softmax(eta, np.ascontiguousarray(y, dtype=np.int64), thread_count(), value, slope)
    return value, slope
