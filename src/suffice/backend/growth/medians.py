"""The search of splits that lower absolute differences from medians, in plain NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats, Whole
from .scores import Node
from .search import Search


class MedianSearch(Search):
    """As `Search`, where the sums of some of a node's rows are their weights, in the order of all its targets.

    Half of the weight is reached at the lower median, more than half at the upper one.
    """

    def each(self, rows: Whole) -> Whole:
        order = np.argsort(self.targets.sums[rows, 0], kind="stable")
        found = np.zeros((len(rows), len(rows)), dtype=np.int64)
        found[order, np.arange(len(rows))] = (self.targets.sums[rows, 2] * self.times[rows])[order]
        return found

    def sums(self, rows: Whole) -> Whole:
        weights = self.each(rows).sum(axis=0)[None]
        low, high = (self._sorted(rows, 0)[at[0]] for at in _medians(weights))
        return np.array([low, high, weights.sum()])

    def score(self, rows: Whole, node: Node) -> float:
        return float(self._scores(self.each(rows).sum(axis=0)[None], rows)[0])

    def _sorted(self, rows: Whole, which: int) -> Whole:
        """The ranks or the targets of a node, by rank."""
        return np.asarray(self.targets.sums[rows[np.argsort(self.targets.sums[rows, 0], kind="stable")], which])

    def _weights(self, sums: Whole) -> Floats:
        return np.asarray(sums.sum(axis=1).astype(np.float64) * self.targets.weight_unit)

    def _values(self, sums: Whole, rows: Whole) -> Floats:
        targets = self._sorted(rows, 1).astype(np.float64)
        low, high = _medians(sums)
        return np.asarray((targets[low] + targets[high]) / 2)

    def _scores(self, sums: Whole, rows: Whole) -> Floats:
        targets = self._sorted(rows, 1)
        away = np.abs(targets - targets[_medians(sums)[0]][:, None]).astype(np.float64)
        return np.asarray(-(away * sums).sum(axis=1) * self.targets.first_unit)

    def _ranks(self, sums: Whole, rows: Whole) -> Iterator[Floats]:
        yield self._values(sums, rows)


def _medians(weights: Whole) -> tuple[Whole, Whole]:
    """Where the lower and the upper median are, of weights (m, rows) in the order of targets."""
    so_far = np.cumsum(weights, axis=1)
    whole = so_far[:, -1:]
    low = (2 * so_far < whole).sum(axis=1)
    high = np.minimum((2 * so_far <= whole).sum(axis=1), weights.shape[1] - 1)
    return low, high
