"""Operations on the rows of CSR matrices by SciPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import CSR, Floats, Numbers, Whole
from ..weights import given_or_ones


def group_sums(
    X: Numbers, group: Whole, groups: int, weight: Floats | None = None, rows: Whole | None = None
) -> Floats:
    """The weighted sum of the rows of each group, (groups, d); `group` numbers them from 0.

    Of all rows, or of those listed: they have the groups and the weights, in this order.
    """
    X = X if rows is None else X[rows]
    sums, each = np.zeros((groups, X.shape[1])), given_or_ones(weight, X.shape[0])
    for g in range(groups):
        sums[g] = X.T @ np.where(group == g, each, 0.0)
    return sums


def affine(X: Numbers, matrix: Floats, offset: Floats) -> Floats:
    """X matrix + offset, (n, k); a matrix that is `padded` already need not be copied."""
    return np.asarray(X @ matrix[:, : len(offset)] + offset)


def curved(X: Numbers, gradient: Floats, curvature: Floats) -> Floats:
    """Σ gradient x, Σ curvature x and Σ curvature x² of every row, (n, 3), each sum over the columns."""
    cells = X.astype(np.float64)
    return np.column_stack([cells @ gradient, cells @ curvature, cells.power(2) @ curvature])


def column_moments(X: CSR, weight: Floats | None = None) -> tuple[Floats, Floats, Floats]:
    """Weight, mean and centred squares (d,) of the cells of each column that are not NaN; zeros are not filled in."""
    n, d = X.shape
    row_weight = given_or_ones(weight, n)
    w = np.repeat(row_weight, np.diff(X.indptr))  # of every stored cell
    values, columns = X.data.astype(np.float64), X.indices
    missing = np.isnan(values)
    total = row_weight.sum() - np.bincount(columns[missing], w[missing], minlength=d)
    values, columns, w = values[~missing], columns[~missing], w[~missing]
    mean = np.bincount(columns, w * values, minlength=d) / np.where(total > 0, total, 1)
    stored = np.bincount(columns, w, minlength=d)
    scatter = np.bincount(columns, w * (values - mean[columns]) ** 2, minlength=d) + (total - stored) * mean**2
    return total, mean, scatter


def column_products(X: CSR) -> Floats:
    """XᵀX in double precision, (d, d), with all its zeros."""
    cells = X.astype(np.float64)
    return np.asarray((cells.T @ cells).toarray())


def count_logs(X: CSR) -> tuple[Floats, Floats]:
    """Of the counts x that are there in each row, N in all, log N! and Σ log x!, (n,) each; x! is Γ(x + 1)."""
    from scipy.special import gammaln

    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    counts = np.nan_to_num(X.data.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
    sums, logs = (np.bincount(rows, values, minlength=X.shape[0]) for values in (counts, gammaln(counts + 1)))
    return np.asarray(gammaln(sums + 1)), np.asarray(logs, dtype=np.float64)
