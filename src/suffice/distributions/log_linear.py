"""What the families have in common whose log density is linear in the cells."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..backend import affine, sparse
from ..backend.columns import count_logs
from ..typing import Floats, Numbers

_BLOCK_CELLS = 1 << 19  # of rows in single precision that are made doubles at a time


def linear_terms(X: Numbers, slope: Floats, offset: Floats) -> Floats:
    """Σⱼ xⱼ slopeⱼ + offsetⱼ over the cells that are there, for each of k columns of (d, k) coefficients, (n, k).

    A slope of −∞ makes every x > 0 impossible, and leaves x = 0 as it is.

    >>> linear_terms(np.array([[2.0, np.nan]]), np.array([[3.0], [5.0]]), np.array([[0.5], [7.0]]))
    array([[6.5]])
    """
    barred = np.isneginf(slope)
    finite = np.where(barred, 0.0, slope)
    terms = affine_terms(X, finite, offset.sum(axis=0))
    if not hasattr(X, "tocsr") and np.isnan(terms[:, 0]).any():  # as every term of a row with a missing cell is
        missing = np.isnan(X)
        X = np.where(missing, 0.0, X)
        terms = X @ finite + ~missing @ offset
    if barred.any():
        terms[X @ barred.astype(np.float64) > 0] = -np.inf
    return terms


def affine_terms(X: Numbers, matrix: Floats, offset: Floats) -> Floats:
    """X matrix + offset, (n, k), in double whatever X is."""
    if not isinstance(X, np.ndarray):
        return np.asarray(X @ matrix + offset, dtype=np.float64)
    if X.dtype == np.float64:
        return np.asarray(affine(X, None, matrix, offset))
    found, height = np.empty((len(X), len(offset))), max(1, _BLOCK_CELLS // X.shape[1])
    for first in range(0, len(X), height):
        found[first : first + height] = affine(X[first : first + height].astype(np.float64), None, matrix, offset)
    return found


def log_factorials(X: Numbers) -> Floats:
    """Σⱼ log xⱼ! over the cells that are there, (n,)."""
    if not hasattr(X, "tocsr"):
        return np.asarray(count_logs(np.asarray(X))[1])
    return sparse.count_logs(X.tocsr())[1]


def log_arrangements(X: Numbers) -> Floats:
    """log N! − Σⱼ log xⱼ! of the counts that are there in every row, N in all, (n,)."""
    of_sums, logs = sparse.count_logs(X.tocsr()) if hasattr(X, "tocsr") else count_logs(np.asarray(X))
    return np.asarray(of_sums - logs)


def product_of(log_factors: Iterable[Floats], shape: tuple[int, ...]) -> Floats:
    """The logarithm of a product of densities; where one is 0 the product is, also beside an infinite one."""
    total, impossible = np.zeros(shape), np.zeros(shape, dtype=bool)
    with np.errstate(invalid="ignore"):
        for log_factor in log_factors:
            total += log_factor
            impossible |= np.isneginf(log_factor)
    return np.where(impossible, -np.inf, total)
