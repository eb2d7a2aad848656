"""Scores of rows that were left out, and what follows from their order for a new row.

A new row that is drawn as these are has a score of any rank alike. So its score is at most the smallest s with
Σ w [S ≤ s] ≥ level · (Σ w + 1) with probability `level` at least: the one more is the new row itself. Where scores come
from several fits, that of the new row is taken by each of them and compared with those of the rows that fit left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...holds import floats, integers, require
from ...registry import registered
from ...typing import Flags, Floats, Whole

_ROUNDING = 1e-12
_HALVINGS = 2000  # more than enough for any two doubles


@registered("result/ConformalScores")
@dataclass(frozen=True, eq=False)
class ConformalScores:
    """Scores (n,) with weights, sorted within groups; group g has those from `starts[g]` on. (groups + 1,)."""

    scores: Floats
    weight: Floats
    starts: Whole

    holds: ClassVar = {
        "scores": floats("n", finite=False),
        "weight": floats("n", above=0),
        "starts": integers(None, at_least=0),
    }

    def check_loaded(self) -> None:
        ends = len(self.starts) > 1 and self.starts[0] == 0 and self.starts[-1] == len(self.scores)
        require(ends and np.all(np.diff(self.starts) >= 0), "starts must cut the scores in groups")
        require(not np.isnan(self.scores).any(), "scores must be numbers")
        sorted_ = np.diff(self.scores) >= 0
        sorted_[self.starts[1:-1][(self.starts[1:-1] > 0) & (self.starts[1:-1] < len(self.scores))] - 1] = True
        require(bool(np.all(sorted_)), "scores must be sorted within groups")

    @classmethod
    def of(cls, scores: Floats, weight: Floats, group: Whole, groups: int) -> ConformalScores:
        """Scores of rows with the group of each."""
        order = np.lexsort((scores, group))
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=groups))])
        return cls(scores[order], weight[order], starts.astype(np.int64))

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    def total(self, groups: Whole | None = None) -> float:
        """What the scores of some groups weigh, or of all."""
        some = range(self.groups) if groups is None else groups
        return float(sum(self.weight[self.starts[g] : self.starts[g + 1]].sum() for g in some))

    def mass(self, group: int, at: Floats, below: bool = False) -> Floats:
        """The weight of the scores of a group that are at most so large, or smaller."""
        own = slice(self.starts[group], self.starts[group + 1])
        sums = np.concatenate([[0.0], np.cumsum(self.weight[own])])
        return np.asarray(sums[np.searchsorted(self.scores[own], at, side="left" if below else "right")])

    def upper(self, centre: Floats, scale: Floats, level: float) -> Floats:
        """The smallest t, (m,), with Σ w [S ≤ (t − centre) / scale] ≥ level · (Σ w + 1), each group by its own column.

        Infinite where there are too few scores. `centre` and `scale` are (m, groups).
        """
        needed = level * (self.total() + 1) * (1 - _ROUNDING)
        if needed > self.total():
            return np.full(len(centre), np.inf)
        known = [g for g in range(self.groups) if self.starts[g] < self.starts[g + 1]]
        ends = [
            (centre[:, g] + scale[:, g] * self.scores[self.starts[g]], centre[:, g] + scale[:, g] * self._last(g))
            for g in known
        ]
        low = np.min([first for first, _ in ends], axis=0)
        low, high = np.nextafter(low, -np.inf), np.max([last for _, last in ends], axis=0)
        for _ in range(_HALVINGS):
            middle = low + (high - low) / 2
            if np.all((middle <= low) | (middle >= high)):
                break
            enough = self._mass_at(middle, centre, scale, known) >= needed
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.asarray(high)

    def _last(self, group: int) -> float:
        return float(self.scores[self.starts[group + 1] - 1])

    def _mass_at(self, t: Floats, centre: Floats, scale: Floats, known: list[int]) -> Floats:
        return np.asarray(np.sum([self.mass(g, (t - centre[:, g]) / scale[:, g]) for g in known], axis=0))

    def holds_class(self, scores: Floats, groups: Whole, level: float) -> Flags:
        """Whether candidates with these scores, (m, groups), are not less usual than the level allows, (m,)."""
        total = self.total(groups)
        below = np.sum([self.mass(int(g), scores[:, i], below=True) for i, g in enumerate(groups)], axis=0)
        return np.asarray(below < level * (total + 1) * (1 - _ROUNDING))
