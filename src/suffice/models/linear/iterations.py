"""Least squares of sparse rows by iterations, which multiply the rows and never fill them in."""

from __future__ import annotations

import numpy as np

from ...backend.blas import blas_threads_for
from ...statistics.sparse_rows import SparseRoot
from ...typing import Floats

_DIGITS = 1e-12  # of residuals, at which iterations stop
_SOON = 60  # iterations, which only well-conditioned columns take
_TRIES = 300  # iterations, after which a matrix of all products is less work where it is small


def by_iterations(Rx: SparseRoot, Ry: Floats, alpha: float, patient: bool) -> Floats | None:
    """The slopes (p, q); of all solutions the smallest. None where they take long, unless it is `patient`."""
    most = 20 * max(Rx.shape) if patient else _TRIES
    with blas_threads_for(0):  # sums of a few numbers at a time
        found = [_solved(Rx, y, alpha, most) for y in Ry.T]
    if patient or all(done for _, done in found):
        return np.column_stack([slope for slope, _ in found])
    return None


def _solved(Rx: SparseRoot, y: Floats, alpha: float, most: int) -> tuple[Floats, bool]:
    """The slopes, and whether they are found: what conjugate gradients do not find soon may be ill-conditioned."""
    if alpha > 0:
        return _conjugate_gradients(Rx, y, alpha, most)
    slope, done = _conjugate_gradients(Rx, y, 0.0, _SOON)
    return (slope, done) if done else _lsmr(Rx, y, most)


def _conjugate_gradients(Rx: SparseRoot, y: Floats, alpha: float, most: int) -> tuple[Floats, bool]:
    """Of the normal equations, with a penalty in columns scaled to length 1; and whether the residual vanished."""
    inverse = 1 / (Rx.squares() + alpha) if alpha > 0 else np.ones(Rx.shape[1])  # which finds the smallest slopes
    slope, rest = np.zeros(Rx.shape[1]), Rx.back(y)
    along = scaled = inverse * rest
    size = begin = float(rest @ scaled)
    for _ in range(most):
        if size <= _DIGITS**2 * begin:
            return slope, True
        image = Rx.back(Rx @ along) + alpha * along
        step = size / float(along @ image)
        slope += step * along
        rest -= step * image
        scaled = inverse * rest
        before, size = size, float(rest @ scaled)
        along = scaled + size / before * along
    return slope, size <= _DIGITS**2 * begin


def _lsmr(Rx: SparseRoot, y: Floats, most: int) -> tuple[Floats, bool]:
    """By LSMR (Fong & Saunders, 2011), which does not square the condition number."""
    from scipy.sparse.linalg import LinearOperator, lsmr

    operator = LinearOperator(Rx.shape, matvec=Rx.__matmul__, rmatvec=Rx.back, dtype=np.float64)
    slope, _, iterations, *_ = lsmr(operator, y, atol=_DIGITS, btol=_DIGITS, conlim=0, maxiter=most)
    found: Floats = slope
    return found, iterations < most
