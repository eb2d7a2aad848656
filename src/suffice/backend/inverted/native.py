"""The kernels of inverted lists; see `portable.py` for what each computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...typing import CSR, Floats, Numbers
from ..followed import sound
from ..native import kernels
from ..neighbors.lists import Nearest, Within
from ..threads import thread_count

if TYPE_CHECKING:
    from scipy.sparse import csc_array

    from . import Inverted


def nearest(Q: Numbers, squared: Floats, index: Inverted, k: int) -> Nearest:
    """The k nearest rows for each query."""
    out = Nearest.room(Q.shape[0], k)
    kernels().inverted_nearest(*_asked(Q, squared, index), k, thread_count(), out.distances, out.rows)
    return out


def within(Q: Numbers, squared: Floats, index: Inverted, radius: float) -> Within:
    """The rows at most `radius` away."""
    return Within.made(kernels().inverted_within(*_asked(Q, squared, index), float(radius), thread_count()))


def _asked(Q: Numbers, squared: Floats, index: Inverted) -> tuple[object, ...]:
    sound(index)
    return *csr_parts(Q), squared, *index.rows, *index.lists, index.squared, index.order


def csr_parts(X: CSR | csc_array) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64]]:
    """Cells, places and starts, the places ascending."""
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    return (
        np.ascontiguousarray(X.data, dtype=np.float64),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
    )
