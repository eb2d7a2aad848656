"""Stresses of a map, and how majorisation lowers them (de Leeuw, 1977; Guttman, 1968)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...backend import scaling
from ...backend.distances import Term, condensed
from ...engine import Step
from ...typing import Floats, Whole
from .pairs import Pairs

_BEYOND = 1.8  # a step goes so many times as far as Guttman's transform does: below 2 the stress still falls
_EQUAL = 1e-12  # as a share of them: no farther apart are two dissimilarities that rounding alone tells apart
_DISTANCE = Term("squared", "root")


class Standing(NamedTuple):
    """Points (m, k), their stress, Σ w d², and the points that Guttman's transform makes of them."""

    points: Floats
    stress: float  # the objective
    raw: float
    squares: float
    transformed: Floats
    disparity: Floats  # (pairs,)

    @property
    def stress_1(self) -> float:
        """The root of the raw stress as a share of Σ w d²."""
        return float(np.sqrt(self.raw / self.squares)) if self.squares > 0 else 0.0


def stresses(pairs: Pairs, points: Floats) -> tuple[float, float]:
    """Stress-1 and the raw stress of points as they are."""
    found = scaling.guttman(points, pairs.delta, pairs.weight, pairs.mass)
    return float(np.sqrt(found.stress / found.squares)) if found.squares > 0 else 0.0, found.stress


@dataclass(frozen=True)
class Stress:
    """The raw stress Σ w (δ − d)² by the pairs; with `relative` its share of Σ w δ², as Sammon's stress is given."""

    pairs: Pairs
    relative: bool = False

    def at(self, points: Floats) -> Standing:
        """Where points stand, stretched to the size of least stress."""
        pairs = self.pairs
        found = scaling.guttman(points, pairs.delta, pairs.weight, pairs.mass)
        common = (self.whole + found.squares - found.stress) / 2  # Σ w δ d
        stretch = common / found.squares if found.squares > 0 else 1.0
        raw = max(found.stress - (1 - stretch) ** 2 * found.squares, 0.0)
        objective = raw / (self.whole or 1.0) if self.relative else raw * pairs.scale
        squares = found.squares * stretch**2
        return Standing(points * stretch, objective, raw, squares, pairs.solved(found.product), pairs.delta)

    @cached_property
    def whole(self) -> float:
        """Σ w δ²."""
        return float(self.pairs.counts @ self.pairs.delta**2)

    def step(self, now: Standing, eps: float) -> Step[Standing]:
        """One iteration; the last one where the stress falls by less than `eps` of the squared distances."""
        moved = now.points + _BEYOND * (now.transformed - now.points)
        after = self.at(moved)
        if after.raw > now.raw:  # to rounding
            after = now
        fall = (now.raw - after.raw) / after.squares if after.squares > 0 else 0.0
        return Step(after, after.stress, done=fall < eps)


@dataclass(frozen=True)
class RankStress(Stress):
    """Kruskal's stress-1, √(Σ w (d̂ − d)² / Σ w d²), with d̂ the rising function of the δ that is nearest to the d."""

    keep_ties: bool = False

    def at(self, points: Floats) -> Standing:
        pairs, distance = self.pairs, condensed(points, _DISTANCE, points.dtype)
        own = distance if self._is_whole else distance[self._known]
        fitted = scaling.isotonic(own, *self._order, self._counts, self.keep_ties)
        squares, of_fitted, raw = self._sum_of(own), self._sum_of(fitted), self._sum_of(own - fitted)
        fitted *= squares / of_fitted if of_fitted > 0 else 1.0  # so long that no stretch helps
        disparity = fitted if self._is_whole else np.zeros_like(distance)
        if not self._is_whole:
            disparity[self._known] = fitted
        found = scaling.guttman(points, disparity, pairs.weight, pairs.mass)
        stress = float(np.sqrt(raw / squares)) if squares > 0 else 0.0
        return Standing(points, stress, stress**2, 1.0, pairs.solved(found.product), disparity)

    def _sum_of(self, distance: Floats) -> float:
        """The sum of squares by what the known pairs count."""
        counts = self._counts
        return float(distance @ distance if counts is None else counts @ distance**2)

    @cached_property
    def _known(self) -> Whole:
        """The pairs that are known."""
        weight = self.pairs.weight
        return np.arange(len(self.pairs.delta)) if weight is None else np.flatnonzero(weight > 0)

    @cached_property
    def _is_whole(self) -> bool:
        """Whether all pairs are known."""
        return len(self._known) == len(self.pairs.delta)

    @cached_property
    def _counts(self) -> Floats | None:
        """What each known pair counts; None: all the same."""
        counts = self.pairs.counts[self._known]
        return None if np.all(counts == 1) else counts

    @cached_property
    def _order(self) -> tuple[Whole, Whole]:
        """The order of the known pairs by dissimilarity, and where each tie ends."""
        delta = self.pairs.delta[self._known]
        order = np.argsort(delta, kind="stable")
        last = np.append(np.diff(delta[order]) > _EQUAL * delta[order][1:], True)[: len(order)]
        return order.astype(np.int64), (np.flatnonzero(last) + 1).astype(np.int64)

    @cached_property
    def total(self) -> float:
        """What all pairs count."""
        return float(self.pairs.counts.sum())

    def size_of(self, points: Floats) -> float:
        """What points are times, so that the mean square of their distances is 1: the stress has no size of its own."""
        squares = float(self.pairs.counts @ condensed(points, _DISTANCE, points.dtype) ** 2)
        return float(np.sqrt(self.total / squares)) if squares > 0 else 1.0

    def rise(self, disparity: Floats) -> tuple[Floats, Floats]:
        """The corners of the rising function: dissimilarities, as shares of the largest, and disparities."""
        known, (order, ends) = self._known, self._order
        if not len(known):
            return np.zeros(1), np.zeros(1)
        delta = self.pairs.delta[known][order]
        values = disparity[known][order]
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        level = np.add.reduceat(values, starts) / (ends - starts)
        x = delta[starts]
        kept = np.ones(len(x), dtype=bool)
        kept[1:-1] = (level[1:-1] != level[:-2]) | (level[1:-1] != level[2:])
        return x[kept], np.maximum.accumulate(level[kept])
