"""Arguments to try the operations of maps with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case


def guttman(case: Case) -> Iterator[Arguments]:
    """With and without weights of pairs, some of them 0, and of points; two points are equal."""
    rng = case.rng()
    for k in (1, 2, 3, case.d):
        cells = rng.normal(size=(case.n, k))
        cells[1:2] = cells[:1]
        points, pairs = case.laid_out(cells), case.n * (case.n - 1) // 2
        target, weight, mass = rng.random(pairs), rng.integers(0, 3, pairs) / 2, 1 + rng.random(case.n)
        yield points, target
        yield points, target, weight
        yield points, target, None, mass
        yield points, target, weight, mass


def isotonic(case: Case) -> Iterator[Arguments]:
    """Values in a random order, with ties that may be broken or stay."""
    rng = case.rng()
    values = np.asarray(case.laid_out(rng.normal(size=(case.n, 1))))[:, 0]
    values[:3] = 0.0
    order = rng.permutation(case.n)
    ends = np.unique(np.append(rng.integers(1, case.n + 1, case.n // 3), case.n)) if case.n else np.empty(0, np.int64)
    for keep_ties in (False, True):
        yield values, order, ends.astype(np.int64), None, keep_ties
        yield values, order, ends.astype(np.int64), rng.random(case.n), keep_ties


def placed(case: Case) -> Iterator[Arguments]:
    """Rows around points, with weights of pairs, some of them 0, and without."""
    rng = case.rng()
    for k in (1, 2, 3):
        points = case.laid_out(3 * rng.normal(size=(case.n, k)))
        known = np.asarray(points, dtype=np.float64)
        truth, mass = rng.normal(size=(5, k)), 1 + rng.random(case.n)
        target = np.linalg.norm(truth[:, None] - known, axis=2) * (1 + 0.01 * rng.random((5, case.n)))
        starts = truth[:, None] + 0.05 * rng.normal(size=(5, 2, k))
        if case.n >= 30:  # few points leave a place undecided
            yield points, mass, target, starts
            yield points, mass, target, starts, rng.integers(0, 3, target.shape) / 2
