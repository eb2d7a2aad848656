"""Splits by time: what comes later is predicted from what came before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from ..data.rows import is_gap
from ..errors import InvalidData, InvalidParameter
from ..typing import TargetLike
from .partition import Split


@dataclass(frozen=True, eq=False)
class Forward:
    """k blocks of rows, each later than the one before and tested once after a fit to all rows before it.

    `time` says when each row was, (n,), in numbers, dates or texts that sort; by default rows are in the order of time.
    The k + 1 blocks have about as many rows each, and the first is only learned from. Rows of one time stay together.

    >>> [(train.tolist(), test.tolist()) for train, test in Forward(2).split(np.zeros(6))]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """

    k: int = 5
    time: TargetLike = None

    def split(self, X: object, y: object = None, groups: object = None, owner: str = "Forward") -> list[Split]:
        """Pairs of the rows to learn from and the rows to test on, in the order of time."""
        n = len(X)  # type: ignore[arg-type]
        if not isinstance(self.k, Integral) or isinstance(self.k, bool) or self.k < 1:
            raise InvalidParameter(f"{owner}: k of Forward must be an integer, at least 1; got {self.k!r}.")
        order, starts = self._ordered(n, owner)
        if len(starts) < self.k + 1:
            raise InvalidData(
                f"{owner}: {self.k} blocks after a first one need at least {self.k + 1} different times; there are "
                f"{len(starts)}."
            )
        cuts = [*_cuts(starts, n, self.k), n]
        return [(np.sort(order[:a]), np.sort(order[a:b])) for a, b in pairwise(cuts)]

    def _ordered(self, n: int, owner: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows in the order of time, and where a new time begins among them."""
        if self.time is None:
            return np.arange(n), np.arange(n)
        time = np.asarray(self.time)
        if time.shape != (n,):
            raise InvalidData(f"{owner}: time must hold a time for each of {n} rows; got shape {time.shape}.")
        missing = np.isnat(time) if time.dtype.kind in "mM" else np.array([is_gap(one) for one in time.tolist()])
        if missing.any():
            row = int(np.argmax(missing))
            raise InvalidData(f"{owner}: the time of row {row} is missing; leave such rows out.")
        try:
            codes = np.unique(time, return_inverse=True)[1]
        except TypeError:
            raise InvalidData(f"{owner}: time must hold numbers, dates or texts, all of one type.") from None
        order = np.argsort(codes, kind="stable")
        return order, np.flatnonzero(np.diff(codes[order], prepend=-1))


def _cuts(starts: NDArray[np.int64], n: int, k: int) -> list[int]:
    """Where the k tested blocks begin: at the starts of times next to equal shares of the rows, all different."""
    cuts: list[int] = []
    first = 1  # among the starts; before it nothing could be learned from
    for i in range(k):
        wanted = (i + 1) * n / (k + 1)
        last = len(starts) - (k - i)  # leaves a time for each block to come
        near = int(np.argmin(np.abs(starts[first : last + 1] - wanted))) + first
        cuts.append(int(starts[near]))
        first = near + 1
    return cuts


def by_time(splits: object, time: TargetLike, X: object, owner: str) -> object:
    """The splits that are wanted, forward in time where there is one: values, or the name of a column of X."""
    if time is None:
        return splits
    if splits is not None and (not isinstance(splits, Integral) or isinstance(splits, bool)):
        raise InvalidParameter(
            f"{owner}: with a time, splits must be a number of blocks; got {splits!r}. Rows of another kind of split "
            "would be predicted from later ones."
        )
    found = column_of_times(X, time, owner) if isinstance(time, str) else time
    return Forward(5 if splits is None else int(splits), found)


def column_of_times(X: object, name: str, owner: str) -> TargetLike:
    """A column of a frame."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or name not in frame.columns:
        raise InvalidData(f"{owner}: time names the column {name!r}, which X has not; give the times themselves.")
    return frame[name].to_numpy()
