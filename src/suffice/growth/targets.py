"""Targets as whole numbers, so that sums of them are the same in any order."""

from __future__ import annotations

import math

import numpy as np

from ..backend.boosting import whole_weights
from ..backend.growth import Targets
from ..backend.weights import given_or_ones
from ..typing import Floats, Whole

_BITS = 60  # of the largest sum
_TARGET_BITS = 52  # of a target whose products with weights are summed in 128 bits


def class_targets(code: Whole, weight: Floats | None, k: int, criterion: str) -> Targets:
    """Of rows of k classes, 0 to k − 1."""
    whole, unit = whole_weights(weight, len(code))
    first = code * whole if k == 2 else code
    return Targets(
        np.column_stack([first, whole]), np.ascontiguousarray(code, dtype=np.int64), max(2, k), criterion,
        classes=True, first_unit=unit, weight_unit=unit,
    )  # fmt: skip


def number_targets(y: Floats, weight: Floats | None, criterion: str) -> tuple[Targets, Floats]:
    """Of rows of numbers, (n,) or (n, q), and the numbers, (q,), to which those that sums stand for are added."""
    Y = y[:, None] if y.ndim == 1 else y
    counts = given_or_ones(weight, len(Y)) > 0
    low, high = (Y[counts].min(axis=0), Y[counts].max(axis=0)) if counts.any() else (0 * Y[0], 0 * Y[0])
    centre = 0 * low if criterion == "deviance" else low / 2 + high / 2
    whole, unit = whole_weights(weight, len(Y))
    half = float(np.max(np.maximum(high - centre, centre - low), initial=0.0)) or 1.0
    total = float(whole.sum()) or 1.0
    exponent = math.frexp(half)[1] + math.frexp(total)[1] - _BITS  # of what one of the first sums stands for
    rest = np.where(counts[:, None], Y - centre, 0.0)
    if unit == 1.0:
        first = np.rint(np.ldexp(rest, -exponent)).astype(np.int64) * whole[:, None]
    else:
        first = np.rint(np.ldexp(rest * whole[:, None], -exponent)).astype(np.int64)
    sums = np.column_stack([first, whole])
    same = Y[:, 0].view(np.int64) if Y.shape[1] == 1 else np.unique(Y, axis=0, return_inverse=True)[1].reshape(-1)
    same = np.ascontiguousarray(same, dtype=np.int64)
    found = Targets(
        sums, same, sums.shape[1], criterion, first_unit=float(np.ldexp(1.0, exponent)) * unit, weight_unit=unit
    )
    return found, centre


def ranked_targets(y: Floats, weight: Floats | None) -> tuple[Targets, list[Floats]]:
    """Of rows of numbers (n, q) that are judged by absolute differences, and the number of each rank of each target."""
    whole, unit = whole_weights(weight, len(y))
    known = y[whole > 0] if (whole > 0).any() else np.zeros((1, y.shape[1]))
    low, high = known.min(axis=0), known.max(axis=0)
    centre = low / 2 + high / 2
    exponent = math.frexp(float(np.maximum(high - centre, centre - low).max()) or 1.0)[1] - _TARGET_BITS
    columns, levels = [], []
    for c, own in enumerate(y.T):
        numbers, rank = np.unique(own + 0.0, return_inverse=True)
        steps = np.rint(np.ldexp(np.clip(numbers, low[c], high[c]) - centre[c], -exponent)).astype(np.int64)
        columns += [rank, steps[rank]]
        levels.append(numbers)
    ranks = np.column_stack(columns[::2])
    same = ranks[:, 0] if ranks.shape[1] == 1 else np.unique(ranks, axis=0, return_inverse=True)[1].reshape(-1)
    return Targets(
        np.column_stack([*columns, whole]), np.ascontiguousarray(same, dtype=np.int64), len(columns) + 1, "absolute",
        first_unit=float(np.ldexp(unit, exponent)), weight_unit=unit,
    ), levels  # fmt: skip


def medians(sums: Whole, levels: list[Floats]) -> Floats:
    """The median targets of nodes, (nodes, q): the middle between the lower and the upper one."""
    return np.column_stack([own[sums[:, 2 * c]] / 2 + own[sums[:, 2 * c + 1]] / 2 for c, own in enumerate(levels)])
