"""The kernels of neighbours: scans of all rows, a filter in single precision, and k-d trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, Singles
from ..distances import Term
from ..followed import sound
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .lists import Nearest, Within

if TYPE_CHECKING:
    from . import Panels, Tree

PANEL = 32
LEAF = 16


def nearest_rows(Q: Floats, X: Reals, term: Term, k: int) -> Nearest:
    """The k nearest rows of X for each query."""
    out = Nearest.room(len(Q), k)
    kernels().nearest_rows(Q, X, *_form(term), k, thread_count(), out.distances, out.rows)
    return out


def rows_within(Q: Floats, X: Reals, term: Term, radius: float) -> Within:
    """The rows of X at most `radius` away from each query."""
    return Within.made(kernels().rows_within(Q, X, *_form(term), float(radius), thread_count()))


def _form(term: Term) -> tuple[object, ...]:
    return term.kind, term.p, term.numbers, doubles(term.weight), term.scale


def pack_panels(X: Reals, shift: Floats, scale: float) -> tuple[Singles, Singles, Singles]:
    """The rows as panels of 32, (x − shift) scale in single precision: cells, half squared norms, longest norms."""
    count = -(-len(X) // PANEL)
    shapes = ((count, X.shape[1], PANEL), (count, PANEL), (count,))
    cells, half_norm, longest = (np.empty(shape, np.float32) for shape in shapes)
    kernels().filter_pack(X, shift, scale, thread_count(), cells, half_norm, longest)
    return cells, half_norm, longest


def filtered_nearest(Q: Floats, X: Reals, panels: Panels, k: int) -> Nearest:
    """The k nearest rows of X by squared distance, most of them ruled out in single precision."""
    out = Nearest.room(len(Q), k)
    kernels().nearest_filtered(
        doubles(Q), X, panels.cells, panels.half_norm, panels.longest, panels.shift, panels.scale, k,
        thread_count(), out.distances, out.rows,
    )  # fmt: skip
    return out


def filtered_within(Q: Floats, X: Reals, panels: Panels, radius: float) -> Within:
    """The rows of X at most `radius` away by squared distance, most of them ruled out in single precision."""
    found = kernels().within_filtered(
        doubles(Q), X, panels.cells, panels.half_norm, panels.longest, panels.shift, panels.scale, float(radius),
        thread_count(),
    )  # fmt: skip
    return Within.made(found)


def kd_build(X: Reals) -> tuple[NDArray[np.int64], Floats, Floats, NDArray[np.int64], Floats]:
    """The arrays of a k-d tree of at least one row; see `Tree`."""
    n, d = X.shape
    leaves = -(-n // LEAF)
    nodes, rows = np.empty((2 * leaves - 1, 5), dtype=np.int64), np.empty(leaves * LEAF, dtype=np.int64)
    splits, boxes = np.zeros(2 * leaves - 1), np.empty((2 * leaves - 1, d, 2))
    cells = np.empty((leaves, d, LEAF))
    kernels().kd_build(doubles(X), thread_count(), nodes, splits, boxes, rows, cells)
    return nodes, splits, boxes, rows, cells


def kd_nearest(Q: Floats, tree: Tree, term: Term, k: int) -> Nearest:
    """The k nearest rows of a tree for each query."""
    out = Nearest.room(len(Q), k)
    kernels().kd_nearest(
        doubles(Q), *sound(tree).arrays(), term.kind, term.p, k, thread_count(), out.distances, out.rows
    )  # fmt: skip
    return out


def kd_within(Q: Floats, tree: Tree, term: Term, radius: float, most: int = 2**62) -> Within:
    """The rows of a tree at most `radius` away from each query, or from the first queries that have about `most`."""
    arrays = sound(tree).arrays()
    found = kernels().kd_within(doubles(Q), *arrays, term.kind, term.p, float(radius), most, thread_count())
    return Within.made(found)
