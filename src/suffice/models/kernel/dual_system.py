"""The system of equations of kernel ridge regression, (K + α W⁻¹) c = y."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...backend.blas import blas_threads_for
from ...errors import IllConditioned, InvalidData, warn
from ...kernels.centred_matrix import spectrum
from ...solvers.systems import factored, substituted
from ...typing import Floats

_NEGATIVE = 1e-8  # of the largest eigenvalue: one further below 0 is not rounding
_CONDITION = 1e15
_MANY, _REFINEMENTS, _RESIDUAL = 1000, 12, 1e-14  # rows, steps, and what is left of the right-hand side


def solved_dual(make: Callable[[], Floats], noise: Floats, right: Floats, owner: str) -> Floats:
    """c with (K + diag(noise)) c = right, (n, q); `make` gives K, of finite numbers.

    By Cholesky's decomposition, of many rows in single precision where that is enough to refine the answer by. Where
    the system is singular, the smallest c among those that fit as well as any, with a warning; where it has negative
    eigenvalues, the kernel is no inner product, and that is an error.
    """
    system = make()
    system.flat[:: len(system) + 1] += noise
    if len(system) >= _MANY and (found := _by_single_precision(system, right)) is not None:
        return found
    factor, condition = factored(system)
    if condition <= _CONDITION:
        return substituted(factor, right)
    system = make()  # whose place the factor has taken
    system.flat[:: len(system) + 1] += noise
    values, vectors = spectrum(system)
    check_positive(values, owner)
    kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
    warn(
        f"{owner}: the kernel matrix with α on its diagonal has rank {int(kept.sum())} of {len(values)}; many "
        "coefficients fit equally well, and the smallest ones are given. Raise alpha.",
        IllConditioned,
    )
    own = vectors[:, kept]
    return np.asarray(own @ ((own.T @ right) / values[kept, None]))


def _by_single_precision(system: Floats, right: Floats) -> Floats | None:
    """The solution in double, by a factor in single precision: each residual brings as many digits again.

    None where the system is not positive, or so ill-conditioned that the residuals do not fall.
    """
    from scipy.linalg.lapack import spotrf, spotrs

    n, largest = len(system), float(system.diagonal().max())
    if not 1e-20 < largest < 1e20:  # which single precision would lose
        return None
    with blas_threads_for(n**3 / 3):
        factor, failed = spotrf(system.astype(np.float32).T, lower=False, clean=False, overwrite_a=True)
        if failed:
            return None
        found, size = np.zeros_like(right), np.linalg.norm(right, axis=0)
        rest, before = right / np.where(size > 0, size, 1.0), 1.0
        for _ in range(_REFINEMENTS):
            scale = np.maximum(np.linalg.norm(rest, axis=0), 1e-300)
            found += spotrs(factor, (rest / scale).astype(np.float32), lower=False)[0] * scale
            rest = right / np.where(size > 0, size, 1.0) - system @ found
            now = float(np.linalg.norm(rest, axis=0).max())
            if now <= _RESIDUAL:
                return np.asarray(found * size)
            if not now < 0.1 * before:
                return None
            before = now
    return None


def check_positive(values: Floats, owner: str, scale: float = 0.0) -> None:
    """Refuse eigenvalues, rising, that no inner product has; `scale` is that of what they are the rounding of."""
    if values[0] < -_NEGATIVE * max(float(values[-1]), scale):
        raise InvalidData(
            f"{owner}: the kernel matrix has the negative eigenvalue {values[0]:.3g} beside {values[-1]:.3g}, so that "
            "the kernel is no inner product. Take another kernel, or raise alpha."
        )
