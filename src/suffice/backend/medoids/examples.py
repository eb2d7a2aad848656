"""Arguments to try the operations of k-medoids with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats
from ..examples import Arguments, Case
from . import Search


def _matrix(case: Case) -> Floats:
    """Dissimilarities without ties."""
    half = case.rng().random((case.n, case.n))
    D = half + half.T
    np.fill_diagonal(D, 0.0)
    return D


def fault(case: Case) -> Iterator[Arguments]:
    """A sound matrix, one with a negative cell, and one that is not symmetric."""
    for at, value in ((None, 0.0), (2, -1.0), (1, 100.0)):
        D = _matrix(case)
        if at is not None and case.n > 3:
            D[at, 3] = value
        yield case.laid_out(D), 1e-6


def build(case: Case) -> Iterator[Arguments]:
    """One medoid and several, with and without weights."""
    for k in (1, 4):
        if case.n >= k:
            yield case.laid_out(_matrix(case)), None, k
            yield case.laid_out(_matrix(case)), case.weight(case.rng()) + 1, k


def swaps(case: Case) -> Iterator[Arguments]:
    """From the first rows."""
    if case.n >= 4:
        start, weight = Search(np.arange(4)), case.weight(case.rng())
        weight[:4] += 1  # a medoid counts
        yield case.laid_out(_matrix(case)), None, start
        yield case.laid_out(_matrix(case)), weight, start
