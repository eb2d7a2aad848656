"""How pure a node is, times its weight, from its sums: the higher the better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Flags, Floats, Whole
from .values import Targets

TIE = 1e-12  # scores closer than this part of the node's are equal
LEAST_CURVATURE = 1e-3  # of either side of a split


@dataclass(frozen=True, eq=False)
class Node:
    """The sums of a node (k,), how it is split, if it is, and the bounds of what its leaves may say."""

    sums: Whole
    low: float = -np.inf
    high: float = np.inf
    left: int = -1
    column: int = -1
    gain: float = 0.0
    last: int = 0
    next: int = 0
    missing_left: bool = False
    left_codes: Flags | None = None  # (256,), of categories
    middle: float = 0.0  # between the values of its children
    groups: Flags | None = None  # of columns, to which all columns above it belong


def weights_of(targets: Targets, sums: Whole) -> Floats:
    """The weight of each row of sums (m, k), (m,)."""
    whole = sums.sum(axis=1) if targets.of_several else sums[:, -1]
    return np.asarray(whole.astype(np.float64) * targets.weight_unit)


def weight_of(targets: Targets, sums: Whole) -> float:
    """The weight of one."""
    return float(weights_of(targets, sums[None])[0])


def values_of(targets: Targets, sums: Whole) -> Floats:
    """What leaves with these sums would say, of pairs and of Newton steps, (m,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        first = sums[:, 0].astype(np.float64) * targets.first_unit
        below = curvatures_of(targets, sums) if targets.is_newton else weights_of(targets, sums)
        return np.asarray(first / (below + targets.l2))


def curvatures_of(targets: Targets, sums: Whole) -> Floats:
    """The curvature of each row of sums (m, 3), (m,)."""
    return np.asarray(sums[:, 1].astype(np.float64) * targets.second_unit)


def bounded_scores(targets: Targets, sums: Whole, low: float, high: float) -> Floats:
    """The scores of Newton steps, (m,), whose leaves say what is nearest to their best step from `low` to `high`."""
    best, first = values_of(targets, sums), sums[:, 0].astype(np.float64) * targets.first_unit
    value = np.clip(best, low, high)
    within = 2 * first * value - (curvatures_of(targets, sums) + targets.l2) * value * value
    return np.asarray(np.where(value != best, np.where(np.isnan(best), 0.0, within), scores(targets, sums)))


def scores(targets: Targets, sums: Whole) -> Floats:
    """The scores of sums (m, k), (m,)."""
    weight = weights_of(targets, sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        if targets.k == 2:
            return _of_pairs(targets, sums[:, 0].astype(np.float64) * targets.first_unit, weight)
        own = sums.astype(np.float64)
        if targets.is_newton:
            held = curvatures_of(targets, sums) + targets.l2
            return np.asarray(np.where(held > 0, (own[:, 0] * targets.first_unit) ** 2 / held, 0.0))
        if targets.classes:
            return _of_classes(targets.criterion, own, own.sum(axis=1)) * targets.weight_unit
        if targets.criterion == "deviance":
            parts = [_of_pairs(targets, own[:, c] * targets.first_unit, weight) for c in range(targets.k - 1)]
            return np.asarray(np.sum(parts, axis=0))
        squares = (own[:, :-1] ** 2).sum(axis=1)
        unit = targets.first_unit**2 / targets.weight_unit
        return np.asarray(np.where(own[:, -1] > 0, squares / own[:, -1], 0.0) * unit)


def node_score(targets: Targets, sums: Whole) -> float:
    """The score of one."""
    return float(scores(targets, sums[None])[0])


def _x_log_x(x: Floats) -> Floats:
    return np.asarray(np.where(x > 0, x * np.log(np.where(x > 0, x, 1.0)), 0.0))


def _of_pairs(targets: Targets, first: Floats, second: Floats) -> Floats:
    """Of targets and weights, or of two classes the weight of the second and that of both."""
    other, known = second - first, second > 0
    if targets.criterion == "squared":
        held = second + targets.l2
        return np.asarray(np.where(held > 0, first * first / held, 0.0))
    if targets.criterion == "deviance":
        share = np.where((first > 0) & known, first / second, 1.0)
        return np.asarray(np.where(first > 0, first * np.log(share), -np.inf))  # a mean of 0 makes counts impossible
    if targets.criterion == "gini":
        return np.asarray(np.where(known, (first * first + other * other) / second, 0.0))
    if targets.criterion == "entropy":
        return _x_log_x(first) + _x_log_x(other) - _x_log_x(second)
    return np.maximum(first, other)


def _of_classes(criterion: str, counts: Floats, weight: Floats) -> Floats:
    """Of the weights of the classes, (m, k)."""
    if criterion == "entropy":
        return np.asarray(_x_log_x(counts).sum(axis=1) - _x_log_x(weight))
    if criterion == "error":
        return np.asarray(counts.max(axis=1))
    return np.asarray(np.where(weight > 0, (counts**2).sum(axis=1) / weight, 0.0))
