"""Arguments to try the operations on CSR matrices with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from ...typing import CSR
from ..examples import Arguments, Case


def csr(case: Case, rng: np.random.Generator) -> CSR:
    """Rows (n, d), most cells zero."""
    values = rng.normal(size=(case.n, case.d)) * (rng.random((case.n, case.d)) < 0.3)
    return sparse.csr_array(values.astype(case.dtype))


def group_sums(case: Case) -> Iterator[Arguments]:
    """With and without weights, a group without rows."""
    rng = case.rng()
    for weight in (None, case.weight(rng)):
        yield csr(case, rng), case.groups(rng, 3), 4, weight
        rows = rng.permutation(case.n)[: case.n // 2]
        yield csr(case, rng), case.groups(rng, 3)[rows], 4, None if weight is None else weight[rows], rows


def affine(case: Case) -> Iterator[Arguments]:
    """Few columns and more than a vector of them."""
    rng = case.rng()
    for k in (1, 11):
        yield csr(case, rng), rng.normal(size=(case.d, k)), rng.normal(size=k)


def curved(case: Case) -> Iterator[Arguments]:
    """Gradients of either sign, curvatures above 0."""
    rng = case.rng()
    yield csr(case, rng), rng.normal(size=case.d), rng.uniform(size=case.d)


def column_moments(case: Case) -> Iterator[Arguments]:
    """With and without weights, and with missing cells."""
    rng = case.rng()
    for weight in (None, case.weight(rng)):
        X = csr(case, rng)
        yield X, weight
        X = X.copy()
        X.data[rng.random(len(X.data)) < 0.2] = np.nan
        yield X, weight


def column_products(case: Case) -> Iterator[Arguments]:
    """A row without cells, and cells that are stored twice."""
    rng = case.rng()
    X = csr(case, rng)
    yield (X,)
    yield (sparse.csr_array((X.data, np.sort(X.indices) // 2, X.indptr), X.shape),)


def count_logs(case: Case) -> Iterator[Arguments]:
    """Small counts, counts beyond any table, parts of counts; some are missing."""
    rng = case.rng()
    for scale in (1.0, 1e3, 0.3):
        counts = scale * rng.poisson(1.0, (case.n, case.d)).astype(np.float64)
        counts[rng.random(counts.shape) < 0.1] = np.nan
        yield (sparse.csr_array(counts.astype(case.dtype)),)
