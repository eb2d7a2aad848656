"""The kernels of hash tables; see `portable.py` for what each computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Singles, Whole
from ..followed import sound
from ..native import kernels
from ..neighbors.lists import Nearest, Within
from ..threads import thread_count
from ..weights import doubles

if TYPE_CHECKING:
    from . import Hashing, HashTables


def buckets(projected: Singles, hashing: Hashing) -> NDArray[np.int32]:
    """The bucket of each row in each table."""
    out = np.empty((len(projected), projected.shape[1] // hashing.projections), dtype=np.int32)
    kernels().hash_buckets(
        np.ascontiguousarray(projected), hashing.by_sign, hashing.projections, hashing.bits, thread_count(), out
    )
    return out


def nearest(
    Q: Floats, single: Singles, projected: Singles, tables: HashTables, k: int, probes: int
) -> tuple[Nearest, Whole]:
    """The nearest of the rows in the best buckets, and how many these were."""
    out, compared = Nearest.room(len(Q), k), np.empty(len(Q), dtype=np.int64)
    asked = _asked(Q, single, projected, tables)
    kernels().hash_nearest(*asked, probes, k, thread_count(), out.distances, out.rows, compared)
    return out, compared


def within(Q: Floats, single: Singles, projected: Singles, tables: HashTables, radius: float, probes: int) -> Within:
    """The rows within the radius among those in the best buckets."""
    asked = _asked(Q, single, projected, tables)
    return Within.made(kernels().hash_within(*asked, probes, float(radius), thread_count()))


def _asked(Q: Floats, single: Singles, projected: Singles, tables: HashTables) -> tuple[object, ...]:
    hashing = sound(tables).hashing
    return (
        doubles(Q), single, projected, tables.rows, tables.single, hashing.by_sign,
        hashing.projections, hashing.bits, tables.starts, tables.order,
    )  # fmt: skip
