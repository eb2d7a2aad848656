"""Arguments to try inverted lists with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from ..sparse.examples import csr
from . import Inverted


def nearest(case: Case) -> Iterator[Arguments]:
    """Some queries are rows themselves. Distances of sparse rows are in double precision."""
    rng = case.rng()
    X, Q = csr(Case(case.n, case.d), rng), csr(Case(6, case.d), rng)
    squared, own = (np.asarray((rows * rows).sum(axis=1)) for rows in (Q, X))
    if case.n:
        yield Q, squared, Inverted.of(X, own), 3
        yield X, own, Inverted.of(X, own), 2


def within(case: Case) -> Iterator[Arguments]:
    """A radius with some rows in it."""
    for Q, squared, index, _ in nearest(case):
        yield Q, squared, index, 2.5
