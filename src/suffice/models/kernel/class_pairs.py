"""Classes one against one: a programme for each pair, and votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...backend.smo import Programme
from ...typing import Codes, Floats, Reals, Whole


@dataclass(frozen=True)
class ClassPairs:
    """The pairs of k classes, the rows of each class, and what a row may cost, (n,)."""

    k: int
    rows: tuple[Whole, ...]
    cost: Floats

    @classmethod
    def of(cls, code: Codes, k: int, cost: Floats) -> ClassPairs:
        """By the code of each row's class, (n,)."""
        return cls(k, tuple(np.flatnonzero(code == c) for c in range(k)), cost)

    def __iter__(self) -> combinations[tuple[int, int]]:
        return combinations(range(self.k), 2)

    def programme(self, i: int, j: int) -> Programme:
        """½‖w‖² + Σ cost max(0, 1 − y (w·φ + b)): class i has y = 1, class j −1."""
        rows, first = np.concatenate([self.rows[i], self.rows[j]]), len(self.rows[i])
        high, sign = self.cost[rows], np.ones(len(rows))
        low = -high
        low[:first], high[first:], sign[first:] = 0.0, 0.0, -1.0
        return Programme(rows, sign, low, high, 0.0, len(rows))

    def programme_of_share(self, i: int, j: int) -> Programme:
        """The same with a share ν of errors instead: the sums of both classes stay, and nothing is linear."""
        one = self.programme(i, j)
        return Programme(one.rows, np.zeros(len(one)), one.low, one.high, 0.0, len(self.rows[i]))


def support_of(pairs: ClassPairs, a: Sequence[Floats]) -> tuple[Whole, Whole, Floats]:
    """The support vectors by class, (s,), how many each class has, (k,), and what they count, (k − 1, s).

    Row r of column s is what support vector s, of class c, counts in the decision between c and the r-th other class.
    """
    k, n = pairs.k, len(pairs.cost)
    counts = np.zeros((n, max(1, k - 1)))
    for (i, j), own in zip(pairs, a, strict=True):
        first = len(pairs.rows[i])
        counts[pairs.rows[i], j - 1] = own[:first]
        counts[pairs.rows[j], i] = own[first:]
    used = [rows[np.any(counts[rows] != 0, axis=1)] for rows in pairs.rows]
    support = np.concatenate(used)
    return support, np.array([len(rows) for rows in used]), np.ascontiguousarray(counts[support].T)


def decision_columns(dual: Floats, of_class: Whole) -> Floats:
    """What support vectors count in the decision of each pair, (s, pairs), from (k − 1, s) and (k,)."""
    k, ends = len(of_class), np.concatenate([[0], np.cumsum(of_class)])
    pairs = list(combinations(range(k), 2))
    found = np.zeros((dual.shape[1], len(pairs)))
    for p, (i, j) in enumerate(pairs):
        own, other = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        found[own, p], found[other, p] = dual[j - 1, own], dual[i, other]
    return found


def votes_of(decisions: Reals, k: int) -> Floats:
    """How many pairs each class wins, (n, k), by decisions (n, pairs), which are above 0 for the first class."""
    votes = np.zeros((len(decisions), k))
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        won = decisions[:, p] > 0
        votes[:, i] += won
        votes[:, j] += ~won
    return votes


def by_class(decisions: Reals, k: int) -> Floats:
    """Votes, and between classes of equally many the sum of their decisions, squeezed into (−1/3, 1/3), (n, k)."""
    total = np.zeros((len(decisions), k))
    for p, (i, j) in enumerate(combinations(range(k), 2)):
        total[:, i] += decisions[:, p]
        total[:, j] -= decisions[:, p]
    return np.asarray(votes_of(decisions, k) + total / (3 * (np.abs(total) + 1)))
