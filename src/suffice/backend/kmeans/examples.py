"""Arguments to try the operations of k-means with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from ..sparse.examples import csr
from . import BoundedRows, dense


def nearest(case: Case) -> Iterator[Arguments]:
    """One centre and several."""
    rng = case.rng()
    for k in (1, 3, 20):
        yield case.rows(rng), rng.normal(1, 2, (k, case.d)), rng.normal(size=case.d)
        yield csr(case, rng), rng.normal(0, 1, (k, case.d)), rng.normal(size=case.d)


labels_only = distances = nearest


def assign(case: Case) -> Iterator[Arguments]:
    """With and without weights."""
    for arguments in nearest(case):
        yield arguments
        yield *arguments, case.weight(case.rng())


sums = assign


def seeds(case: Case) -> Iterator[Arguments]:
    """Drawn seeds, and the farthest rows."""
    rng = case.rng()
    if not case.n:
        return
    k = min(5, case.n)
    yield case.rows(rng), None, rng.random((k, 3))
    yield case.rows(rng), case.weight(rng) + 1, rng.random((k, 3))
    yield case.rows(rng), None, rng.random((k, 1)), True


def swaps(case: Case) -> Iterator[Arguments]:
    """Two centres and several, of which some are far from all rows."""
    rng = case.rng()
    for k in (2, 3, 20) if case.n else ():
        yield case.rows(rng), rng.normal(1, 4, (k, case.d)), rng.random(6)


def update(case: Case) -> Iterator[Arguments]:
    """Centres of which one has no rows. The sums are always contiguous doubles."""
    rng = case.rng()
    mass, shift = np.array([2.0, 0.0, 5.0]), rng.normal(size=case.d)
    sums = rng.normal(size=(3, case.d)) * mass[:, None]
    yield sums, mass, rng.normal(size=(3, case.d)), shift, 100.0 + float(np.sum(sums**2))


def bounded_round(case: Case) -> Iterator[Arguments]:
    """A first round."""
    rng = case.rng()
    centres, shift = rng.normal(1, 2, (3, case.d)), rng.normal(size=case.d)
    for X in (case.rows(rng), csr(case, rng)):
        total = float(np.sum((dense(X) - shift) ** 2))
        yield BoundedRows(X, None, shift, total, 3), centres, np.zeros(3)
