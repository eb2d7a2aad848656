"""What is added to dissimilarities so that a map of them exists."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...backend.blas import blas_threads_for
from ...backend.units import power_of_two
from ...typing import Floats

Correction = Literal["none", "additive", "squared"]
_DENSE = 200  # objects, up to which all eigenvalues are found sooner than one


def corrected(D: Floats, added: float, correction: Correction) -> Floats:
    """Dissimilarities, or their squares, with a number added to all that are not 0."""
    if not added or correction == "none":
        return D
    return np.where(D > 0, D + added if correction == "additive" else np.sqrt(D * D + 2 * added), 0.0)


def constant(D: Floats, correction: Correction) -> float:
    """The least number that, added to all dissimilarities or to half their squares, leaves no negative eigenvalue."""
    if correction == "none" or len(D) < 3:
        return 0.0
    unit = power_of_two(D)
    D = D / unit
    B = _centred(-0.5 * D * D)
    if correction == "squared":
        with blas_threads_for(4.0 * len(D) ** 3):
            least = float(np.linalg.eigvalsh(B)[0])
        return max(-least, 0.0) * unit * unit
    return max(_largest_real(B, _centred(-0.5 * D)), 0.0) * unit


def _centred(K: Floats) -> Floats:
    K = K - K.mean(axis=0)
    return np.asarray(K - K.mean(axis=1, keepdims=True))


def _largest_real(B: Floats, half: Floats) -> float:
    """The largest real eigenvalue of [[0, 2 B], [−1, −4 half]] (Cailliez, 1983)."""
    m = len(B)
    if m > _DENSE:
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

        def times(v: Floats) -> Floats:
            v = v.ravel()
            return np.concatenate([2 * (B @ v[m:]), -v[:m] - 4 * (half @ v[m:])])

        start = np.random.default_rng(0).normal(size=2 * m)
        try:
            with blas_threads_for(2.0 * m * m):
                operator = LinearOperator((2 * m, 2 * m), matvec=times, dtype=np.float64)
                return float(eigs(operator, 1, which="LR", v0=start, return_eigenvectors=False)[0].real)
        except ArpackError:
            pass
    whole = np.block([[np.zeros((m, m)), 2 * B], [-np.eye(m), -4 * half]])
    with blas_threads_for(10.0 * (2 * m) ** 3):
        return float(np.linalg.eigvals(whole).real.max())
