"""The steps of nets in plain array code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Reals, Whole
from ..arrays import Array, beside, namespace


def input_rows(X: Reals, rows: Whole | None, shift: Reals, factor: Reals, out: Reals) -> tuple[Reals, bool]:
    """(x − shift) · factor of the rows at these places, or all, into `out` (m, d); 0 for NaN, and whether one was."""
    found = ((X if rows is None else X[rows]) - shift) * factor
    missing = np.isnan(found)
    out[...] = np.where(missing, X.dtype.type(0), found)
    return out, bool(missing.any())


def bend(z: Reals, bias: Reals, below: float) -> Reals:
    """f(z + bias) in the memory of z (m, units), with f(z) = z above 0 and `below` times z under it."""
    z += bias
    if below == 0:
        np.maximum(z, 0, out=z)
    elif below != 1:
        np.multiply(z, below, out=z, where=z < 0)
    return z


def unbend(slope: Reals, h: Reals, below: float, sums: Reals) -> tuple[Reals, Reals]:
    """The gradient by z + bias from that by h = f(z + bias), in its memory; into `sums` (units,) that by the bias."""
    if below != 1:
        np.multiply(slope, below, out=slope, where=~(h > 0))
    np.add.reduce(slope, axis=0, out=sums)
    return slope, sums


def adam(
    theta: Array, slope: Array, mean: Array, square: Array, betas: tuple[float, float], epsilon: float, rate: float
) -> tuple[Array, Array, Array]:
    """θ − rate · m / (√v + ε) with m = β₁ m + (1 − β₁) g and v = β₂ v + (1 − β₂) g², all in their memory, (p,)."""
    mean *= betas[0]
    mean += (1.0 - betas[0]) * slope
    square *= betas[1]
    squares = slope * slope
    squares *= 1.0 - betas[1]
    square += squares
    below = square**0.5
    below += epsilon
    step = mean * rate
    step /= below
    theta -= step
    return theta, mean, square


def softmax(eta: Array, y: Array) -> tuple[Array, Array]:
    """log Σ_c exp η_c − η_y of each row of η (m, k) with the class y (m,), (m,), and its gradient by η, (m, k)."""
    xp = namespace(eta)
    gap = eta - xp.max(eta, axis=1, keepdims=True)
    codes: Array = beside(eta, y)
    own = codes[:, None] == xp.arange(eta.shape[1], device=eta.device)
    e = xp.exp(gap)
    total = xp.sum(e, axis=1, keepdims=True)
    value = xp.log(total)[:, 0] - xp.sum(xp.where(own, gap, 0.0 * total), axis=1)
    return value, e / total - xp.astype(own, eta.dtype)
