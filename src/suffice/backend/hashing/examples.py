"""Arguments to try hash tables with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from . import Hashing, HashTables


def _hashings(case: Case, rng: np.random.Generator) -> Iterator[Hashing]:
    """Signs, and cells."""
    for by_sign in (True, False):
        directions, offsets = rng.normal(size=(case.d, 3 * 4)), np.zeros(12) if by_sign else rng.random(12)
        yield Hashing(directions, offsets, np.zeros(case.d), by_sign, 4, 4)


def buckets(case: Case) -> Iterator[Arguments]:
    """Projections of three tables; always in single precision."""
    rng = case.rng()
    for hashing in _hashings(case, rng):
        yield case.layout(rng.normal(0, 3, (case.n, 12)).astype(np.float32)), hashing


def nearest(case: Case) -> Iterator[Arguments]:
    """Few probes and many; the rows that are searched are contiguous."""
    rng = case.rng()
    for hashing in _hashings(case, rng):
        if case.n:
            tables = HashTables.of(hashing, case.rows(rng))
            Q = rng.normal(1.0, 2.0, (5, case.d))
            single = hashing.single(Q)
            for probes in (3, 7, 40):
                yield Q, single, hashing.projected(single), tables, 4, probes


def within(case: Case) -> Iterator[Arguments]:
    """A radius with some rows in it."""
    for Q, single, projected, tables, _, probes in nearest(case):
        yield Q, single, projected, tables, 6.0 * case.d, probes
