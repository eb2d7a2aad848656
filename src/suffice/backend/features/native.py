"""The kernels of preparation; see `portable.py` for what each computes."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import DTypeLike

from ...typing import Floats, Reals, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles


def category_places(X: Reals, levels: Floats, starts: Whole, places: Whole, missing: Whole, unknown: Whole) -> Whole:
    """The place of each cell by its category."""
    out = np.empty(X.shape, dtype=np.int64)
    kernels().category_places(X, levels, starts, places, missing, unknown, thread_count(), out)
    return out


def flags(places: Whole, width: int, dtype: DTypeLike) -> Reals:
    """Rows of 0 and 1."""
    out: Reals = np.empty((len(places), width), dtype)
    kernels().flags(places, width, thread_count(), out)
    return out


def flagged_places(X: Reals, starts: Whole) -> Whole:
    """Which column of each block is the largest."""
    out = np.empty((len(X), len(starts) - 1), dtype=np.int64)
    kernels().flagged_places(X, starts, thread_count(), out)
    return out


def interpolate(X: Reals, knots: Floats, values: Floats) -> Reals:
    """A curve of each column."""
    out: Reals = np.empty(X.shape, X.dtype)
    kernels().interpolate(X, doubles(knots), doubles(values), thread_count(), out)
    return out


def look_up(X: Reals, values: Reals, starts: Whole) -> Reals:
    """The number at each place in the list of its column."""
    by_columns = X.flags.f_contiguous and not X.flags.c_contiguous
    out: Reals = np.empty(X.shape, X.dtype, order="F" if by_columns else "C")
    cells = np.ascontiguousarray(values, dtype=X.dtype)
    kernels().look_up(X, cells, starts, by_columns, thread_count(), out.T if by_columns else out)
    return out


def splines(X: Reals, knots: Floats, starts: Whole, degree: int, within: bool) -> Reals:
    """The B-splines of each column side by side."""
    width = len(knots) - (degree + 1) * X.shape[1]
    out: Reals = np.empty((len(X), width), X.dtype)
    kernels().splines(X, doubles(knots), starts, degree, within, thread_count(), out)
    return out


def monomials(X: Reals, degree: int, once: bool) -> tuple[Reals, bool]:
    """All products of columns up to a degree."""
    d = X.shape[1]
    count = sum(comb(d, k) for k in range(degree + 1)) if once else comb(d + degree, degree)
    out: Reals = np.empty((count, len(X)), X.dtype)
    return out, bool(kernels().monomials(X, degree, once, thread_count(), out))


def column_ranges(X: Reals) -> tuple[Floats, Floats, Floats]:
    """The bounds of columns, and how many cells are missing."""
    low, high, missing = (np.empty(X.shape[1]) for _ in range(3))
    kernels().column_ranges(X, thread_count(), low, high, missing)
    return low, high, missing
