"""What the families have in common whose log density is linear in the cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]
_TABLE = gammaln(np.arange(4096.0) + 1)


def linear_terms(X: Any, slope: Floats, offset: Floats) -> Floats:
    """Σⱼ xⱼ slopeⱼ + offsetⱼ over the cells that are there, for each of k columns of (d, k) coefficients, (n, k).

    A slope of −∞ makes every x > 0 impossible, and leaves x = 0 as it is.

    >>> linear_terms(np.array([[2.0, np.nan]]), np.array([[3.0], [5.0]]), np.array([[0.5], [7.0]]))
    array([[6.5]])
    """
    barred = np.isneginf(slope)
    finite = np.where(barred, 0.0, slope)
    missing = None if hasattr(X, "tocsr") else np.isnan(X)
    if missing is None or not missing.any():
        terms = np.asarray(X @ finite + offset.sum(axis=0), dtype=np.float64)
    else:
        X = np.where(missing, 0.0, X)
        terms = X @ finite + ~missing @ offset
    if barred.any():
        terms[X @ barred.astype(np.float64) > 0] = -np.inf
    return terms


def log_factorials(X: Any) -> Floats:
    """Σⱼ log xⱼ! over the cells that are there, (n,)."""
    if hasattr(X, "tocsr"):
        rows = X.tocsr()
        logs = type(rows)((_log_factorial(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        return np.asarray(logs @ np.ones(rows.shape[1]), dtype=np.float64)
    return np.asarray(_log_factorial(X).sum(axis=1))


def _log_factorial(x: Any) -> Floats:
    """log x!, 0 for a missing value; small counts from a table, which is faster than the gamma function."""
    most = x.max(initial=0)
    if np.isnan(most):
        return _log_factorial(np.nan_to_num(x))
    small = most < len(_TABLE) and x.min(initial=0) >= 0
    return _TABLE.take(x.astype(np.intp)) if small else np.asarray(gammaln(x.astype(np.float64) + 1))


def are_counts(X: Any) -> Any:
    """Which cells are 0, 1, 2, …"""
    return (X >= 0) & (np.floor(X) == X) & np.isfinite(X)
