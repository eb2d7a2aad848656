"""The kernel of distances; see `portable.py` for what it computes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...typing import Reals
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Term

Layout = Literal["full", "symmetric", "condensed"]


def pairwise(X: Reals, Y: Reals | None, term: Term, dtype: DTypeLike | None = None) -> Reals:
    """The distances of the rows of X from those of Y, or among those of X."""
    other = X if Y is None else Y
    out = np.empty((len(X), len(other)), dtype=dtype or X.dtype)
    _run(X, other, term, "symmetric" if Y is None else "full", out)
    return out


def condensed(X: Reals, term: Term, dtype: DTypeLike | None = None) -> NDArray[np.generic]:
    """The distances of the pairs i < j."""
    out = np.empty(len(X) * (len(X) - 1) // 2, dtype=dtype or X.dtype)
    _run(X, X, term, "condensed", out)
    return out


def _run(X: Reals, Y: Reals, term: Term, layout: Layout, out: NDArray[np.generic]) -> None:
    if out.dtype != X.dtype and X.dtype == np.float32:
        X, Y = X.astype(np.float64), Y.astype(np.float64)
    kernels().pairwise(
        X, Y.astype(X.dtype, copy=False), term.kind, term.p, term.numbers, term.finish, doubles(term.weight),
        term.scale, layout, thread_count(), out,
    )  # fmt: skip
