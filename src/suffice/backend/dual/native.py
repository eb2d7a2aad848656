"""The kernels of dual coordinate descent; see `portable.py` for what each computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...typing import CSR, Floats, Numbers
from ..native import kernels
from ..sparse.native import parts
from ..threads import thread_count
from ..weights import doubles
from .values import Box, DualState


def sweeps(
    X: Numbers, box: Box, intercept: float, spread: float, state: DualState, most: int, tol: float, seed: int
) -> DualState:
    """Sweeps over all variables in random order."""
    rows = (np.ascontiguousarray(X),)
    return _sweeps(kernels().dual_sweeps, rows, box, intercept, spread, state, most, tol, seed)


def sweeps_csr(
    X: CSR, box: Box, intercept: float, spread: float, state: DualState, most: int, tol: float, seed: int
) -> DualState:
    """Sweeps over all variables in random order."""
    rows = (*parts(X), X.shape[1])
    return _sweeps(kernels().dual_sweeps_csr, rows, box, intercept, spread, state, most, tol, seed)


def _sweeps(
    kernel: Callable[..., tuple[float, float, int]], rows: tuple[object, ...], box: Box, intercept: float,
    spread: float, state: DualState, most: int, tol: float, seed: int,
) -> DualState:  # fmt: skip
    a, slope = state.a.copy(), state.slope.copy()
    limits = doubles(box.linear), doubles(box.low), doubles(box.high), doubles(box.bend)
    numbers = np.array([box.width, intercept, spread, tol, state.total, state.violation])
    total, worst, done = kernel(*rows, *limits, numbers, most, seed & (1 << 63) - 1, thread_count(), a, slope)
    return DualState(a, slope, total, worst, state.sweeps + done)


def crammer_singer(
    X: Numbers, y: Floats, cost: Floats, intercept: Floats, spread: float, state: DualState, most: int, tol: float,
    seed: int,
) -> DualState:  # fmt: skip
    """Sweeps over the variables of all rows in random order."""
    rows = (np.ascontiguousarray(X),)
    return _crammer(kernels().dual_crammer_singer, rows, y, cost, intercept, spread, state, most, tol, seed)


def crammer_singer_csr(
    X: CSR, y: Floats, cost: Floats, intercept: Floats, spread: float, state: DualState, most: int, tol: float,
    seed: int,
) -> DualState:  # fmt: skip
    """Sweeps over the variables of all rows in random order."""
    rows = (*parts(X), X.shape[1])
    return _crammer(kernels().dual_crammer_singer_csr, rows, y, cost, intercept, spread, state, most, tol, seed)


def _crammer(
    kernel: Callable[..., tuple[float, int]], rows: tuple[object, ...], y: Floats, cost: Floats, intercept: Floats,
    spread: float, state: DualState, most: int, tol: float, seed: int,
) -> DualState:  # fmt: skip
    a, slope = state.a.copy(), state.slope.copy()
    given = np.ascontiguousarray(y, dtype=np.int64), doubles(cost), doubles(intercept)
    numbers = np.array([spread, tol, state.violation])
    worst, done = kernel(*rows, *given, numbers, most, seed & (1 << 63) - 1, thread_count(), a, slope)
    return replace(state, a=a, slope=slope, violation=worst, sweeps=state.sweeps + done)
