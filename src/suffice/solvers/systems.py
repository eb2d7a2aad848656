"""Symmetric systems of equations, solved in the units of their diagonal."""

from __future__ import annotations

import numpy as np

from ..backend.blas import blas_threads_for
from ..typing import Floats

_DAMPING = 1e-9  # added to a scaled system that is singular to rounding
_CONDITION = 1e14
_FEW = 300  # equations whose eigenvalues are soon found


def factored(system: Floats) -> tuple[Floats, float]:
    """Cholesky's factor of a symmetric system, in its place, and its condition; infinite where not positive definite.

    LAPACK estimates the condition number in the 1-norm, which is never below that of the eigenvalues.
    """
    from scipy.linalg.lapack import dpocon, dpotrf

    size = float(np.abs(system).sum(axis=0).max())
    with blas_threads_for(len(system) ** 3 / 3):  # SciPy's threads would wait for those of NumPy, just busy
        factor, failed = dpotrf(system.T, lower=False, clean=False, overwrite_a=True)
        if failed or not size > 0:
            return factor, np.inf
        reciprocal = float(dpocon(factor, size)[0])
    return factor, 1 / reciprocal if reciprocal > 0 else np.inf


def substituted(factor: Floats, right: Floats) -> Floats:
    """The solution for right-hand sides, by Cholesky's factor."""
    from scipy.linalg.lapack import dpotrs

    with blas_threads_for(len(factor) * right.size):
        solution: Floats = dpotrs(factor, right, lower=False)[0]
    return solution


def solved(system: Floats, right: Floats, few: int = _FEW) -> tuple[Floats, bool]:
    """The solution of a system without negative eigenvalues, and whether it is the only one.

    Where it is singular to rounding, directions whose eigenvalues are nothing but rounding are left alone; of more
    than `few` equations, a little is added to the diagonal instead. The answer is then the smallest of all solutions,
    or close to it, in units of the diagonal.
    """
    diagonal = np.diagonal(system)
    unit = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    factor, condition = factored(system / unit / unit[:, None])
    if condition <= _CONDITION:
        return substituted(factor, right / unit) / unit, True
    damped = system / unit / unit[:, None]
    if len(unit) <= few:
        return _by_eigenvalues(damped, right / unit) / unit, False
    damped.flat[:: len(unit) + 1] += _DAMPING * len(unit)
    factor, condition = factored(damped)
    if not np.isfinite(condition):
        raise np.linalg.LinAlgError("the curvature is not a positive definite matrix")
    return substituted(factor, right / unit) / unit, False


def _by_eigenvalues(system: Floats, right: Floats) -> Floats:
    """The smallest of all solutions; nearly dependent columns are resolved as far as rounding allows."""
    values, vectors = np.linalg.eigh(system)
    known = values > len(values) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    inner = vectors.T @ right
    return np.asarray(vectors[:, known] @ (inner[known].T / values[known]).T)
