"""Rounds of boosting over rows that lie in files, a block at a time: the same trees as in memory, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..backend.boosting import Boosting, Grove, Standing, StepWeights, joined_nodes, loss_parts, step_values
from ..backend.boosting.steps import LEAST
from ..backend.growth import CODES, MISSING, Draws, Nodes, Targets, drawn_rows, fall_to_children, whole_steps
from ..backend.growth.scores import weights_of
from ..backend.growth.values import Bytes
from ..backend.weights import given_or_ones
from ..data.scratch import Room
from ..typing import Flags, Floats, Whole
from .levels import Stored, grow_stored
from .targets import stored_weights
from .trees import Numbers32

N = TypeVar("N", bound=np.generic)
_STRIPE = 4096  # rows whose losses are added up together
_BLOCK_BYTES = 16 << 20  # of gradients that are computed at once


@dataclass(frozen=True, eq=False)
class StoredWeights(StepWeights):
    """Weights whose whole numbers lie where the rows do."""

    room: Room

    @cached_property
    def whole(self) -> tuple[Whole | None, float]:
        """As of `StepWeights`."""
        return (None, 1.0) if self.weight is None else stored_weights(self.weight, self.n, self.room)


class StoredRounds:
    """What rounds over rows in files need beside their plan: files for k predictors, what rows add, and their nodes."""

    def __init__(self, plan: Boosting, k: int) -> None:
        assert isinstance(plan.table, Stored)
        self.plan, self.table, self.room, self.k = plan, plan.table, plan.table.room, k
        n = self.table.rows
        self.sums, self.same = self.room.empty((n, 3), np.int64), self.room.empty((n,), np.int64)
        self.at: Numbers32 = self.room.empty((n,), np.int32)
        self.next_raw = self.room.empty((k, n), np.float64)
        curvature = self.room.empty((k, n), np.float64) if plan.curvature is None else None
        self.slopes = self.room.empty((k, n), np.float64), curvature
        self.mass = self._mass() if plan.drawn else None
        for own in self.room.blocks(n):
            self.same[own] = np.arange(own.start, own.stop)

    def round(self, standing: Standing, seeds: Whole) -> Grove:
        """A tree for each predictor, by seeds (k,); predictors before it stay as they are until the next round."""
        raw, trees = self.next_raw, []
        for c, seed in enumerate(seeds):
            trees.append(self._tree(standing, c, seed))
            self._move(standing.raw[c], raw[c], *trees[-1][:2])
        self.next_raw = standing.raw
        total, after = self.parts(raw)
        nodes, values, weights = zip(*trees, strict=True)
        return Grove(
            after, joined_nodes(list(nodes)), np.concatenate(values), np.concatenate(weights), np.array([total]),
            self._judged(raw),
        )  # fmt: skip

    def parts(self, raw: Floats) -> tuple[float, Standing]:
        """Σ w ℓ of the rows learned from, and predictors (k, n) with their gradients and curvatures."""
        total, (gradient, curvature) = 0.0, self.slopes
        for own in self._blocks():
            counted = self._counted(own)
            loss = self.plan.loss
            part, *slopes = loss_parts(loss, np.ascontiguousarray(raw[:, own]), self.plan.y[own], counted)
            total += part
            gradient[:, own] = slopes[0]
            if curvature is not None:
                curvature[:, own] = slopes[1]
        return total, Standing(raw, gradient, curvature)

    def total_weight(self) -> float:
        """The weight of the rows learned from."""
        counted = ((own, self._counted(own)) for own in self._blocks())
        return sum(float(own.stop - own.start if w is None else w.sum()) for own, w in counted)

    def _blocks(self) -> Iterator[slice]:
        step = max(1, _BLOCK_BYTES // (64 * self.k * _STRIPE)) * _STRIPE
        return self.room.blocks(self.table.rows, step)

    def _counted(self, own: slice) -> Floats | None:
        """The weights of rows, where they are learned from; None where each is 1."""
        weight, learned = self.plan.weights.weight, self.plan.learned
        known = None if weight is None else weight[own]
        return known if learned is None else given_or_ones(known, own.stop - own.start) * learned[own]

    # ---- a tree ----

    def _tree(self, standing: Standing, c: int, seed: np.int64) -> tuple[Nodes, Floats, Floats]:
        """A tree of predictor c, and what its nodes say and weigh."""
        curvature = None if standing.curvature is None else standing.curvature[c]
        targets = self._targets(standing.gradient[c], curvature)
        nodes = grow_stored(self.table, targets, self.plan.limits, self._draws(seed), self.at)
        value: Floats = self.plan.rate * step_values(targets, nodes.sums)
        return nodes, value, weights_of(targets, nodes.sums)

    def _targets(self, gradient: Floats, curvature: Floats | None) -> Targets:
        """What rows add; see `StepWeights.targets`."""
        plan, weights = self.plan, self.plan.weights
        bits = weights.bits(curvature is None, plan.bounded)
        times, unit = weights.whole
        first = max(self._exponent(gradient) - bits, LEAST)
        second = 0 if curvature is None else max(self._exponent(curvature) - bits, LEAST)
        for own in self._blocks():
            factor = None if weights.factor is None else weights.factor[own]
            whole = None if times is None else times[own]
            slope, bend = self._weighted(gradient, own), None if curvature is None else self._weighted(curvature, own)
            self.sums[own] = whole_steps(slope, bend, factor, whole, 2.0**-first, 2.0**-second)
        constant = 1.0 if plan.curvature is None else plan.curvature * unit
        return Targets(
            self.sums, self.same, 3, "newton", first_unit=2.0**first, weight_unit=unit, l2=plan.l2,
            second_unit=constant if curvature is None else 2.0**second,
        )  # fmt: skip

    def _weighted(self, numbers: Floats, own: slice) -> Floats:
        """Numbers of some rows, 0 where they weigh nothing."""
        weight = self.plan.weights.weight
        return np.ascontiguousarray(numbers[own] if weight is None else np.where(weight[own] > 0, numbers[own], 0.0))

    def _exponent(self, numbers: Floats) -> int:
        most, factor = 0.0, self.plan.weights.factor
        for own in self._blocks():
            found = np.abs(self._weighted(numbers, own))
            most = max(most, float((found if factor is None else found * factor[own]).max(initial=0.0)))
        return math.frexp(most or 1.0)[1]

    def _draws(self, seed: np.int64) -> Draws:
        seeds, learned = np.array([seed]), self.plan.learned
        if not self.plan.drawn:
            return Draws(seeds, None if learned is None else learned[None])
        drawn = Draws(seeds, None, self.plan.drawn, False, self.mass)
        return Draws(seeds, drawn_rows(drawn, 0, self.table.rows)[None])

    def _mass(self) -> Whole:
        """How many rows up to each are learned from."""
        found, before, learned = self.room.empty((self.table.rows,), np.int64), 0, self.plan.learned
        for own in self.room.blocks(self.table.rows):
            here = np.ones(own.stop - own.start, dtype=np.int64) if learned is None else learned[own]
            found[own] = before + np.cumsum(here, dtype=np.int64)
            before = int(found[own.stop - 1])
        return np.asarray(found)

    # ---- predictors ----

    def _move(self, raw: Floats, to: Floats, nodes: Nodes, value: Floats) -> None:
        """Write predictors moved by what the leaves of rows say."""
        left, depth = _codes_left(nodes), _depth(nodes)
        for own in self.table.blocks():
            at = np.zeros(own.stop - own.start, dtype=np.int32)
            for _ in range(depth):
                fall_to_children(self.table.codes.T[own], nodes.column, left, nodes.left, at)
            to[own] = raw[own] + value[at]

    def _judged(self, raw: Floats) -> Floats | None:
        """The predictors of rows that are judged, (1, k, m)."""
        if self.plan.judged is None:
            return None
        return picked(raw.T, self.plan.judged, self.room).T[None]


def picked(values: NDArray[N], rows: Whole, room: Room) -> NDArray[N]:
    """The values of rising numbers of rows."""
    found = []
    for own in room.blocks(len(values)):
        low, high = np.searchsorted(rows, [own.start, own.stop])
        found.append(values[own][rows[low:high] - own.start])
    return np.ascontiguousarray(np.concatenate(found))


def _codes_left(nodes: Nodes) -> Bytes:
    """Which codes go left at each node, (nodes, 256)."""
    found: Flags = np.arange(CODES) <= nodes.last[:, None]
    are_sets = nodes.set >= 0
    sets = np.ascontiguousarray(nodes.sets[nodes.set[are_sets]])
    found[are_sets] = np.unpackbits(sets.view(np.uint8).reshape(-1, CODES // 8), axis=1, bitorder="little")
    found[:, MISSING] = nodes.missing_left
    return found.view(np.uint8)


def _depth(nodes: Nodes) -> int:
    depth = np.zeros(len(nodes.left), dtype=np.int64)
    for node in np.flatnonzero(nodes.left >= 0):  # children come after their parents
        depth[nodes.left[node] : nodes.left[node] + 2] = depth[node] + 1
    return int(depth.max())
