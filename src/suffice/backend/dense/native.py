"""The kernels of dense rows; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, RecordBatch, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles

_NO_COLUMNS = np.empty((0, 0))


def moments(
    X: Reals, Y: Reals | None = None, weight: Floats | None = None, rows: Whole | None = None
) -> tuple[float, Floats, Floats]:
    """Weight, mean and centred scatter."""
    Y = _NO_COLUMNS if Y is None else Y.astype(np.float64, copy=False)
    d = X.shape[1] + Y.shape[1]
    total, mean, scatter = np.zeros(1), np.zeros(d), np.zeros((d, d))
    kernels().moments(X, Y, rows, doubles(weight), thread_count(), total, mean, scatter)
    return float(total[0]), mean, scatter


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


def diagonal_log_density(X: Reals, mean: Floats, variance: Floats) -> Floats:
    """log N(x; mean, variance), the columns independent."""
    out = np.empty((len(X), len(mean)))
    kernels().diagonal_log_density(X, doubles(mean), doubles(variance), thread_count(), out)
    return out


def first_bad(X: Reals, allow_nan: bool = False) -> tuple[int, int] | None:
    """Row and column of the first cell that is infinite or NaN."""
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
