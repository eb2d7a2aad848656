"""Arguments to try Shapley values with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from ..growth.values import CATEGORICAL, MISSING_LEFT, NODE, Forest

_DEPTH, _TREES = 4, 3


def contributions(case: Case) -> Iterator[Arguments]:
    """Full trees of random splits: numbers, sets of the last column, columns that decide twice, a node of no weight."""
    if case.d == 0:
        return
    rng = case.rng()
    size = 2 ** (_DEPTH + 1) - 1
    inner, words = 2**_DEPTH - 1, np.zeros(case.d, dtype=np.int64)
    words[-1] = 2 if case.d > 1 else 0
    nodes = np.zeros((_TREES, size), dtype=NODE)
    own = np.arange(size)
    column = rng.integers(0, case.d, (_TREES, size))
    is_set = (words[column] > 0) & (own < inner)
    sets = rng.integers(0, 2**63, 2 * _TREES * size, dtype=np.uint64)
    nodes["left"] = np.where(own < inner, 2 * own + 1, own)
    nodes["threshold"] = np.where(
        is_set, 2 * rng.integers(0, _TREES * size, (_TREES, size)), rng.normal(1, 2, (_TREES, size))
    )
    nodes["threshold"][:, inner:] = np.inf
    flags = MISSING_LEFT * (rng.random((_TREES, size)) < 0.5) + CATEGORICAL * is_set
    nodes["column"] = np.where(own < inner, 4 * column + flags, MISSING_LEFT)
    weight = rng.integers(0, 5, (_TREES, size)).astype(np.float64)
    forest = Forest(nodes.reshape(-1), size * np.arange(_TREES + 1), sets, words)
    values = rng.normal(1.0, 2.0, (case.n, case.d))
    values[:, -1] = rng.integers(-1, 140, case.n)
    values[rng.random(values.shape) < 0.1] = np.nan
    X = case.laid_out(values)
    for q in (1, 3):
        yield X, forest, weight.reshape(-1), rng.normal(size=(_TREES * size, q)), min(_DEPTH, case.d)
