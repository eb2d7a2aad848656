"""Where a column is cut into bins: at equal widths, at equal weights, or where the classes change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ...statistics.order_statistics import order_statistics
from ...statistics.sorted_values import SortedValues
from ...typing import Floats, Reals, Whole

_BLOCK_CELLS = 1 << 18  # cells of some columns copied together: two megabytes


def at_equal_widths(low: float, high: float, bins: int) -> Floats:
    """The inner edges of bins of equal width from the lowest to the highest value."""
    return np.linspace(low, high, bins + 1)[1:-1]


def at_equal_weights(at: Reals, weights: Floats, bins: int) -> Floats:
    """The inner edges between bins of about equal weight: quantiles of sorted values, two averaged where both are met.

    >>> at_equal_weights(np.array([1.0, 2.0, 5.0]), np.array([1.0, 1.0, 2.0]), 2)
    array([3.5])
    """
    below = np.cumsum(weights)
    wanted, slack = _shares(bins) * below[-1], 1e-12 * below[-1]
    lower, upper = (np.minimum(np.searchsorted(below, wanted + side), len(at) - 1) for side in (-slack, slack))
    return np.asarray(at[lower] / 2 + at[upper] / 2, dtype=np.float64)


def at_equal_weights_of_rows(X: Reals, weight: Floats | None, bins: Sequence[int]) -> Iterator[Floats]:
    """The same inner edges of every column of rows in memory, exactly, however many values there are."""
    n, d = X.shape
    step = max(8, _BLOCK_CELLS // n)  # columns beside one another share what the processor reads
    for first in range(0, d, step):
        block = np.ascontiguousarray(X[:, first : first + step].T)  # (columns, n)
        holes = np.asarray(np.isnan(block).any(axis=1))  # (columns,)
        for column, own_bins, has_holes in zip(block, bins[first : first + step], holes, strict=True):
            known = ~np.isnan(column) if has_holes else slice(None)
            yield _of_column(column[known], None if weight is None else weight[known], own_bins)


def _of_column(x: Reals, weight: Floats | None, bins: int) -> Floats:
    if weight is not None:
        order = np.argsort(x)
        return at_equal_weights(x[order], weight[order], bins)
    ends = order_statistics(x, _ranks(len(x), bins)).astype(np.float64, copy=False)
    return np.asarray(ends[::2] / 2 + ends[1::2] / 2)


@lru_cache(64)
def _ranks(n: int, bins: int) -> Whole:
    """Between which of n sorted values each quantile lies: two places, mostly the same, (2 · (bins − 1),)."""
    wanted = _shares(bins) * n
    ends = np.column_stack([wanted - 1e-12 * n, wanted + 1e-12 * n])
    return (np.clip(np.ceil(ends), 1, n) - 1).astype(np.int64).reshape(-1)


def _shares(bins: int) -> Floats:
    """The shares of the weight below the inner edges."""
    return np.linspace(0, 1, bins + 1)[1:-1]


def by_entropy(parts: tuple[SortedValues, ...]) -> Floats:
    """The cuts of a column, of which there is one part a class, that tell the classes: Fayyad and Irani (1993).

    A cut is made where the entropy of the classes on both sides, by weight, is least, and each side is cut again, as
    long as that shortens the description of the classes: gain > (log₂(N − 1) + log₂(3ᵏ − 2) − kE + k₁E₁ + k₂E₂) / N.

    >>> parts = tuple(SortedValues.of(np.array(x)) for x in ([1.0, 2.0, 3.0, 4.0], [6.0, 7.0, 8.0, 9.0]))
    >>> by_entropy(parts)
    array([5.])
    """
    held = [part.in_order() for part in parts]
    values = np.unique(np.concatenate([at for at, _ in held]))
    counts = np.zeros((len(values), len(parts)))
    for k, (at, weights) in enumerate(held):
        counts[np.searchsorted(values, at), k] = weights
    cuts: list[float] = []
    waiting = [(0, len(values))]
    while waiting:
        first, end = waiting.pop()
        place = _best_cut(counts[first:end])
        if place is not None:
            below, above = values[first + place - 1], values[first + place]
            middle = below / 2 + above / 2
            cuts.append(float(middle if middle > below else above))
            waiting += [(first, first + place), (first + place, end)]
    return np.sort(np.array(cuts))


def _best_cut(counts: Floats) -> int | None:
    """How many of the values, (m, k) by class, lie below the best cut; None where no cut is worth it."""
    if len(counts) < 2:
        return None
    left = np.cumsum(counts, axis=0)
    total, left = left[-1], left[:-1]  # (k,), (m − 1, k)
    right = np.maximum(total - left, 0.0)
    n = float(total.sum())
    cost = (left.sum(axis=1) * _entropy(left) + right.sum(axis=1) * _entropy(right)) / n
    place = int(np.argmin(cost))
    sides = (total, left[place], right[place])
    classes = [int(np.count_nonzero(side > 1e-12 * n)) for side in sides]
    entropies = [float(_entropy(side[None])[0]) for side in sides]
    parts = [k * e for k, e in zip(classes, entropies, strict=True)]
    words = np.log2(3.0 ** classes[0] - 2) - parts[0] + parts[1] + parts[2]
    worth = n > 1 and entropies[0] - cost[place] > (np.log2(n - 1) + words) / n
    return place + 1 if worth else None


def _entropy(counts: Floats) -> Floats:
    """−Σ p log₂ p of each row, (m,)."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    return np.asarray(-np.sum(shares * np.log2(np.where(shares > 0, shares, 1.0)), axis=1))
