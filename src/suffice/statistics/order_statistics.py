"""Values at given places of the sorted order, without sorting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..typing import Reals, Whole

_SORTED = 8192  # values: as many are sorted as fast as they are searched


def order_statistics(x: Reals, ranks: Whole) -> Reals:
    """The values that would stand at `ranks`, which rise, in sorted x, (n,), none of them NaN: Floyd and Rivest (1975).

    A sorted sample says between which two values those of a rank lie, nearly always; only the few between are selected
    from. Where the sample was wrong, from all.

    >>> order_statistics(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 2]))
    array([1., 3.])
    """
    if len(x) <= _SORTED:
        return np.asarray(np.sort(x)[ranks])
    found = np.empty(len(ranks), dtype=x.dtype)
    for own, low, high in _brackets(x, ranks):
        inside = x >= low
        places = ranks[own] - (len(x) - np.count_nonzero(inside))
        inside &= x <= high
        between = x[inside]
        if places[0] < 0 or places[-1] >= len(between):
            return np.asarray(np.partition(x, ranks)[ranks])
        found[own] = between[0] if low == high else np.partition(between, places)[places]
    return found


def _brackets(x: Reals, ranks: Whole) -> Iterator[tuple[slice, float, float]]:
    """The ranks in groups of neighbours, with a low and a high value between which those of a group probably lie."""
    n = len(x)
    sample = np.sort(x[:: int(n ** (1 / 3) / 4)])
    last = len(sample) - 1
    share = ranks / n
    slack = 2 + 3.5 * np.sqrt(len(sample) * share * (1 - share))  # in standard deviations of a rank in the sample
    lowest = np.maximum(len(sample) * share - slack, 0).astype(np.intp)
    highest = np.minimum(len(sample) * share + slack + 1, last).astype(np.intp)
    starts = np.flatnonzero(np.concatenate([[True], lowest[1:] > highest[:-1]]))
    for first, end in zip(starts, [*starts[1:], len(ranks)], strict=True):
        yield slice(first, end), sample[lowest[first]], sample[highest[end - 1]]
