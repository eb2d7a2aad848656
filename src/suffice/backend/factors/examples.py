"""Arguments to try the operations of factorisations with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats, Whole
from ..examples import Arguments, Case

_ROWS = 9


def _cells(case: Case, rng: np.random.Generator, m: int) -> tuple[Whole, Whole, Floats]:
    """Some cells of some rows with m columns; the first row has none."""
    known = rng.random((_ROWS, m)) < 0.6
    known[:1] = False
    starts = np.append(0, np.cumsum(known.sum(axis=1)))
    columns = np.nonzero(known)[1]
    return starts.astype(np.int64), columns.astype(np.int64), rng.poisson(2.0, len(columns)).astype(np.float64)


def row_equations(case: Case) -> Iterator[Arguments]:
    """With and without weights."""
    rng = case.rng()
    matrix = case.laid_out(rng.normal(size=(case.n, case.d)))
    starts, columns, right = _cells(case, rng, case.n)
    yield matrix, starts, columns, right
    yield matrix, starts, columns, right, rng.random(len(right))


def solve_rows(case: Case) -> Iterator[Arguments]:
    """Equations of each row and common ones, of full rank and not, with unknowns of any sign or none below 0."""
    rng = case.rng()
    rows = rng.normal(size=(case.n, case.d + 3, case.d))
    grams, rights = np.swapaxes(rows, 1, 2) @ rows, rng.normal(size=(case.n, case.d))
    rights = case.laid_out(rights)
    for nonnegative in (False, True):
        yield rights, grams, rng.random(case.n), nonnegative
        yield rights, np.eye(case.d)[None] + 0.1, np.zeros(case.n), nonnegative, np.abs(rng.normal(size=rights.shape))
    thin = rng.normal(size=(max(case.d - 2, 1), case.d))
    yield case.laid_out(rng.normal(size=(case.n, len(thin))) @ thin), (thin.T @ thin)[None], np.full(case.n, 0.1)


def mix_rows(case: Case) -> Iterator[Arguments]:
    """Without a prior, with one, and with what is divided by; little and much in a row, and many topics."""
    rng = case.rng()
    topics = case.laid_out(rng.random((case.n, case.d)))
    starts, columns, values = _cells(case, rng, case.n)
    shares = rng.random((_ROWS, case.d))
    yield topics, starts, columns, values, shares
    yield topics, starts, columns, values, shares, None, rng.integers(0, 3, shares.shape).astype(np.float64), 3
    yield topics, starts, columns, values, 1 + shares, rng.uniform(0.1, 2, case.d), None, 4, 1e-3
    yield topics, starts, columns, values, 10 ** rng.uniform(-2.5, 17, shares.shape), np.full(case.d, 0.3)
    yield case.laid_out(rng.random((case.n, 70))), starts, columns, values, np.ones((_ROWS, 70)), np.full(70, 0.1)


def ratio_sums(case: Case) -> Iterator[Arguments]:
    """Counts, some of them 0."""
    rng = case.rng()
    starts, columns, values = _cells(case, rng, 12)
    own, other = rng.random((_ROWS, case.d)), rng.random((12, case.d))
    other[:, 1:2] = 0.0
    yield case.laid_out(own), other, starts, columns, values


def cell_products(case: Case) -> Iterator[Arguments]:
    """Cells of some rows, the first without any."""
    rng = case.rng()
    starts, columns, _ = _cells(case, rng, 12)
    yield case.laid_out(rng.normal(size=(_ROWS, case.d))), rng.normal(size=(12, case.d)), starts, columns


def descend_cells(case: Case) -> Iterator[Arguments]:
    """With and without biases and weights."""
    rng = case.rng()
    starts, columns, _ = _cells(case, rng, 12)
    rows = np.repeat(np.arange(_ROWS), np.diff(starts))
    values = np.asarray(case.laid_out(rng.normal(size=(len(rows), 1))))[:, 0]
    order, p = rng.permutation(len(rows)), case.d + 2
    for biased in (False, True):
        U, V = rng.normal(size=(_ROWS, p)), rng.normal(size=(12, p))
        if biased:
            U[:, -1], V[:, -2] = 1.0, 1.0
        ridges = rng.random(_ROWS), rng.random(12)
        weight = rng.random(len(rows)) if biased else None
        yield values, rows, columns, weight, order, 0.5, 0.01, *ridges, biased, U, V
