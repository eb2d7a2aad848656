"""Weights of rows, and numbers as the kernels take them."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_ONE_BY_ONE = 1 << 24  # draws that are made in turn
_COUNTED = 1 << 62  # draws whose counts are whole numbers of 64 bits


def given_or_ones(weight: Any, n: int) -> NDArray[np.float64]:
    """The weights (n,), 1 for each row where none were given.

    >>> given_or_ones(None, 2).tolist()
    [1.0, 1.0]
    """
    return np.ones(n) if weight is None else weight


def weighted_sum(weight: NDArray[np.float64], values: ArrayLike) -> float:
    """Σ w v of one number a row, without the threads of BLAS, which wait for each other on a busy machine.

    >>> weighted_sum(np.array([1.0, 2.0]), [True, False])
    1.0
    """
    return float(np.sum(weight * np.asarray(values)))


class RunningMass:
    """Rows drawn with probability proportional to their mass, by its running sums in row order.

    A row of mass 3 and three such rows of mass 1 in its place are drawn by the same random number. Rows without mass
    are never drawn.

    >>> RunningMass(np.array([0.0, 1.0, 3.0, 0.0])).rows(np.array([0.0, 0.2, 0.3, 1.0]))
    array([1, 1, 2, 2])
    """

    def __init__(self, mass: NDArray[np.floating]) -> None:
        self.sums = np.cumsum(mass)
        self.total = float(self.sums[-1])
        self._last = int(np.searchsorted(self.sums, self.total))  # of the rows that have mass

    def rows(self, uniform: NDArray[np.float64]) -> NDArray[np.intp]:
        """A row for each number in [0, 1)."""
        return np.minimum(np.searchsorted(self.sums, uniform * self.total, side="right"), self._last)

    def draw(self, rng: np.random.Generator) -> int:
        """One row."""
        return int(self.rows(rng.random(1))[0])

    def times(self, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """How often each row is among so many that are drawn, (n,); of very many, by their counts at once.

        >>> RunningMass(np.array([0.0, 1.0, 3.0])).times(10**15, np.random.default_rng(0)).round(-8)
        array([0.0e+00, 2.5e+14, 7.5e+14])
        """
        n = len(self.sums)
        if size <= _ONE_BY_ONE:
            return np.bincount(self.rows(rng.random(size)), minlength=n).astype(np.float64)
        share = np.diff(self.sums, prepend=0.0) / self.total
        if size <= _COUNTED:
            return rng.multinomial(size, share).astype(np.float64)
        return share * float(size)  # which chance would hardly move


class EqualMass:
    """The same for n rows of mass 1.

    >>> EqualMass(4).rows(np.array([0.0, 0.3, 1.0]))
    array([0, 1, 3])
    """

    def __init__(self, n: int) -> None:
        self.total = float(n)

    def rows(self, uniform: NDArray[np.float64]) -> NDArray[np.intp]:
        """A row for each number in [0, 1)."""
        return np.minimum((uniform * self.total).astype(np.intp), int(self.total) - 1)

    def draw(self, rng: np.random.Generator) -> int:
        """One row."""
        return int(self.rows(rng.random(1))[0])


Mass = RunningMass | EqualMass


def running_mass(weight: NDArray[np.floating] | None, n: int) -> Mass:
    """What draws from n rows by weight; equal weights need no running sums."""
    return EqualMass(n) if weight is None else RunningMass(weight)


@overload
def doubles(values: None) -> None: ...
@overload
def doubles(values: ArrayLike) -> NDArray[np.float64]: ...
def doubles(values: ArrayLike | None) -> NDArray[np.float64] | None:
    """The values as contiguous doubles, not copied where they are so already; None stays None.

    >>> doubles([1, 2])
    array([1., 2.])
    """
    return None if values is None else np.ascontiguousarray(values, dtype=np.float64)


@cache
def small_factorials() -> NDArray[np.float64]:
    """log 0!, log 1!, …, as long a table as fits into the first cache.

    >>> small_factorials()[:3].round(3).tolist()
    [0.0, 0.0, 0.693]
    """
    return np.array([math.lgamma(x + 1) for x in range(1024)])
