"""The kernels of dense rows; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, RecordBatch, Whole
from ..centring import centred
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles, given_or_ones

_NO_COLUMNS = np.empty((0, 0))
_BLAS_COLUMNS = 700  # from so many on the blocked products of BLAS are faster than one pass over the rows
_BLAS_CELLS = 1 << 20  # centred at a time: they stay in the cache


def moments(
    X: Reals, Y: Reals | None = None, weight: Floats | None = None, rows: Whole | None = None
) -> tuple[float, Floats, Floats]:
    """Weight, mean and centred scatter."""
    Y = _NO_COLUMNS if Y is None else Y.astype(np.float64, copy=False)
    d = X.shape[1] + Y.shape[1]
    if d >= _BLAS_COLUMNS:
        return _moments_by_products(X, Y, weight, rows)
    if d == X.shape[1] == 1 and rows is None:
        return _moments_of_column(X, weight)
    total, mean, scatter = np.zeros(1), np.zeros(d), np.zeros((d, d))
    kernels().moments(X, Y, rows, doubles(weight), thread_count(), total, mean, scatter)
    return float(total[0]), mean, scatter


def _moments_of_column(X: Reals, weight: Floats | None) -> tuple[float, Floats, Floats]:
    """The same of one column."""
    found = np.empty(3)
    kernels().moments_of_column(X, doubles(weight), thread_count(), found)
    return float(found[0]), found[1:2].copy(), found[2:].reshape(1, 1).copy()


def _moments_by_products(X: Reals, Y: Reals, weight: Floats | None, rows: Whole | None) -> tuple[float, Floats, Floats]:
    """The same by matrix products of centred blocks of rows."""
    parts = [part for part in (X, Y) if part.shape[1]]
    own = given_or_ones(weight, len(X)) if rows is None else given_or_ones(weight, len(X))[rows]
    total, d = float(own.sum()), sum(part.shape[1] for part in parts)
    mean, rest, scatter = np.zeros(d), np.zeros(d), np.zeros((d, d))
    if total <= 0:
        return total, mean, scatter
    height = max(d, _BLAS_CELLS // d)
    blocks = [slice(first, first + height) for first in range(0, len(own), height)]
    with np.errstate(invalid="ignore", over="ignore"):  # a bad cell shows in the result
        for block in blocks:
            at = block if rows is None else rows[block]
            mean += np.concatenate([(own[block] / total) @ part[at] for part in parts])
        for block in blocks:
            at = block if rows is None else rows[block]
            Z = centred([part[at] for part in parts], mean)
            rest += (own[block] / total) @ Z  # what rounding left of the mean
            if weight is not None:
                Z *= np.sqrt(own[block])[:, None]
            scatter += Z.T @ Z
        scatter -= total * np.outer(rest, rest)
    return total, mean + rest, scatter


def grouped_moments(
    X: Reals, group: Whole | None = None, groups: int = 1, weight: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Row weight, and weight, mean and centred squares of the cells that are not NaN, per group."""
    shape = (groups, X.shape[1])
    sums = np.zeros(groups), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    kernels().grouped_moments(X, group, groups, doubles(weight), thread_count(), *sums)
    return sums


def affine(X: Reals, shift: Floats | None, matrix: Floats, offset: Floats) -> Reals:
    """(X − shift) matrix + offset, in the type of X."""
    out = np.empty((len(X), len(offset)), dtype=X.dtype)
    kernels().affine(X, doubles(shift), doubles(matrix), doubles(offset), thread_count(), out)
    return out


def cosines(X: Reals, factor: float) -> Reals:
    """factor · cos(X) of each cell, in the type of X."""
    out = np.empty(X.shape, dtype=X.dtype)
    kernels().cosines(X, float(factor), thread_count(), out)
    return out


def scale_columns(X: Reals, before: Reals | None, factor: Reals, after: Reals | None) -> Reals:
    """(X − before) factor + after, of each column, in the type and the order of X."""
    by_columns = X.flags.f_contiguous and not X.flags.c_contiguous
    out = np.empty(X.shape[::-1] if by_columns else X.shape, dtype=X.dtype)
    each = [None if part is None else np.ascontiguousarray(part, dtype=X.dtype) for part in (before, factor, after)]
    kernels().scale_columns(X, *each, by_columns, thread_count(), out)
    return out.T if by_columns else out


def diagonal_log_density(X: Reals, mean: Floats, variance: Floats, offset: Floats | None = None) -> Floats:
    """log N(x; mean, variance), the columns independent."""
    out = np.empty((len(X), len(mean)))
    kernels().diagonal_log_density(X, doubles(mean), doubles(variance), doubles(offset), thread_count(), out)
    return out


def first_bad(X: Reals, allow_nan: bool = False) -> tuple[int, int] | None:
    """Row and column of the first cell that is infinite or NaN."""
    by_columns = X.flags.f_contiguous and X.shape[1] > 1  # one column lies in the order of rows as well
    if by_columns and kernels().first_bad(X.T, allow_nan, thread_count()) < 0:
        return None  # read in the order of memory; which cell is the first matters only where there is one
    at = kernels().first_bad(X, allow_nan, thread_count())
    return None if at < 0 else divmod(at, X.shape[1])


def largest(X: Reals) -> float:
    """The largest |x| of all cells."""
    return float(kernels().largest(X, thread_count()))


def row_uniforms(X: Reals, seed: int) -> Floats:
    """A number in (0, 1) for each row."""
    out = np.empty(len(X))
    kernels().row_uniforms(X, seed, out)
    return out


def fill_rows(columns: list[NDArray[np.generic]], out: NDArray[np.generic]) -> bool:
    """Write columns side by side as rows."""
    return bool(kernels().fill_rows(columns, out))


def fill_from_arrow(batch: RecordBatch, made: list[NDArray[np.generic] | None], out: NDArray[np.generic]) -> bool:
    """Write the first columns of a record batch side by side as rows."""
    return bool(kernels().fill_from_arrow(*batch.__arrow_c_array__(), made, out))
