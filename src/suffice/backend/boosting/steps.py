"""Newton steps as whole numbers: what rows add to a tree of boosting."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...typing import Flags, Floats, Whole
from ..growth import Nodes, Targets, whole_steps
from ..weights import given_or_ones

# Bits of the largest number: of gradients beside a constant curvature; of gradients and curvatures that are bounded,
# which share a word with weights; and of others, which fill three words.
LEAST = -1000  # the exponent of the smallest unit: powers of it are numbers
_CONSTANT, _BOUNDED, _OTHERS = 27, 14, 30
_BITS = 60  # of the largest sum
_WEIGHT_BITS = 50
_TIED = 1e-9
_PART = 1 << 18  # weights that are looked at together


def whole_weights(weight: Floats | None, n: int) -> tuple[Whole, float]:
    """Weights as whole numbers, (n,), and what one of them stands for; those that are whole stay as they are.

    >>> whole_weights(np.array([0.5, 1.0]), 2)[0].tolist() == [2**48, 2**49]
    True
    """
    unit = weight_unit(weight)
    return np.ones(n, dtype=np.int64) if weight is None else in_units(weight, unit), unit


def weight_unit(weight: Floats | None) -> float:
    """What one of the whole numbers stands for: 1 where weights are whole."""
    total = 0.0 if weight is None else float(weight.sum())
    if weight is None or total <= 0:
        return 1.0
    parts = (weight[begin : begin + _PART] for begin in range(0, len(weight), _PART))
    if total < 2.0**_WEIGHT_BITS and all(bool((own == np.rint(own)).all()) for own in parts):
        return 1.0
    return float(2.0 ** max(math.ceil(math.log2(total)) - _WEIGHT_BITS, -1000))


def in_units(weight: Floats, unit: float) -> Whole:
    """Weights as whole numbers of a unit; what weighs something is at least 1."""
    if unit == 1.0:
        return weight.astype(np.int64)
    return np.where(weight > 0, np.maximum(1, np.rint(weight / unit)), 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class StepWeights:
    """The weights of the rows of a fit, which all trees share: real ones, or None where each is 1."""

    weight: Floats | None
    n: int

    @cached_property
    def whole(self) -> tuple[Whole | None, float]:
        """Whole numbers, None where each is 1, and what one of them stands for."""
        if self.weight is None:
            return None, 1.0
        return whole_weights(self.weight, self.n)

    @cached_property
    def factor(self) -> Floats | None:
        """Weights by which numbers are multiplied before they are rounded; None where they are repetitions."""
        return None if self.whole[1] == 1.0 else self.weight

    @cached_property
    def weightless(self) -> Flags | None:
        """Which rows weigh nothing; None where all weigh something."""
        return None if self.weight is None or bool((self.weight > 0).all()) else self.weight <= 0

    @cached_property
    def most_bits(self) -> int:
        """The bits of the largest number whose sums cannot overflow."""
        times = self.whole[0] if self.factor is None else None
        return _BITS - math.ceil(math.log2(max(1, self.n if times is None else int(times.sum()))))

    @cached_property
    def same(self) -> Whole:
        """No two rows are the same."""
        return np.arange(self.n)

    def bits(self, constant: bool, bounded: bool) -> int:
        """The bits of the largest gradient or curvature, where curvatures are constant, or both are bounded."""
        return min(self.most_bits, _CONSTANT if constant else _BOUNDED if bounded else _OTHERS)

    def targets(self, gradient: Floats, curvature: Floats | float, l2: float, bounded: bool = False) -> Targets:
        """What rows with these gradients and curvatures, (n,) or the same for all, add to a tree."""
        constant = not isinstance(curvature, np.ndarray)
        if self.weightless is not None:
            gradient = np.where(self.weightless, 0.0, gradient)
            curvature = curvature if constant else np.where(self.weightless, 0.0, curvature)
        bits = self.bits(constant, bounded)
        times, unit = self.whole
        first = max(self._exponent(gradient) - bits, LEAST)
        second = 0 if constant else max(self._exponent(np.asarray(curvature)) - bits, LEAST)
        bends = None if constant else np.ascontiguousarray(curvature)
        sums = whole_steps(gradient, bends, self.factor, times, 2.0**-first, 2.0**-second)
        return Targets(
            sums, self.same, 3, "newton", first_unit=2.0**first, weight_unit=unit, l2=l2,
            second_unit=float(curvature) * unit if constant else 2.0**second,
        )  # fmt: skip

    def _exponent(self, numbers: Floats) -> int:
        most = np.abs(numbers if self.factor is None else numbers * self.factor).max(initial=0.0)
        return math.frexp(float(most) or 1.0)[1]


def step_values(targets: Targets, sums: Whole) -> Floats:
    """The best step of each node, −G / (H + λ), (nodes,); 0 where there is no curvature."""
    first, second = sums[:, 0] * targets.first_unit, sums[:, 1] * targets.second_unit + targets.l2
    return np.asarray(np.divide(first, second, out=np.zeros(len(sums)), where=second > 0))


def bounded_step_values(targets: Targets, nodes: Nodes, monotone: NDArray[np.int8] | None) -> Floats:
    """The same for the nodes of a tree, each the nearest within its bounds where predictions rise or fall with columns.

    The middle between both children of a split is as far as those below either of them may go.
    """
    value = step_values(targets, nodes.sums)
    if monotone is None:
        return value
    bounds = np.tile([-np.inf, np.inf], (len(value), 1))
    for k in np.flatnonzero(nodes.left >= 0):  # children come after their parents
        children = slice(nodes.left[k], nodes.left[k] + 2)
        bounds[children] = bounds[k]
        value[children] = np.clip(value[children], *bounds[k])
        way, (left, right) = int(monotone[nodes.column[k]]), value[children]
        if way:
            rising = np.array([[bounds[k, 0], (left + right) / 2], [(left + right) / 2, bounds[k, 1]]])
            bounds[children] = rising if way > 0 else rising[::-1]
    return value


def joined_nodes(parts: list[Nodes]) -> Nodes:
    """The trees of several, one after the other."""
    starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.starts) for part in parts]))])
    before = np.cumsum([0, *(len(part.sets) for part in parts[:-1])])
    sets = [np.where(part.set >= 0, part.set + k, -1) for part, k in zip(parts, before, strict=True)]
    names = ("column", "left", "last", "next", "missing_left", "sets", "gain", "sums")
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return replace(parts[0], starts=starts.astype(np.int64), set=np.concatenate(sets).astype(np.int32), **joined)


def group_quantiles(values: Floats, group: Whole, count: int, share: float, weight: Floats | None) -> Floats:
    """The quantile of the values of each of `count` groups, (count,), the middle one of those equally good; 0 of none.

    >>> group_quantiles(np.array([3.0, 1.0, 2.0, 9.0, 5.0]), np.array([0, 0, 0, 0, 2]), 3, 0.5, None)
    array([2.5, 0. , 5. ])
    """
    order = np.lexsort((values, group))
    ranked, own, w = values[order], group[order], given_or_ones(weight, len(values))[order]
    ends = np.searchsorted(own, np.arange(count), side="right")
    starts = np.concatenate([[0], ends[:-1]])
    below = np.concatenate([[0.0], np.cumsum(w)])
    total = below[ends] - below[starts]
    found = np.zeros(count)
    known = ends > starts
    aim, slack = below[starts] + share * total, _TIED * total
    places = [
        np.clip(np.searchsorted(below[1:], aim + s), starts, np.maximum(ends - 1, 0))[known] for s in (-slack, slack)
    ]
    found[known] = 0.5 * (ranked[places[0]] + ranked[places[1]])
    return found
