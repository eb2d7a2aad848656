"""The kernels of coordinate descent; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Numbers, Reals, Whole
from ..native import kernels
from ..sparse.native import parts
from ..weights import doubles
from .values import Costs, Descent


def gram(G: Floats, pull: Floats, w: Floats, costs: Costs, epochs: int, tol: float) -> Descent:
    """Epochs on a matrix of products."""
    w, pull = w.copy(), pull.copy()
    rows = G if G.flags.c_contiguous else np.ascontiguousarray(G)
    gain = kernels().descend_gram(rows, *_costs(costs), epochs, tol, w, pull)
    return Descent(w, pull, gain)


def columns(
    X: Reals, places: Whole, mean: Floats, square: Floats, left: Floats, curvature: Floats | None, weight: float,
    w: Floats, costs: Costs, epochs: int, tol: float,
) -> Descent:  # fmt: skip
    """Epochs on columns of an array."""
    w, left = w.copy(), left.copy()
    gain = kernels().descend_columns(
        X, _places(places), doubles(mean), doubles(square), doubles(curvature), weight, *_costs(costs), epochs, tol,
        w, left,
    )  # fmt: skip
    return Descent(w, left, gain)


def sparse_columns(
    X: Numbers, places: Whole, mean: Floats, square: Floats, left: Floats, curvature: Floats | None, weight: float,
    w: Floats, costs: Costs, epochs: int, tol: float,
) -> Descent:  # fmt: skip
    """Epochs on columns of a CSC matrix."""
    w, left = w.copy(), left.copy()
    gain = kernels().descend_sparse(
        *parts(X), X.shape[0], _places(places), doubles(mean), doubles(square), doubles(curvature), weight,
        *_costs(costs), epochs, tol, w, left,
    )  # fmt: skip
    return Descent(w, left, gain)


def _costs(costs: Costs) -> tuple[Floats | None, Floats | None, bool]:
    return doubles(costs.absolute), doubles(costs.squared), costs.positive


def _places(places: Whole) -> Whole:
    return np.ascontiguousarray(places, dtype=np.int64)
