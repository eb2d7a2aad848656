"""The operations of Gaussian mixtures in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals
from ..arrays import Array, namespace
from ..blas import blas_threads_for
from .values import GaussianSums, Rule, Shape, Singular, centre_of

_BLOCK_CELLS = 1 << 18
_LEAST = -41.0  # log of the smallest share of a row that a double could notice


def has_missing(X: Array) -> bool:
    """Whether a cell is missing."""
    xp = namespace(X)
    return bool(xp.any(xp.isnan(X)))


def component_log_probs(
    X: Reals, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape, has_missing: bool
) -> Floats:
    """log weight + log N(x; mean, covariance), (n, k), −∞ for rows with an infinite cell.

    `has_missing`: some cell may be, which "tied" does not know.
    """
    with blas_threads_for(X.size * means.size):
        parts = [_log_joint(_Part(X[rows], means, covariance, shape), log_weight) for rows in _blocks(X)]
    return np.concatenate([np.empty((0, len(means))), *parts])


def diagonal_log_probs(X: Reals, means: Floats, variance: Floats, log_weight: Floats) -> Floats:
    """log weight + log N(x; mean, diagonal variance), (n, k), −∞ for rows with an infinite cell.

    Means and variances are (k, d); missing cells are left out.
    """
    return component_log_probs(X, means, variance, log_weight, "diagonal", True)


def moment_log_probs(scatter: Floats, shift: Floats, weight: Floats, covariance: Floats) -> Floats:
    """Σ w log N(x; m, covariance) (k,) of rows summed up: Σw (k,), mean − m (k, d), centred scatter (k, d, d)."""
    about = scatter + np.einsum("k,ki,kj->kij", weight, shift, shift)
    log_root = np.array([np.log(np.diagonal(_root(own, c))).sum() for c, own in enumerate(covariance)])
    spread = np.trace(np.linalg.solve(covariance, about), axis1=1, axis2=2)
    return np.asarray(-weight * (log_root + 0.5 * shift.shape[1] * np.log(2 * np.pi)) - 0.5 * spread)


def component_sums(
    X: Reals, weight: Floats | None, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape, rule: Rule,
    has_missing: bool,
) -> GaussianSums:  # fmt: skip
    """Share the rows out among Gaussians and add them up; see `GaussianSums`. "tied" knows no missing values."""
    parts = []
    with blas_threads_for(2 * X.size * means.size):
        for rows in _blocks(X) or [slice(0, 0)]:
            part = _Part(X[rows], means, covariance, shape)
            w = np.ones(len(part.X)) if weight is None else weight[rows]
            parts.append(_part_sums(part, w, log_weight, rule.rows(rows)))
    return GaussianSums(*(sum(getattr(p, name) for p in parts) for name in GaussianSums.__dataclass_fields__))


def diagonal_sums(
    X: Reals, weight: Floats | None, means: Floats, variance: Floats, log_weight: Floats, rule: Rule
) -> GaussianSums:
    """Share the rows out among Gaussians of independent columns and add them up; see `GaussianSums`."""
    return component_sums(X, weight, means, variance, log_weight, "diagonal", rule, True)


def _blocks(X: Reals) -> list[slice]:
    height = max(1, _BLOCK_CELLS // X.shape[1])
    return [slice(first, min(len(X), first + height)) for first in range(0, len(X), height)]


class _Part:
    """Some rows under every component: completed residuals, and the covariance of what is missing."""

    def __init__(self, X: Reals, means: Floats, covariance: Floats, shape: Shape) -> None:
        self.X, self.means, self.shape = np.asarray(X, dtype=np.float64), means, shape
        self.missing = np.isnan(self.X)
        self.rows = np.flatnonzero(self.missing.any(axis=1))
        self.covariance = (
            np.broadcast_to(covariance, (len(means), *covariance.shape)) if shape == "tied" else covariance
        )

    def completed(self, c: int) -> tuple[Floats, Floats, list[tuple[int, NDArray[np.intp], Floats]]]:
        """Residuals (n, d), completed, what the log density gains (n,), and the missing values' covariance."""
        residual, gain, missing = self.X - self.means[c], np.zeros(len(self.X)), []
        precision = np.linalg.inv(self.covariance[c]) if len(self.rows) else None
        for i in self.rows:
            m, o = np.flatnonzero(self.missing[i]), np.flatnonzero(~self.missing[i])
            inverse = np.linalg.inv(precision[np.ix_(m, m)])  # type: ignore[index]
            residual[i, m] = -inverse @ precision[np.ix_(m, o)] @ residual[i, o]  # type: ignore[index]
            gain[i] = 0.5 * (len(m) * np.log(2 * np.pi) + np.linalg.slogdet(inverse)[1])
            missing.append((int(i), m, inverse))
        return residual, gain, missing


