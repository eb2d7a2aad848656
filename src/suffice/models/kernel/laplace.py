"""Laplace's approximation of a Gaussian process classifier: the mode of f, and the likelihood about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ...backend.blas import blas_threads_for
from ...typing import Floats
from .covariance import Covariance
from .hyperparameters import Evaluated
from .marginal_likelihood import factor_of, inverse_of, quadratic, solved_by

_ENDS = 1e-12  # of the objective: an iteration that gains less is the last


@dataclass(frozen=True)
class SignedRows:
    """Rows X (n, d), 0 or 1 for each of the functions (n, q), and weights (n,); at most so many Newton iterations."""

    X: Floats
    y: Floats
    weight: Floats
    max_iter: int


@dataclass(frozen=True)
class Mode:
    """The most likely values f (n,) of one function, a with f = K a, W (n,), the factor of B = I + W^½ K W^½."""

    f: Floats
    a: Floats
    curvature: Floats
    factor: Floats
    log_likelihood: float


def mode_of(K: Floats, y: Floats, weight: Floats, max_iter: int) -> Mode | None:
    """The mode of log P(y | f) − ½ fᵀ K⁻¹ f, by Newton's method; None where B is not positive definite.

    Steps are halved where the objective would fall. The log likelihood is Laplace's approximation.
    """
    from scipy.special import expit

    a, f = np.zeros(len(K)), np.zeros(len(K))
    value = _value(f, a, y, weight)
    for _ in range(max_iter):
        share = expit(f)
        W = weight * share * (1 - share)
        factor = curved_factor(K, W)
        if factor is None:
            return None
        right = W * f + weight * (y - share)
        root = np.sqrt(W)
        new = right - root * solved_by(factor, (root * (K @ right))[:, None])[:, 0]
        a, f, after = _line(K, a, f, new, value, y, weight)
        gained, value = after - value, after
        if not gained > _ENDS * max(1.0, abs(value)):
            break
    share = expit(f)
    W = weight * share * (1 - share)
    factor = curved_factor(K, W)
    if factor is None or not np.isfinite(value):
        return None
    return Mode(f, a, W, factor, float(value - np.sum(np.log(np.diagonal(factor)))))


def _line(
    K: Floats, a: Floats, f: Floats, new: Floats, value: float, y: Floats, weight: Floats
) -> tuple[Floats, Floats, float]:
    """The first of the whole step, a half, a quarter, … that does not lower the objective, else where it stands."""
    step = new - a
    move = K @ step
    for halved in range(12):
        length = 0.5**halved
        after = _value(f + length * move, a + length * step, y, weight)
        if after >= value:
            return a + length * step, f + length * move, after
    return a, f, value


def _value(f: Floats, a: Floats, y: Floats, weight: Floats) -> float:
    return float(-0.5 * (a @ f) - weight @ np.logaddexp(0.0, np.where(y > 0, -f, f)))


def curved_factor(K: Floats, W: Floats) -> Floats | None:
    """The factor of I + W^½ K W^½; None where it has none."""
    root = np.sqrt(W)
    B = root[:, None] * K * root
    return factor_of(B, np.ones(len(K))) if np.isfinite(B).all() else None


def laplace_evaluated(covariance: Covariance, rows: SignedRows) -> Evaluated:
    """The negative log marginal likelihood, summed over functions, and its gradient."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        K, slopes = covariance.among_with_slopes(rows.X)
    with blas_threads_for(K.size):  # of each product; factors have their own
        found = [mode_of(K, y, rows.weight, rows.max_iter) for y in rows.y.T] if np.isfinite(K).all() else [None]
    modes = [mode for mode in found if mode is not None]
    if len(modes) < len(found):
        return Evaluated(np.inf, lambda: np.zeros(len(covariance.theta)))

    def gradient() -> Floats:
        with blas_threads_for(K.size):
            each = [_gradient(K, slopes, mode, y, rows.weight) for mode, y in zip(modes, rows.y.T, strict=True)]
        return np.asarray(-np.sum(each, axis=0))

    return Evaluated(-sum(mode.log_likelihood for mode in modes), gradient)


def _gradient(K: Floats, slopes: list[Floats], mode: Mode, y: Floats, weight: Floats) -> Floats:
    """The derivatives of the log likelihood: at a fixed mode, and by what the mode moves."""
    from scipy.special import expit

    root, share = np.sqrt(mode.curvature), expit(mode.f)
    inverse = inverse_of(mode.factor)  # its lower triangle
    R = inverse + inverse.T
    R.flat[:: len(R) + 1] /= 2
    R *= root
    R *= root[:, None]  # W^½ B⁻¹ W^½
    C = quadratic(mode.factor, root[:, None] * K)
    variance = np.diagonal(K) - np.sum(C**2, axis=0)
    steep = -0.5 * variance * weight * share * (1 - share) * (1 - 2 * share)
    pull = weight * (y - share)
    found = np.empty(len(slopes))
    for j, slope in enumerate(slopes):
        moved = slope @ pull
        moved -= K @ (R @ moved)
        found[j] = 0.5 * float(mode.a @ (slope @ mode.a) - np.vdot(R, slope)) + float(steep @ moved)
    return found


def mean_probability(mean: Floats, variance: Floats) -> Floats:
    """E σ(f) of normal f, to about ten digits.

    Of narrow ones by Gauss and Hermite's rule; of wide ones as the mean of Φ((m − u) / s) over logistic u, whose width
    does not depend on theirs.
    """
    deviation = np.sqrt(variance)
    narrow = deviation <= 1
    if narrow.all():
        return _of_narrow(mean, deviation)
    found = np.empty(len(mean))
    found[narrow] = _of_narrow(mean[narrow], deviation[narrow])
    found[~narrow] = _of_wide(mean[~narrow], deviation[~narrow])
    return found


def _of_narrow(mean: Floats, deviation: Floats) -> Floats:
    nodes, shares = _hermite()
    odds = -(mean[:, None] + deviation[:, None] * nodes)
    with np.errstate(over="ignore"):
        return np.asarray((1 / (1 + np.exp(odds))) @ shares)


def _of_wide(mean: Floats, deviation: Floats) -> Floats:
    from scipy.special import expit, ndtr

    u = np.linspace(-26.0, 26.0, 105)
    density = expit(u) * expit(-u)
    return np.asarray(ndtr((mean[:, None] - u) / deviation[:, None]) @ (density / density.sum()))


@cache
def _hermite() -> tuple[Floats, Floats]:
    """The nodes of Gauss and Hermite's rule, and their shares, which add up to 1."""
    nodes, shares = np.polynomial.hermite_e.hermegauss(48)
    return nodes, shares / shares.sum()
