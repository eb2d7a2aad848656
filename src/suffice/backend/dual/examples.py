"""Arguments to try dual coordinate descent with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from ..sparse.examples import csr
from .values import Box, DualState


def sweeps(case: Case) -> Iterator[Arguments]:
    """The boxes of the hinge loss, its square, and support vector regression; dense rows and CSR."""
    rng = case.rng()
    y, cost, nothing = rng.normal(size=case.n), rng.random(case.n) + 0.1, np.zeros(case.n)
    sign = np.where(y > 0, 1.0, -1.0)
    low, high = np.minimum(sign, 0.0) * cost, np.maximum(sign, 0.0) * cost
    far = np.full(case.n, np.inf)
    boxes = (
        Box(sign, low, high, nothing),
        Box(sign, np.where(sign > 0, 0.0, -far), np.where(sign > 0, far, 0.0), 0.5 / cost),
        Box(y, -cost, cost, nothing, 0.2),
    )
    start = DualState(nothing, np.zeros(case.d))
    for X in (case.rows(rng), csr(case, rng)):
        for box in boxes if case.d > 1 else boxes[:2]:  # rows of one cell, often 0, have ties that rounding breaks
            yield X, box, 0.3, 0.7, start, 6, 1e-9, 5


def crammer_singer(case: Case) -> Iterator[Arguments]:
    """Three classes; dense rows and CSR."""
    rng = case.rng()
    y, cost = case.groups(rng, 3).astype(np.float64), rng.random(case.n) + 0.1
    start = DualState(np.zeros((case.n, 3)), np.zeros((case.d, 3)))
    for X in (case.rows(rng), csr(case, rng)):
        yield X, y, cost, rng.normal(size=3), 0.7, start, 5, 1e-9, 3
