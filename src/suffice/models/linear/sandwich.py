"""How sure coefficients are where the variance of the targets is not as the likelihood says: the sandwich H⁻¹GH⁻¹."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...losses import Loss
from ...solvers import Coefficients
from ...statistics import Moments
from ...statistics.gradient import bent_moments, forth
from ...typing import CSR, Floats, Whole

Kind = Literal["HC0", "HC1", "HC2", "HC3"]
KINDS: tuple[Kind, ...] = ("HC0", "HC1", "HC2", "HC3")


def sandwich(source: Source, loss: Loss, at: Coefficients, free: Whole, bread: Floats, kind: Kind) -> Floats:
    """The variances of the free slopes and, last, of the intercept where `bread` has one, by one pass over the rows.

    `bread` is the inverse information H⁻¹, and G = Σ w g² x xᵀ. Of HC2 and HC3 a squared gradient is divided by 1 − h
    or its square, where h is the leverage of the row in `bread`.
    """
    found = source.reduce(partial(_summarised, loss=loss, at=at, free=free, bread=bread, kind=kind))
    return np.diagonal(bread @ _products(found, len(bread) > len(free)) @ bread)


def _products(moments: Moments, fit_intercept: bool) -> Floats:
    """Σ w x xᵀ of rows with a column of 1 behind them where there is an intercept."""
    total = moments.weight * moments.mean
    inner = moments.scatter + np.outer(total, moments.mean)
    if not fit_intercept:
        return inner
    return np.block([[inner, total[:, None]], [total[None, :], np.array([[moments.weight]])]])


def _summarised(chunk: Chunk, loss: Loss, at: Coefficients, free: Whole, bread: Floats, kind: Kind) -> Moments:
    eta = forth(chunk.X, at.slope, at.intercept)
    squares = loss.gradient(eta, chunk.y) ** 2
    rows = chunk.X[:, free] if len(free) < chunk.X.shape[1] else chunk.X
    if kind in ("HC2", "HC3"):
        left = 1 - loss.curvature(eta, chunk.y) * _quadratic(rows, bread)
        squares = squares / np.maximum(left, np.finfo(np.float64).eps) ** (1 if kind == "HC2" else 2)
    return bent_moments(rows, squares if chunk.weight is None else squares * chunk.weight)


def _quadratic(rows: CSR, bread: Floats) -> Floats:
    """xᵀ B x of each row, (n,), with a 1 behind x where B has a place for it; rows may be dense."""
    X = np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
    if len(bread) > X.shape[1]:
        X = np.column_stack([X, np.ones(len(X))])
    return np.asarray(np.einsum("np,np->n", X @ bread, X))
