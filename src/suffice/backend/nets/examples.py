"""Arguments to try the operations of nets with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case


def input_rows(case: Case) -> Iterator[Arguments]:
    """All rows, and some in another order, with missing cells and without."""
    rng = case.rng()
    shift, factor = (rng.random(case.d).astype(case.dtype) for _ in range(2))
    for missing in (0.0, 0.2):
        X = case.rows(rng, missing)
        yield X, None, shift, factor, np.empty((case.n, case.d), case.dtype)
        rows = rng.integers(0, max(1, case.n), 2 * case.n // 3)
        yield X, rows, shift, factor, np.empty((len(rows), case.d), case.dtype)


def bend(case: Case) -> Iterator[Arguments]:
    """All kinds of activations of two pieces; infinite numbers, and such that are none."""
    rng = case.rng()
    for below in (0.0, 0.1, 1.0):
        z = rng.normal(size=(case.n, case.d))
        z[:1], z[3:4, :2] = [[-np.inf]], [[np.nan]]
        yield z.astype(case.dtype), rng.normal(size=case.d).astype(case.dtype), below


def unbend(case: Case) -> Iterator[Arguments]:
    """The same backwards."""
    rng = case.rng()
    for below in (0.0, 0.1, 1.0):
        slope, h = (rng.normal(size=(case.n, case.d)).astype(case.dtype) for _ in range(2))
        yield slope, h, below, np.empty(case.d, case.dtype)


def adam(case: Case) -> Iterator[Arguments]:
    """Steps from different means."""
    rng = case.rng()
    theta, slope, mean = (rng.normal(size=case.n * case.d).astype(case.dtype) for _ in range(3))
    yield theta, slope, mean, mean**2, (0.9, 0.999), 1e-8, 0.01
    yield theta.copy(), slope, np.zeros_like(theta), np.zeros_like(theta), (0.5, 0.9), 1e-3, 1.0


def softmax(case: Case) -> Iterator[Arguments]:
    """Outputs near each other, far apart, and such that say nothing; labels that are none of the classes."""
    rng = case.rng()
    y = rng.integers(0, case.d, case.n)
    yield case.laid_out(rng.normal(size=(case.n, case.d))), y
    eta = rng.normal(0, 300, (case.n, case.d))
    yield case.laid_out(eta), y
    if case.d > 2 and case.n > 3:
        eta[1, 1], eta[2, 0], y[3] = np.nan, -np.inf, case.d
        yield case.laid_out(eta), y
