"""Folds as the fold of each row: the rows to learn from are made when they are needed, not kept for every fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from ..typing import Whole

Split = tuple[Whole, Whole]  # the rows to learn from, the rows to test on


@dataclass(frozen=True, eq=False)
class AllBut:
    """All of n rows but some.

    >>> AllBut(4, np.array([1])).made(), len(AllBut(4, np.array([1])))
    (array([0, 2, 3]), 3)
    """

    n: int
    rows: Whole

    def __len__(self) -> int:
        return self.n - len(self.rows)

    def made(self) -> Whole:
        """The rows, (n − len(rows),)."""
        left = np.ones(self.n, dtype=bool)
        left[self.rows] = False
        return np.flatnonzero(left)


@dataclass(frozen=True, eq=False)
class Partition(Sequence[Split]):
    """Splits that test every row once in each repetition: `folds` has the fold of each row, (n,), of every repetition.

    >>> halves = Partition((np.array([0, 1, 1]),))
    >>> len(halves), [test.tolist() for _, test in halves], halves[1][0].tolist()
    (2, [[0], [1, 2]], [0])
    """

    folds: tuple[Whole, ...]

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The repetition and the fold of each split."""
        counts = [int(fold.max()) + 1 for fold in self.folds]
        return tuple((repetition, fold) for repetition, k in enumerate(counts) for fold in range(k))

    @cached_property
    def _order(self) -> tuple[Whole, Whole]:
        """The rows of all splits one after the other, and where each begins, with the end."""
        order = [np.argsort(fold, kind="stable") for fold in self.folds]
        sizes = np.concatenate([np.bincount(fold) for fold in self.folds])
        return np.concatenate(order), np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def _count(self) -> int:
        return sum(int(fold.max()) + 1 for fold in self.folds)

    def __len__(self) -> int:
        return self._count

    def test(self, at: int) -> Whole:
        """The rows that a split tests on."""
        order, starts = self._order
        place = range(self._count)[at]
        return order[starts[place] : starts[place + 1]]

    @overload
    def __getitem__(self, at: int) -> Split: ...
    @overload
    def __getitem__(self, at: slice) -> list[Split]: ...
    def __getitem__(self, at: int | slice) -> Split | list[Split]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        test = self.test(at)
        return AllBut(len(self.folds[0]), test).made(), test

    @property
    def least(self) -> int:
        """The rows of the smallest fold."""
        return min(int(np.bincount(fold).min()) for fold in self.folds)


def partition_of(splits: Sequence[Split], n: int) -> Partition | None:
    """The splits as folds; None unless the rows tested on part the table again and again, and all others are learned
    from.

    >>> rows = np.arange(4)
    >>> partition_of([(rows[2:], rows[:2]), (rows[:2], rows[2:])], 4).folds
    (array([0, 0, 1, 1]),)
    """
    if isinstance(splits, Partition):
        return splits
    folds: list[Whole] = []
    left = 0  # the rows without a fold in the last repetition
    number = 0
    for train, test in splits:
        if left == 0:
            folds.append(np.full(n, -1))
            left, number = n, 0
        own = folds[-1]
        if len(train) + len(test) != n or (own[test] >= 0).any() or not _are_distinct(train, test, n):
            return None
        own[test] = number
        left, number = left - len(test), number + 1
    return Partition(tuple(folds)) if left == 0 and all(fold.max() > 0 for fold in folds) else None


def _are_distinct(train: Whole, test: Whole, n: int) -> bool:
    """Whether two parts of n rows hold each of them once."""
    seen = np.zeros(n, dtype=bool)
    seen[train] = True
    seen[test] = True
    return bool(seen.all())
