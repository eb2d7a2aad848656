"""Problems of few rows and many columns: slopes under an L2 penalty are sums of rows, so few numbers are sought."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..backend.blas import blas_threads_for
from ..backend.weights import given_or_ones
from ..data import ArraySource, Chunk
from ..data.rows import is_sparse
from ..observing import unobserved
from ..penalties import L2
from ..typing import Floats
from .problem import Coefficients, Limits, Problem

_MOST_ROWS, _LEAST_COLUMNS, _TIMES = 1000, 500, 10  # whose products are fewer operations than many passes
Inner = Callable[[Problem, Coefficients, Limits], Coefficients]


def is_spanned(problem: Problem) -> bool:
    """Whether the slopes are sums of few rows in memory, far fewer than columns."""
    rows, penalty = problem.source.in_memory, problem.penalty
    if rows is None or is_sparse(rows.X) or problem.free is not None:
        return False
    if not isinstance(penalty, L2) or penalty.weights is not None or not penalty.strength > 0:
        return False
    return len(rows) <= _MOST_ROWS and problem.columns >= max(_LEAST_COLUMNS, _TIMES * len(rows))


def solved_by_rows(problem: Problem, limits: Limits, inner: Inner) -> Coefficients | None:
    """The coefficients with slopes w = Zᵀ L⁻ᵀ v of rows Z about their mean with Z Zᵀ = L Lᵀ; None for rows all alike.

    The predictors are then L v, and ‖w‖ = ‖v‖: the same problem with a column for each independent row. Rows that
    others determine to half the digits of a double have none.
    """
    rows = problem.source.in_memory
    assert rows is not None
    weight = given_or_ones(rows.weight, len(rows))
    mean = weight @ rows.X / weight.sum() if problem.fit_intercept else np.zeros(problem.columns)
    Z = rows.X - mean
    span = _Span.of(Z)
    if span is None:
        return None
    chunk = Chunk(span.coordinates, rows.y, rows.weight)
    small = replace(problem, source=ArraySource.of(chunk, problem.owner), shown=lambda found: {}, _curved=[], _first=[])
    with unobserved():
        found = inner(small, small.zero(), limits)
    slope = Z[span.chosen].T @ span.weights(found.slope)
    return Coefficients(slope, np.asarray(found.intercept - mean @ slope))


@dataclass(frozen=True)
class _Span:
    """Rows Z (n, d) as coordinates (n, r) in an orthonormal basis of what r `chosen` rows of them span."""

    chosen: Floats
    coordinates: Floats

    @classmethod
    def of(cls, Z: Floats) -> _Span | None:
        """By Cholesky's factor of Z Zᵀ with pivots; None where all rows are 0, or too large to be squared."""
        from scipy.linalg.lapack import dpstrf

        with blas_threads_for(Z.size * len(Z)), np.errstate(over="ignore", invalid="ignore"):
            inner = Z @ Z.T
        if not np.isfinite(inner).all():
            return None
        factor, pivots, rank, _ = dpstrf(inner, lower=True)
        if rank == 0:
            return None
        coordinates = np.empty((len(Z), rank))
        coordinates[pivots - 1] = np.tril(factor)[:, :rank]
        return cls(pivots[:rank] - 1, coordinates)

    def weights(self, v: Floats) -> Floats:
        """What each chosen row counts in the sum that is the vector with coordinates v, (r,) or (r, k)."""
        from scipy.linalg import solve_triangular

        found: Floats = solve_triangular(self.coordinates[self.chosen], v, lower=True, trans="T")
        return found
