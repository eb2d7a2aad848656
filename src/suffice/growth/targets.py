"""Targets as whole numbers, so that sums of them are the same in any order."""

from __future__ import annotations

import math

import numpy as np

from ..backend.boosting import in_units, weight_unit, whole_weights
from ..backend.growth import Targets
from ..data.scratch import IN_MEMORY, Room
from ..typing import Floats, Whole

_BITS = 60  # of the largest sum
_TARGET_BITS = 52  # of a target whose products with weights are summed in 128 bits


def stored_weights(weight: Floats | None, n: int, room: Room) -> tuple[Whole, float]:
    """`whole_weights` where arrays of rows lie."""
    unit, found = weight_unit(weight), room.empty((n,), np.int64)
    for own in room.blocks(n):
        found[own] = _whole(weight, own, unit)
    return found, unit


def _whole(weight: Floats | None, rows: slice, unit: float) -> Whole:
    """The whole numbers of some rows."""
    return np.ones(rows.stop - rows.start, dtype=np.int64) if weight is None else in_units(weight[rows], unit)


def class_targets(code: Whole, weight: Floats | None, k: int, criterion: str, room: Room = IN_MEMORY) -> Targets:
    """Of rows of k classes, 0 to k − 1."""
    unit, sums = weight_unit(weight), room.empty((len(code), 2), np.int64)
    for own in room.blocks(len(code)):
        whole = _whole(weight, own, unit)
        sums[own, 0] = code[own] * whole if k == 2 else code[own]
        sums[own, 1] = whole
    return Targets(
        sums, np.ascontiguousarray(code, dtype=np.int64), max(2, k), criterion,
        classes=True, first_unit=unit, weight_unit=unit,
    )  # fmt: skip


def number_targets(y: Floats, weight: Floats | None, criterion: str, room: Room = IN_MEMORY) -> tuple[Targets, Floats]:
    """Of rows of numbers, (n,) or (n, q), and the numbers, (q,), to which those that sums stand for are added."""
    Y = y[:, None] if y.ndim == 1 else y
    low, high = _range(Y, weight, room)
    centre = 0 * low if criterion == "deviance" else low / 2 + high / 2
    unit, sums, total = weight_unit(weight), room.empty((len(Y), Y.shape[1] + 1), np.int64), 0
    for own in room.blocks(len(Y)):
        sums[own, -1] = 1 if weight is None else _whole(weight, own, unit)
        total += own.stop - own.start if weight is None else int(sums[own, -1].sum())
    half = float(np.max(np.maximum(high - centre, centre - low), initial=0.0)) or 1.0
    exponent = math.frexp(half)[1] + math.frexp(float(total) or 1.0)[1] - _BITS  # of what one first sum stands for
    for own in room.blocks(len(Y)):
        whole = sums[own, -1:]
        rest = Y[own] - centre if weight is None else np.where(weight[own, None] > 0, Y[own] - centre, 0.0)
        if weight is None:
            sums[own, :-1] = np.rint(np.ldexp(rest, -exponent))
        elif unit == 1.0:
            sums[own, :-1] = np.rint(np.ldexp(rest, -exponent)).astype(np.int64) * whole
        else:
            sums[own, :-1] = np.rint(np.ldexp(rest * whole, -exponent))
    same = Y[:, 0].view(np.int64) if Y.shape[1] == 1 else np.unique(Y, axis=0, return_inverse=True)[1].reshape(-1)
    same = np.ascontiguousarray(same, dtype=np.int64)
    found = Targets(
        sums, same, sums.shape[1], criterion, first_unit=float(np.ldexp(1.0, exponent)) * unit, weight_unit=unit
    )
    return found, centre


def _range(Y: Floats, weight: Floats | None, room: Room) -> tuple[Floats, Floats]:
    """The least and the greatest targets of rows that weigh something, (q,) each; 0 where none does."""
    lows, highs = [], []
    for own in room.blocks(len(Y)):
        there = Y[own] if weight is None else Y[own][weight[own] > 0]
        if len(there):
            lows.append(there.min(axis=0))
            highs.append(there.max(axis=0))
    if not lows:
        return np.zeros(Y.shape[1]), np.zeros(Y.shape[1])
    return (lows[0], highs[0]) if len(lows) == 1 else (np.min(lows, axis=0), np.max(highs, axis=0))


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
