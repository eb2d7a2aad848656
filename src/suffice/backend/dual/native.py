"""The kernels of dual coordinate descent; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Numbers
from ..native import kernels
from ..sparse.native import row_form
from ..threads import thread_count
from ..weights import doubles
from .values import Box, DualState


def sweeps(
    X: Numbers, box: Box, intercept: float, spread: float, state: DualState, most: int, tol: float, seed: int
) -> DualState:
    """Sweeps over all variables in random order."""
    limits = doubles(box.linear), doubles(box.low), doubles(box.high), doubles(box.bend)
    numbers = np.array([box.width, intercept, spread, tol, state.total, state.violation])
    a, slope, (total, worst, done, looks) = _swept("dual_sweeps", X, limits, numbers, state, most, seed)
    return DualState(a, slope, total, worst, state.sweeps + int(done), state.looks + int(looks))


def crammer_singer(
    X: Numbers, y: Floats, cost: Floats, intercept: Floats, spread: float, state: DualState, most: int, tol: float,
    seed: int,
) -> DualState:  # fmt: skip
    """Sweeps over the variables of all rows in random order."""
    given = np.ascontiguousarray(y, dtype=np.int64), doubles(cost), doubles(intercept)
    numbers = np.array([spread, tol, state.violation])
    a, slope, (worst, done) = _swept("dual_crammer_singer", X, given, numbers, state, most, seed)
    return state.after(a, slope, worst, int(done))


def _swept(
    name: str, X: Numbers, given: tuple[object, ...], numbers: Floats, state: DualState, most: int, seed: int
) -> tuple[Floats, Floats, tuple[float, ...]]:
    """New variables and slopes, and what a kernel tells of its sweeps."""
    form, rows = row_form(X)
    a, slope = state.a.copy(), state.slope.copy()
    kernel = getattr(kernels(), name + form)
    return a, slope, kernel(*rows, *given, numbers, most, seed & (1 << 63) - 1, thread_count(), a, slope)
