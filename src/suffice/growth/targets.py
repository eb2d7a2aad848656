"""Targets as whole numbers, so that sums of them are the same in any order."""

from __future__ import annotations

import math

import numpy as np

from ..backend.growth import Targets
from ..data.scratch import IN_MEMORY, Room
from ..typing import Floats, Whole

_BITS = 60  # of the largest sum
_WEIGHT_BITS = 50
_TARGET_BITS = 52  # of a target whose products with weights are summed in 128 bits


def whole_weights(weight: Floats | None, n: int, room: Room = IN_MEMORY) -> tuple[Whole, float]:
    """Weights as whole numbers, (n,), and what one of them stands for; those that are whole stay as they are.

    >>> whole_weights(np.array([0.5, 1.0]), 2)[0].tolist() == [2**48, 2**49]
    True
    """
    unit, found = _weight_unit(weight, room), room.empty((n,), np.int64)
    for own in room.blocks(n):
        found[own] = _whole(weight, own, unit)
    return found, unit


def _weight_unit(weight: Floats | None, room: Room) -> float:
    """What a whole number stands for, 1 where weights are whole."""
    total = 0.0 if weight is None else float(weight.sum())
    if weight is None or total <= 0:
        return 1.0
    are_whole = all(bool((weight[own] == np.rint(weight[own])).all()) for own in room.blocks(len(weight)))
    if total < 2.0**_WEIGHT_BITS and are_whole:
        return 1.0
    return float(2.0 ** max(math.ceil(math.log2(total)) - _WEIGHT_BITS, -1000))


def _whole(weight: Floats | None, rows: slice, unit: float) -> Whole:
    """The whole numbers of some rows."""
    if weight is None:
        return np.ones(rows.stop - rows.start, dtype=np.int64)
    own = weight[rows]
    if unit == 1.0:
        return own.astype(np.int64)
    return np.where(own > 0, np.maximum(1, np.rint(own / unit)), 0).astype(np.int64)


def class_targets(code: Whole, weight: Floats | None, k: int, criterion: str, room: Room = IN_MEMORY) -> Targets:
    """Of rows of k classes, 0 to k − 1."""
    unit, sums = _weight_unit(weight, room), room.empty((len(code), 2), np.int64)
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
    unit, sums, total = _weight_unit(weight, room), room.empty((len(Y), Y.shape[1] + 1), np.int64), 0
    for own in room.blocks(len(Y)):
        sums[own, -1] = _whole(weight, own, unit)
        total += int(sums[own, -1].sum())
    half = float(np.max(np.maximum(high - centre, centre - low), initial=0.0)) or 1.0
    exponent = math.frexp(half)[1] + math.frexp(float(total) or 1.0)[1] - _BITS  # of what one first sum stands for
    for own in room.blocks(len(Y)):
        whole = sums[own, -1:]
        rest = Y[own] - centre if weight is None else np.where(weight[own, None] > 0, Y[own] - centre, 0.0)
        if unit == 1.0:
            sums[own, :-1] = np.rint(np.ldexp(rest, -exponent)).astype(np.int64) * whole
        else:
            sums[own, :-1] = np.rint(np.ldexp(rest * whole, -exponent)).astype(np.int64)
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
    return np.min(lows, axis=0), np.max(highs, axis=0)


def ranked_targets(y: Floats, weight: Floats | None) -> tuple[Targets, Floats]:
    """Of rows of numbers (n,) that are judged by absolute differences, and the number of each rank."""
    whole, unit = whole_weights(weight, len(y))
    known = y[whole > 0] if (whole > 0).any() else np.zeros(1)
    low, high = float(known.min()), float(known.max())
    centre = low / 2 + high / 2
    exponent = math.frexp(max(high - centre, centre - low) or 1.0)[1] - _TARGET_BITS
    levels, rank = np.unique(y + 0.0, return_inverse=True)
    steps = np.rint(np.ldexp(np.clip(levels, low, high) - centre, -exponent)).astype(np.int64)
    sums = np.column_stack([rank, steps[rank], whole])
    return Targets(
        sums, np.ascontiguousarray(rank, dtype=np.int64), 3, "absolute",
        first_unit=float(np.ldexp(unit, exponent)), weight_unit=unit,
    ), levels  # fmt: skip


def medians(sums: Whole, levels: Floats) -> Floats:
    """The median targets of nodes, (nodes, 1): the middle between the lower and the upper one."""
    return np.asarray(levels[sums[:, :1]] / 2 + levels[sums[:, 1:2]] / 2)


def class_shares(targets: Targets, sums: Whole) -> Floats:
    """The share of each class in nodes with sums (nodes, k), (nodes, classes)."""
    counts = np.column_stack([sums[:, 1] - sums[:, 0], sums[:, 0]]) if targets.k == 2 else sums
    return np.asarray(counts / np.maximum(1, counts.sum(axis=1, keepdims=True)))


def means(targets: Targets, sums: Whole, centre: Floats) -> Floats:
    """The mean targets of nodes, (nodes, q)."""
    weight = np.maximum(1, sums[:, -1:]).astype(np.float64) * targets.weight_unit
    return np.asarray(sums[:, :-1] * targets.first_unit / weight + centre)
