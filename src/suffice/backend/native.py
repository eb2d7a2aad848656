"""The C++ kernels for NumPy arrays of float32 or float64, loaded for this machine's instruction set."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter
from ._cpu import level as machine_level
from .threads import thread_count
from .weights import doubles

_LEVELS = ("v2", "v3", "v4")
_NO_COLUMNS = np.empty((0, 0))


def _load() -> tuple[str, Any]:
    best = machine_level()
    wanted = os.environ.get("SUFFICE_ISA") or best
    allowed = _LEVELS[: _LEVELS.index(best) + 1] if best in _LEVELS else (best,)
    if wanted not in allowed:
        raise InvalidParameter(f"SUFFICE_ISA must be one of {', '.join(allowed)} on this machine; got {wanted!r}.")
    return wanted, importlib.import_module(f"{__package__}._native_{wanted}")


instruction_set, _kernels = _load()


def kernels() -> Any:
    """The module of compiled kernels in use; wrappers in other files call it through this."""
    return _kernels


def moments(
    X: NDArray[Any], Y: NDArray[Any] | None, weight: NDArray[np.float64] | None, rows: NDArray[np.int64] | None = None
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """See `portable.moments`."""
    Y = _NO_COLUMNS if Y is None else Y.astype(np.float64, copy=False)
    d = X.shape[1] + Y.shape[1]
    total, mean, scatter = np.zeros(1), np.zeros(d), np.zeros((d, d))
    _kernels.moments(X, Y, rows, doubles(weight), thread_count(), total, mean, scatter)
    return float(total[0]), mean, scatter


def grouped_moments(
    X: NDArray[Any], group: NDArray[np.int64] | None, groups: int, weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """See `portable.grouped_moments`."""
    shape = (groups, X.shape[1])
    sums = np.zeros(groups), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    _kernels.grouped_moments(X, group, groups, doubles(weight), thread_count(), *sums)
    return sums


def affine(
    X: NDArray[Any], shift: NDArray[np.float64] | None, matrix: NDArray[np.float64], offset: NDArray[np.float64]
) -> NDArray[Any]:
    """See `portable.affine`."""
    out = np.empty((len(X), len(offset)), dtype=X.dtype)
    _kernels.affine(X, doubles(shift), doubles(matrix), doubles(offset), thread_count(), out)
    return out


def diagonal_log_density(
    X: NDArray[Any], mean: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """See `portable.diagonal_log_density`."""
    out = np.empty((len(X), len(mean)))
    _kernels.diagonal_log_density(X, doubles(mean), doubles(variance), thread_count(), out)
    return out


def fill_rows(columns: list[NDArray[Any]], out: NDArray[Any]) -> bool:
    """See `portable.fill_rows`."""
    return bool(_kernels.fill_rows(columns, out))


def fill_from_arrow(batch: Any, out: NDArray[Any]) -> bool | None:
    """See `backend.fill_from_arrow`."""
    if out.dtype != np.float64:
        return None
    found: bool | None = _kernels.fill_from_arrow(*batch.__arrow_c_array__(), out)
    return found


def row_uniforms(X: NDArray[Any], seed: int) -> NDArray[np.float64]:
    """See `portable.row_uniforms`."""
    out = np.empty(len(X))
    _kernels.row_uniforms(X, seed, out)
    return out


def first_bad(X: NDArray[Any], allow_nan: bool) -> tuple[int, int] | None:
    """See `portable.first_bad`."""
    at = _kernels.first_bad(X, allow_nan, thread_count())
    return None if at < 0 else divmod(at, X.shape[1])
