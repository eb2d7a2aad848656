"""Arguments to try kernel matrices with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from . import Form


def kernel_matrix(case: Case) -> Iterator[Arguments]:
    """Every kind, among rows and between two tables."""
    rng = case.rng()
    forms = Form("product"), Form("polynomial", 0.1, 1.0, 3), Form("polynomial", 1.0, 0.0, 1), Form("gaussian", 0.05)
    for form in forms:
        X, Y = (case.laid_out(rng.normal(1.0, 2.0, (n, case.d))) for n in (case.n, 5))
        yield X, None, form
        yield X, Y, form


def packed(case: Case) -> Iterator[Arguments]:
    """Every kind, with and without a shift."""
    rng = case.rng()
    forms = (Form("product"), Form("polynomial", 0.1, 1.0, 3), Form("gaussian", 0.05))
    for form in forms if case.n else ():
        X = case.laid_out(rng.normal(1.0, 2.0, (case.n, case.d)))
        yield X, form
        if form.kind == "gaussian":
            yield X, form, np.ones(case.d)


def subtract_rows(case: Case) -> Iterator[Arguments]:
    """Some rows, one of them twice."""
    rng = case.rng()
    if case.n:
        slots = rng.integers(0, case.n, 9)
        yield case.rows(rng), slots, rng.normal(size=9), rng.normal(size=case.d)


def symmetric_products(case: Case) -> Iterator[Arguments]:
    """Products of rows with each other."""
    rng = case.rng()
    X = np.asarray(case.rows(rng), dtype=np.float64)
    yield X @ X.T, rng.normal(size=(2, len(X)))
