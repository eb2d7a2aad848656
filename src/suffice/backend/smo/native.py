"""The kernel of sequential minimal optimisation; see `portable.py` for what it computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...typing import Floats, Reals
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Programme, Solved


def pairs(
    gram: Reals, programmes: Sequence[Programme], starts: Sequence[tuple[Floats, Floats]], tol: float, most: int
) -> list[Solved]:
    """Each programme from its start on; programmes are shared among threads."""
    ends = np.cumsum([0, *map(len, programmes)])
    linear, low, high = (
        doubles(np.concatenate([getattr(one, name) for one in programmes])) for name in ("linear", "low", "high")
    )
    rows = np.concatenate([one.rows for one in programmes]).astype(np.int64, copy=False)
    whole = len(programmes) == 1 and len(rows) == len(gram) and bool((rows == np.arange(len(rows))).all())
    a, v = (np.concatenate([start[k] for start in starts]).astype(np.float64, copy=False) for k in (0, 1))
    firsts = np.array([one.first for one in programmes], dtype=np.int64)
    widths = np.array([one.width for one in programmes], dtype=np.float64)
    found = np.empty((len(programmes), 6))
    kernels().smo(
        np.ascontiguousarray(gram), None if whole else rows, ends.astype(np.int64), firsts, linear, low, high, widths,
        float(tol), int(most), thread_count(), a, v, found,
    )  # fmt: skip
    cuts = ends.tolist()
    return [
        Solved(a[begin:end], v[begin:end], violation, int(done), objective, gap, (first, second))
        for begin, end, (violation, done, objective, gap, first, second) in zip(
            cuts[:-1], cuts[1:], found.tolist(), strict=True
        )
    ]
