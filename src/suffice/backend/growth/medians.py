"""The search of splits that lower absolute differences from medians, in plain NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats, Whole
from .scores import Node
from .search import Search


class MedianSearch(Search):
    """As `Search`, where the sums of some of a node's rows are their weights, in the order of each target in turn.

    Half of the weight is reached at the lower median, more than half at the upper one.
    """

    @property
    def _targets(self) -> range:
        return range((self.targets.k - 1) // 2)

    def _order(self, rows: Whole, c: int) -> Whole:
        """The rows of a node by target c."""
        return np.argsort(self.targets.sums[rows, 2 * c], kind="stable")

    def _sorted(self, rows: Whole, c: int, which: int) -> Whole:
        """The ranks (0) or the numbers (1) of target c in a node, by rank."""
        return np.asarray(self.targets.sums[rows[self._order(rows, c)], 2 * c + which])

    def each(self, rows: Whole) -> Whole:
        m = len(rows)
        found = np.zeros((m, len(self._targets) * m), dtype=np.int64)
        for c in self._targets:
            order = self._order(rows, c)
            found[order, c * m + np.arange(m)] = (self.targets.sums[rows, -1] * self.times[rows])[order]
        return found

    def sums(self, rows: Whole) -> Whole:
        weights = self.each(rows).sum(axis=0)[None]
        found = [self._sorted(rows, c, 0)[at[0]] for c in self._targets for at in _medians(self._of(weights, rows, c))]
        return np.array([*found, self._of(weights, rows, 0).sum()])

    def score(self, rows: Whole, node: Node) -> float:
        return float(self._scores(self.each(rows).sum(axis=0)[None], rows)[0])

    def _of(self, sums: Whole, rows: Whole, c: int) -> Whole:
        """The weights in the order of target c, (parts, m)."""
        return sums[:, c * len(rows) : (c + 1) * len(rows)]

    def _weights(self, sums: Whole) -> Floats:
        whole = sums.sum(axis=1) // len(self._targets)
        return np.asarray(whole.astype(np.float64) * self.targets.weight_unit)

    def _values(self, sums: Whole, rows: Whole, c: int = 0) -> Floats:
        targets = self._sorted(rows, c, 1).astype(np.float64)
        low, high = _medians(self._of(sums, rows, c))
        return np.asarray((targets[low] + targets[high]) / 2)

    def _scores(self, sums: Whole, rows: Whole) -> Floats:
        lost = np.zeros(len(sums))
        for c in self._targets:
            targets, weights = self._sorted(rows, c, 1), self._of(sums, rows, c)
            away = np.abs(targets - targets[_medians(weights)[0]][:, None]).astype(np.float64)
            lost += (away * weights).sum(axis=1)
        return np.asarray(-lost * self.targets.first_unit)

    def _ranks(self, sums: Whole, rows: Whole) -> Iterator[Floats]:
        for c in self._targets:
            yield self._values(sums, rows, c)


def _medians(weights: Whole) -> tuple[Whole, Whole]:
    """Where the lower and the upper median are, of weights (m, rows) in the order of targets."""
    so_far = np.cumsum(weights, axis=1)
    whole = so_far[:, -1:]
    low = (2 * so_far < whole).sum(axis=1)
    high = np.minimum((2 * so_far <= whole).sum(axis=1), weights.shape[1] - 1)
    return low, high
