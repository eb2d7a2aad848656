"""Arguments to try affinity propagation with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..examples import Arguments, Case
from . import Messages


def sweep(case: Case) -> Iterator[Arguments]:
    """The first sweep, and one in the middle. `Messages.zero` makes the matrices contiguous."""
    rng = case.rng()
    if case.n < 2:
        return
    S = -case.laid_out(rng.random((case.n, case.n)))
    yield Messages.zero(S), 0.5
    begun = Messages.zero(S)
    begun.responsibility[:] = rng.normal(size=S.shape)
    begun.availability[:] = -rng.random(S.shape)
    support = np.maximum(begun.responsibility, 0)
    np.fill_diagonal(support, np.diagonal(begun.responsibility))
    yield replace(begun, support=support.sum(axis=0, dtype=np.float64)), 0.6
