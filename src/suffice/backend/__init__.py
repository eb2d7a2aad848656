"""Array work behind one door: the native kernels for NumPy arrays, portable code for every other array.

Nobody outside asks which back-end runs; `backend.using("portable")` forces the reference, for tests.
"""

from __future__ import annotations

from typing import Any

from . import native, portable
from .dispatch import is_native, using
from .threads import thread_count, threads

__all__ = [
    "affine", "diagonal_log_density", "fill_from_arrow", "fill_rows", "first_bad", "grouped_moments", "moments",
    "row_uniforms", "thread_count", "threads", "using",
]  # fmt: skip


def _for(X: Any) -> Any:
    return native if is_native(X) else portable


def moments(X: Any, Y: Any = None, weight: Any = None, rows: Any = None) -> tuple[float, Any, Any]:
    """Weight, mean (d) and centred scatter (d, d) of the columns of [X | Y], of all rows or those listed (int64)."""
    total, mean, scatter = _for(X).moments(X, Y, weight, rows)
    return float(total), mean, scatter


def grouped_moments(X: Any, group: Any = None, groups: int = 1, weight: Any = None) -> tuple[Any, Any, Any, Any]:
    """Row weight (k,), and weight, mean and centred squares (k, d) of the cells that are not NaN, per group.

    `group` holds the group of each row as int64 from 0 to `groups` - 1; None puts all rows into group 0.
    """
    sums: tuple[Any, Any, Any, Any] = _for(X).grouped_moments(X, group, groups, weight)
    return sums


def affine(X: Any, shift: Any, matrix: Any, offset: Any) -> Any:
    """(X − shift) matrix + offset, (n, k), in the type of X; shift (d,) may be None."""
    return _for(X).affine(X, shift, matrix, offset)


def diagonal_log_density(X: Any, mean: Any, variance: Any) -> Any:
    """log N(x; mean, variance) (n, k), the columns independent; NaN cells and infinite variances are left out."""
    return _for(X).diagonal_log_density(X, mean, variance)


def first_bad(X: Any, allow_nan: bool = False) -> tuple[int, int] | None:
    """Row and column of the first cell that is infinite (or NaN, unless allowed); None where all are good."""
    found: tuple[int, int] | None = _for(X).first_bad(X, allow_nan)
    return found


def fill_rows(columns: list[Any], out: Any) -> bool:
    """Write columns (n,), of the type of `out`, side by side as the rows of `out` (n, d); whether all are finite."""
    return bool(_for(out).fill_rows(columns, out))


def fill_from_arrow(batch: Any, out: Any) -> bool | None:
    """The same for the first columns of an Arrow record batch; None, with nothing done, if they are not all doubles."""
    return native.fill_from_arrow(batch, out) if is_native(out) else None


def row_uniforms(X: Any, seed: int) -> Any:
    """A number in (0, 1) for each row (n,) that depends on its cells and the seed alone."""
    return _for(X).row_uniforms(X, seed)