def _root(covariance: Floats, c: int) -> Floats:
    """The root of the covariance of component c."""
    try:
        return np.asarray(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        raise Singular(c) from None


def _log_joint(part: _Part, log_weight: Floats) -> Floats:
    """log weight + log N(x; mean, covariance), (n, k); a component without weight is not looked at."""
    columns = np.full((len(part.X), len(part.means)), -np.inf)
    with np.errstate(invalid="ignore"):  # infinite cells
        for c in np.flatnonzero(np.isfinite(log_weight)):
            columns[:, c] = log_weight[c] + _log_density(part, int(c))
    columns[np.isinf(part.X).any(axis=1)] = -np.inf
    return columns


def _log_density(part: _Part, c: int) -> Floats:
    from scipy.linalg import solve_triangular  # takes a while to load

    mean = part.means[c]
    if part.shape == "diagonal":
        variance = part.covariance[c]
        if not np.all(variance > 0):
            raise Singular(c)
        return np.asarray(-0.5 * np.nansum((part.X - mean) ** 2 / variance + np.log(2 * np.pi * variance), axis=1))
    root = _root(part.covariance[c], c)
    residual, gain, _ = part.completed(c)
    white = solve_triangular(root, residual.T, lower=True, check_finite=False)
    log_scale = np.log(np.diagonal(root)).sum() + 0.5 * len(mean) * np.log(2 * np.pi)
    return np.asarray(gain - log_scale - 0.5 * np.sum(white**2, axis=0))


def responsibilities(log_joint: Floats, rule: Rule) -> tuple[Floats, Floats]:
    """Each row's share of every component (n, k), and what the row adds to the log likelihood (n,)."""
    top = log_joint.max(axis=1, keepdims=True)
    share = np.where(log_joint - top < _LEAST, 0.0, np.exp(log_joint - top))
    total = share.sum(axis=1, keepdims=True)
    log_prob = (top + np.log(total))[:, 0]
    share /= total
    every = np.arange(len(share))
    chosen = None
    if rule.hard:
        chosen, log_prob = np.argmax(log_joint, axis=1), top[:, 0]
    elif rule.uniforms is not None:
        chosen = np.minimum((np.cumsum(share, axis=1) <= rule.uniforms[:, None]).sum(axis=1), share.shape[1] - 1)
    if chosen is not None:
        share = np.eye(share.shape[1])[chosen]
    if rule.labels is not None:
        known = rule.labels >= 0
        share[known] = np.eye(share.shape[1])[rule.labels[known]]
        log_prob = np.where(known, log_joint[every, np.maximum(rule.labels, 0)], log_prob)
    return share, log_prob


def _part_sums(part: _Part, w: Floats, log_weight: Floats, rule: Rule) -> GaussianSums:
    log_joint = _log_joint(part, log_weight)
    share, log_prob = responsibilities(log_joint, rule)
    share *= w[:, None]
    k, d = part.means.shape
    first, second = np.zeros((k, d)), np.zeros(part.covariance.shape)
    weight_missing = share.T @ part.missing if part.shape == "diagonal" else np.zeros((k, d))
    for c in np.flatnonzero(np.isfinite(log_weight)):
        first[c], second[c] = _component_sums(part, int(c), share[:, c])
    if part.shape == "tied":
        about = part.X - centre_of(part.means, log_weight)
        second = (about.T * w) @ about
    return GaussianSums(share.sum(axis=0), first, second, weight_missing, float(w @ log_prob))


def _component_sums(part: _Part, c: int, own: Floats) -> tuple[Floats, Floats]:
    """First and second moments about the mean of a component, whose weights of the rows are `own` (n,)."""
    if part.shape == "diagonal":
        residual = np.where(part.missing, 0.0, part.X - part.means[c])
        return own @ residual, own @ residual**2
    residual, _, missing = part.completed(c)
    scatter = (residual.T * own) @ residual
    for i, m, inverse in missing:
        scatter[np.ix_(m, m)] += own[i] * inverse
    return own @ residual, scatter
