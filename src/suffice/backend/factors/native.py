"""The kernels of factorisations; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Equations, Ratios


def row_equations(
    matrix: Floats, starts: Whole, columns: Whole, right: Floats, weight: Floats | None = None
) -> Equations:
    """The equations of each row over its known cells."""
    n, p = len(starts) - 1, matrix.shape[1]
    grams, rights = np.empty((n, p, p)), np.empty((n, p))
    kernels().row_equations(
        np.ascontiguousarray(matrix), starts, columns, doubles(right), doubles(weight), thread_count(), grams, rights
    )
    return Equations(grams, rights)


def solve_rows(
    rights: Floats, grams: Floats, ridge: Floats, nonnegative: bool = False, start: Floats | None = None
) -> Floats:
    """The solutions of the equations of each row."""
    answers = np.zeros(rights.shape) if start is None else np.array(start, dtype=np.float64, order="C")
    kernels().solve_rows(
        doubles(grams), np.ascontiguousarray(rights), doubles(ridge), nonnegative, thread_count(), answers
    )
    return answers


def mix_rows(
    topics: Floats, starts: Whole, columns: Whole, values: Floats, shares: Floats, prior: Floats | None = None,
    less: Floats | None = None, most: int = 1, tolerance: float = 0.0,
) -> Floats:  # fmt: skip
    """The shares of topics in each row after some sweeps."""
    out = np.array(shares, dtype=np.float64, order="C")
    kernels().mix_rows(
        np.ascontiguousarray(topics), starts, columns, doubles(values), doubles(prior), doubles(less), most, tolerance,
        thread_count(), out,
    )  # fmt: skip
    return out


def ratio_sums(own: Floats, other: Floats, starts: Whole, columns: Whole, values: Floats) -> Ratios:
    """What the cells of each row are of what is expected, by topic."""
    sums, figures = np.empty(own.shape), np.empty((len(own), 3))
    kernels().ratio_sums(
        np.ascontiguousarray(own), np.ascontiguousarray(other), starts, columns, doubles(values), thread_count(), sums,
        figures,
    )  # fmt: skip
    return Ratios(sums, *np.ascontiguousarray(figures.T))


def cell_products(own: Floats, other: Floats, starts: Whole, columns: Whole) -> Floats:
    """What is expected of some cells of each row."""
    out = np.empty(len(columns))
    kernels().cell_products(
        np.ascontiguousarray(own), np.ascontiguousarray(other), starts, columns, thread_count(), out
    )
    return out


def descend_cells(
    values: Floats, rows: Whole, columns: Whole, weight: Floats | None, order: Whole, mean: float, rate: float,
    row_ridge: Floats, column_ridge: Floats, biased: bool, U: Floats, V: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """The factors after one step for each cell."""
    U, V = (np.array(factors, dtype=np.float64, order="C") for factors in (U, V))
    kernels().descend_cells(
        rows, columns, doubles(values), doubles(weight), order, mean, rate, doubles(row_ridge), doubles(column_ridge),
        biased, U.shape[1], U, V,
    )  # fmt: skip
    return U, V
