"""Shapley values of trees in plain NumPy: readable, and the definition of what the kernel computes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Flags, Floats, Reals, Whole
from ..growth.values import CATEGORICAL, MISSING_LEFT, Forest
from .rule import gauss

_Path = list[tuple[int, bool]]  # nodes above a leaf, and whether the way to it goes left of them


def contributions(X: Reals, forest: Forest, weight: Floats, value: Floats, most: int) -> Floats:
    """What each column adds to the sum of the values of a row's leaves, (n, d, q): its Shapley value.

    A row whose column is not known goes both ways, by the weights of the children. With o, whether a row takes all
    branches that a column decides on the way to a leaf, and z, the share of the weight that does, the column adds
    value · (o − z) · ∫ Π (o t + z (1 − t)) dt there, the product over the other columns of the way and the integral
    from 0 to 1. No way meets more than `most` columns.
    """
    rows = np.asarray(X, dtype=np.float64)
    found = np.zeros((*rows.shape, value.shape[1]))
    t, rule = gauss(most)
    for tree in range(forest.trees):
        first = int(forest.starts[tree])
        for leaf, path in _leaves(forest, first):
            columns, takes, share = _way(rows, forest, weight, first, path)  # (m,), (n, m), (m,)
            factor = takes[..., None] * t + share[:, None] * (1 - t)  # (n, m, points)
            for i, column in enumerate(columns.tolist()):
                others = np.delete(factor, i, axis=1).prod(axis=1) @ rule  # (n,)
                found[:, column] += np.outer((takes[:, i] - share[i]) * others, value[first + leaf])
    return found


def _leaves(forest: Forest, first: int) -> Iterator[tuple[int, _Path]]:
    """The leaves of a tree, each with the way to it."""
    open_: list[tuple[int, _Path]] = [(0, [])]
    while open_:
        at, path = open_.pop()
        left = int(forest.nodes["left"][first + at])
        if left == at:
            yield at, path
        else:
            open_ += [(left + 1, [*path, (at, False)]), (left, [*path, (at, True)])]


def _way(rows: Floats, forest: Forest, weight: Floats, first: int, path: _Path) -> tuple[Whole, Flags, Floats]:
    """The columns of a way, whether each row takes all branches of each, and the share of the weight that does."""
    columns = np.unique([int(forest.nodes["column"][first + at]) >> 2 for at, _ in path]).astype(np.int64)
    takes, share = np.ones((len(rows), len(columns)), dtype=bool), np.ones(len(columns))
    for at, is_left in path:
        node = forest.nodes[first + at]
        i = int(np.searchsorted(columns, int(node["column"]) >> 2))
        below = weight[first + int(node["left"]) : first + int(node["left"]) + 2]
        share[i] *= (below[0] if is_left else below[1]) / below.sum() if below.sum() > 0 else 0.5
        takes[:, i] &= _goes_left(rows[:, columns[i]], forest, node) == is_left
    return columns, takes, share


def _goes_left(x: Floats, forest: Forest, node: np.void) -> Flags:
    missing_left = bool(int(node["column"]) & MISSING_LEFT)
    if not int(node["column"]) & CATEGORICAL:
        return np.where(np.isnan(x), missing_left, x <= node["threshold"])
    words = int(forest.words[int(node["column"]) >> 2])
    seen = (x >= 0) & (x < 64 * words)
    code = np.where(seen, x, 0).astype(np.uint64)
    word = forest.sets[int(node["threshold"]) + (code >> np.uint64(6)).astype(np.int64)]
    return np.where(seen, (word >> (code & np.uint64(63))) & np.uint64(1), missing_left).astype(bool)
