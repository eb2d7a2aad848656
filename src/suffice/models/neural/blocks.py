"""What a fitted net gives for many rows: block by block, so that what lies between the layers stays in a cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ...backend import thread_count
from ...backend.blas import blas_threads_for
from ...data.side_by_side import for_each
from ...typing import Reals
from .engine import Engine
from .inputs import Inputs

R = TypeVar("R", bound=Reals)
_FAR = {4: 1e12, 8: 1e60}  # by bytes of a number: cells farther away would overflow within a net, and count as that
_PARTS = 4  # of the rows that a thread takes, one after another
_SHARED = 5e8  # multiplications of a block from which on BLAS has threads of its own
_A_CELL = 32  # multiplications that are as much work as a cell elsewhere


def in_blocks(X: Reals, engine: Engine, inputs: Inputs, then: Callable[[Reals, Reals], R]) -> R:
    """`then` of rows and of what a net gives for them: on all threads, where it is one for several."""
    height = engine.height
    if len(X) <= height:
        with blas_threads_for(float(len(X)) * engine.size):
            return _answered(X, engine, inputs, then)
    first = _answered(X[:height], engine, inputs, then)
    found: R = np.empty((len(X), *first.shape[1:]), first.dtype)  # type: ignore[assignment]
    found[:height] = first

    def fill(begin: int) -> None:
        for at in range(begin, min(begin + span, len(X)), height):
            found[at : at + height] = _answered(X[at : at + height], engine, inputs, then)

    blocks, each = -(-(len(X) - height) // height), float(height) * engine.size
    span = height * max(1, blocks // (_PARTS * thread_count()))
    shared = engine.shares and each <= _SHARED
    with blas_threads_for(each):
        for_each(range(height, len(X), span), fill, blocks * int(each) // _A_CELL if shared else 0)
    return found


def _answered(X: Reals, engine: Engine, inputs: Inputs, then: Callable[[Reals, Reals], R]) -> R:
    with np.errstate(over="ignore", invalid="ignore"):
        return then(X, _outputs(X, engine, inputs))


def _outputs(X: Reals, engine: Engine, inputs: Inputs) -> Reals:
    """What a net gives for rows of a table, (m, outputs); those so far away that it overflows are brought nearer."""
    rows: Reals = inputs(X, None, engine.room(len(X))).astype(engine.dtype, copy=False)
    eta = engine.outputs(rows)
    if np.isfinite(eta).all():
        return eta
    most = _FAR[rows.dtype.itemsize]
    return np.asarray(np.nan_to_num(engine.outputs(np.clip(rows, -most, most))))
