"""The curvature of losses of several classes, a matrix over the coefficients of all of them."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..backend.weights import given_or_ones
from ..data import Chunk
from ..data.rows import is_sparse
from ..losses import Loss
from ..statistics.gradient import forth
from ..typing import Floats
from .problem import Coefficients, Frame, Problem

_CELLS = 1 << 20  # of rows beside all classes that are formed at once


def class_curvature(problem: Problem, at: Coefficients, frame: Frame) -> tuple[Floats, Floats]:
    """Σ s (diag(P) − P Pᵀ) ⊗ z zᵀ, (k q, k q), and Σ s z zᵀ, (q, q), of rows z = ((x − centre) / unit, 1).

    Classes come one after the other; without an intercept there is no 1. One pass.
    """
    reduce = partial(_sums, loss=problem.loss, at=at, frame=frame, fit_intercept=problem.fit_intercept)
    found = problem.source.reduce(reduce)
    k, q = problem.classes or 1, problem.columns + problem.fit_intercept
    own, curved = found[: k * q * q].reshape(k, q, q), -found[k * q * q :].reshape(k, q, k, q)
    curved[np.arange(k), :, np.arange(k)] += own
    return curved.reshape(k * q, k * q), own.sum(axis=0)


def framed_rows(chunk: Chunk, rows: slice, frame: Frame, fit_intercept: bool) -> Floats:
    """Rows about the centre in units, with a 1 behind them where there is an intercept."""
    X = chunk.X[rows]
    Z = (np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64) - frame.centre) / frame.unit
    return np.column_stack([Z, np.ones(len(Z))]) if fit_intercept else Z


def blocks(chunk: Chunk, width: int) -> list[slice]:
    """The rows of a chunk, so many at a time that `width` numbers for each are not too many."""
    step = max(1, _CELLS // max(width, 1))
    return [slice(begin, begin + step) for begin in range(0, len(chunk), step)]


def _sums(chunk: Chunk, loss: Loss, at: Coefficients, frame: Frame, fit_intercept: bool) -> Floats:
    """Σ s P z zᵀ of each class, (k, q, q), and Σ s (P ⊗ z)(P ⊗ z)ᵀ, (k q, k q), one after the other."""
    (p, k), weight = at.slope.shape, given_or_ones(chunk.weight, len(chunk))
    q = p + fit_intercept
    own, both = np.zeros((k, q, q)), np.zeros((k * q, k * q))
    for rows in blocks(chunk, k * q):
        Z, root = framed_rows(chunk, rows, frame, fit_intercept), np.sqrt(weight[rows])
        P = loss.curvature(forth(chunk.X[rows], at.slope, at.intercept), chunk.y[rows])
        beside = ((P * root[:, None])[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
        both += beside.T @ beside
        for c in range(k):
            mine = Z * (np.sqrt(P[:, c]) * root)[:, None]
            own[c] += mine.T @ mine
    return np.concatenate([own.ravel(), both.ravel()])
