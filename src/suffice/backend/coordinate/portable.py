"""Cyclic coordinate descent in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...typing import Floats, Numbers, Reals, Whole
from .values import Costs, Descent


def gram(G: Floats, pull: Floats, w: Floats, costs: Costs, epochs: int, tol: float) -> Descent:
    """Epochs that lower ½ wᵀ G w − c·w + costs, with G (m, m) symmetric and pull = c − G w.

    They end after one that gains no more than `tol`.
    """
    w, pull = w.copy(), pull.copy()

    def move(j: int, by: float) -> None:
        nonlocal pull
        pull -= by * G[j]

    gain = _epochs(lambda j: float(pull[j]), move, np.diagonal(G), w, costs, epochs, tol)
    return Descent(w, pull, gain)


def columns(
    X: Reals, places: Whole, mean: Floats, square: Floats, left: Floats, curvature: Floats | None, weight: float,
    w: Floats, costs: Costs, epochs: int, tol: float,
) -> Descent:  # fmt: skip
    """Epochs for the columns of X (n, p) at these places (m,), less their mean (m,), whose residuals are known.

    They lower ½ Σ left² / (curvature · weight) + costs: a slope that grows by δ takes δ · curvature · (x − mean) away
    from `left` (n,). `square` (m,) is Σ curvature · (x − mean)² / weight; without a curvature it is 1.
    """
    w, left = w.copy(), left.copy()

    def column(j: int) -> Floats:
        return np.asarray(X[:, places[j]].astype(np.float64) - mean[j])

    def move(j: int, by: float) -> None:
        nonlocal left
        left -= by * (column(j) if curvature is None else curvature * column(j))

    gain = _epochs(lambda j: float(column(j) @ left) / weight, move, square, w, costs, epochs, tol)
    return Descent(w, left, gain)


def sparse_columns(
    X: Numbers, places: Whole, mean: Floats, square: Floats, left: Floats, curvature: Floats | None, weight: float,
    w: Floats, costs: Costs, epochs: int, tol: float,
) -> Descent:  # fmt: skip
    """Epochs as `columns` makes them, for a CSC matrix; where means are not 0, `left` must sum to 0."""
    return columns(X.toarray(), places, mean, square, left, curvature, weight, w, costs, epochs, tol)  # type: ignore[attr-defined]


def _epochs(
    pull: Callable[[int], float],
    move: Callable[[int, float], None],
    square: Floats,
    w: Floats,
    costs: Costs,
    epochs: int,
    tol: float,
) -> float:
    """Put each slope in turn where the objective is least; what the last epoch gained."""
    gain = 0.0
    for _ in range(epochs):
        gain = 0.0
        for j in range(len(w)):
            by = _best(pull(j) + square[j] * w[j], square[j], costs, j) - w[j]
            if by != 0:
                move(j, by)
                w[j] += by
                gain += 0.5 * (square[j] + costs.squared[j]) * by * by
        if gain <= tol:
            break
    return gain


def _best(pull: float, square: float, costs: Costs, j: int) -> float:
    """The v that minimises ½ square v² − pull v + its costs; 0 where nothing holds it."""
    bent = square + costs.squared[j]
    if not bent > 0:
        return 0.0
    if pull > costs.absolute[j]:
        return float((pull - costs.absolute[j]) / bent)
    if pull < -costs.absolute[j] and not costs.positive:
        return float((pull + costs.absolute[j]) / bent)
    return 0.0
