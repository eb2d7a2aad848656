"""Arguments to try coordinate descent with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from ...typing import Floats, Numbers
from ..examples import Arguments, Case
from . import Costs

_EPOCHS = 4


def _costs(rng: np.random.Generator, m: int, positive: bool) -> Costs:
    return Costs(rng.random(m) * 0.3, np.asarray(rng.integers(0, 2, m) * 0.2), positive)


def gram(case: Case) -> Iterator[Arguments]:
    """Slopes of either sign and of one, from 0 and from elsewhere."""
    for positive, start in product((False, True), (0.0, 1.0)):
        rng = case.rng()
        X = rng.normal(size=(case.n + 1, case.d))
        G, w = X.T @ X / len(X), start * rng.random(case.d)
        yield case.laid_out(G), rng.normal(size=case.d) - G @ w, w, _costs(rng, case.d, positive), _EPOCHS, 0.0


def _of_columns(case: Case, X: Numbers, filled: Floats, rng: np.random.Generator) -> Iterator[Arguments]:
    """Some of the columns, with and without a curvature, about their mean and about 0."""
    places = rng.permutation(case.d)[: max(1, case.d - 2)]
    for curved, centred in product((False, True), (False, True)):
        curvature = rng.random(case.n) + 0.1 if curved else None
        h = np.ones(case.n) if curvature is None else curvature
        own = filled[:, places].astype(np.float64)
        mean = h @ own / h.sum() if centred else np.zeros(len(places))
        square = h @ (own - mean) ** 2 / case.n
        left = rng.normal(size=case.n) * h
        left -= h * (left.sum() / h.sum())
        costs, w = _costs(rng, len(places), not curved), rng.random(len(places))
        yield X, places, mean, square, left, curvature, float(case.n), w, costs, _EPOCHS, 0.0


def columns(case: Case) -> Iterator[Arguments]:
    """Arrays in any layout."""
    if case.n:
        rng = case.rng()
        X = case.rows(rng)
        yield from _of_columns(case, X, np.asarray(X), rng)


def sparse_columns(case: Case) -> Iterator[Arguments]:
    """CSC matrices, most cells zero."""
    if case.n:
        from scipy.sparse import csc_array

        rng = case.rng()
        filled = (rng.normal(size=(case.n, case.d)) * (rng.random((case.n, case.d)) < 0.3)).astype(case.dtype)
        yield from _of_columns(case, csc_array(filled), filled, rng)
