"""The kernels of Gaussian mixtures: log densities, and a round of EM that keeps no matrix of shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from . import native
from .dispatch import is_native
from .threads import thread_count

Floats = NDArray[np.float64]
Shape = Literal["full", "tied", "diagonal"]
_CODES = {"full": 0, "tied": 1, "diagonal": 2}
_MOST_COLUMNS = 128  # beyond, matrix products by BLAS are faster
_BLOCK_CELLS = 1 << 18
_LEAST = -41.0  # log of the smallest share of a row that a double could notice


class Singular(InvalidData):
    """A covariance without a root; `component` says which."""

    def __init__(self, component: int) -> None:
        super().__init__(component)  # the only argument, so that it can be pickled
        self.component = component

    def __str__(self) -> str:
        return (
            f"Gaussian: the covariance of component {self.component} is singular, so that it has no density. Leave out "
            "columns that others determine, or add a floor to the variances."
        )


@dataclass(frozen=True)
class Rule:
    """How rows are shared out among components: by posterior (soft), to the likeliest (hard), or drawn (uniforms).

    `labels` (n,) int32 fixes the component of a row, -1 leaves it open; `uniforms` (n,) lie in [0, 1).
    """

    hard: bool = False
    labels: Any = None
    uniforms: Any = None

    def rows(self, part: slice) -> Rule:
        """The rule for some of the rows."""
        labels = None if self.labels is None else self.labels[part]
        return Rule(self.hard, labels, None if self.uniforms is None else self.uniforms[part])


@dataclass(frozen=True)
class GaussianSums:
    """What shared-out rows add up to: weight (k,), and about the present means the first (k, d) and second moments.

    `second` is (k, d, d), or (d, d) about `centre` for all components together, or (k, d). `gaps` (k, d) is the weight
    of cells that were missing (diagonal only).
    """

    weight: Floats
    first: Floats
    second: Floats
    gaps: Floats
    log_likelihood: float


def gaussian_log_probs(X: Any, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape) -> Floats:
    """log weight + log N(x; mean, covariance), (n, k); gaps are left out, a weight of zero gives -inf."""
    gaps = _checked(X, means.shape[1], log_weight)
    covariance, shape = _untied(covariance, len(means), shape, gaps)
    if not is_native(X) or X.shape[1] > _MOST_COLUMNS:
        parts = [_log_joint(_Part(X[rows], means, covariance, shape), log_weight) for rows in _blocks(X)]
        return np.concatenate([np.empty((0, len(means))), *parts])
    out = np.empty((len(X), len(means)))
    bad = native.kernels().gaussian_log_probs(
        X, means, covariance, log_weight, _CODES[shape], gaps, thread_count(), out
    )
    if bad >= 0:
        raise Singular(bad)
    return out


def gaussian_sums(
    X: Any, weight: Any, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape, rule: Rule
) -> GaussianSums:
    """Share the rows out among Gaussians and add them up; see `GaussianSums`."""
    k, d = means.shape
    gaps = _checked(X, d, log_weight)
    tied = shape == "tied" and gaps
    covariance, shape = _untied(covariance, k, shape, gaps)
    if not is_native(X) or d > _MOST_COLUMNS:
        found = _portable_sums(X, weight, means, covariance, log_weight, shape, rule)
    else:
        found = _native_sums(X, weight, means, covariance, log_weight, shape, rule, gaps)
    return _pooled(found, means, log_weight) if tied else found


def centre_of(means: Floats, log_weight: Floats) -> Floats:
    """What the second moments of tied components are about: the mean of the means of those with a weight."""
    return np.asarray(means[np.isfinite(log_weight)].mean(axis=0))


def _native_sums(X: Any, weight: Any, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape, rule: Rule,
                 gaps: bool) -> GaussianSums:  # fmt: skip
    k, d = means.shape
    second = np.zeros({"full": (k, d, d), "tied": (d, d), "diagonal": (k, d)}[shape])
    total, first, cells, log_likelihood = np.zeros(k), np.zeros((k, d)), np.zeros((k, d)), np.zeros(1)
    bad = native.kernels().mixture_sums(
        X, weight, means, covariance, log_weight, _CODES[shape], gaps, rule.hard, rule.labels, rule.uniforms,
        thread_count(), total, first, second, cells, log_likelihood,
    )  # fmt: skip
    if bad >= 0:
        raise Singular(bad)
    return GaussianSums(total, first, second, cells, float(log_likelihood[0]))


def has_gaps(X: Any) -> bool:
    """Whether a cell is missing."""
    if not is_native(X):
        return bool(np.isnan(X).any())
    # The sum is NaN if a cell is. Partial sums that overflow both ways make it NaN too, which costs time alone.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(np.add.reduce(X, axis=None)))


def _checked(X: Any, d: int, log_weight: Floats) -> bool:
    """Whether a cell is missing; refuses what the kernels could not read."""
    if X.ndim != 2 or X.shape[1] != d:
        raise InvalidData(f"Gaussian: rows must have {d} columns; got an array of shape {X.shape}.")
    if not np.isfinite(log_weight).any():
        raise InvalidParameter("Mixture: weights must hold a positive number; all are zero.")
    return has_gaps(X)


def _untied(covariance: Floats, k: int, shape: Shape, gaps: bool) -> tuple[Floats, Shape]:
    """With gaps every component completes its rows by itself, so a shared covariance is written out."""
    if shape == "tied" and gaps:
        return np.ascontiguousarray(np.broadcast_to(covariance, (k, *covariance.shape))), "full"
    return covariance, shape


def _pooled(found: GaussianSums, means: Floats, log_weight: Floats) -> GaussianSums:
    """Second moments of each component about its mean as those of all about the centre."""
    centre = centre_of(means, log_weight)
    about = means - centre
    cross = np.einsum("ki,kj->ij", found.first, about)
    second = found.second.sum(axis=0) + cross + cross.T + (about.T * found.weight) @ about
    return GaussianSums(found.weight, found.first, second, found.gaps, found.log_likelihood)


# -- the portable form, which is the definition -----------------------------------------------------------------------


def _blocks(X: Any) -> list[slice]:
    height = max(1, _BLOCK_CELLS // X.shape[1])
    return [slice(first, min(len(X), first + height)) for first in range(0, len(X), height)]


class _Part:
    """Some rows under every component: completed residuals, and the covariance of what is missing."""

    def __init__(self, X: Any, means: Floats, covariance: Floats, shape: Shape) -> None:
        self.X, self.means, self.shape = np.asarray(X, dtype=np.float64), means, shape
        self.gaps = np.isnan(self.X)
        self.rows = np.flatnonzero(self.gaps.any(axis=1))
        self.covariance = (
            np.broadcast_to(covariance, (len(means), *covariance.shape)) if shape == "tied" else covariance
        )

    def root(self, c: int) -> Floats:
        """The root of a covariance."""
        try:
            return np.asarray(np.linalg.cholesky(self.covariance[c]))
        except np.linalg.LinAlgError:
            raise Singular(c) from None

    def completed(self, c: int) -> tuple[Floats, Floats, list[tuple[int, NDArray[np.intp], Floats]]]:
        """Residuals (n, d) with gaps filled, what the log density gains (n,), and each gap's covariance."""
        residual, gain, missing = self.X - self.means[c], np.zeros(len(self.X)), []
        precision = np.linalg.inv(self.covariance[c]) if len(self.rows) else None
        for i in self.rows:
            m, o = np.flatnonzero(self.gaps[i]), np.flatnonzero(~self.gaps[i])
            inverse = np.linalg.inv(precision[np.ix_(m, m)])  # type: ignore[index]
            residual[i, m] = -inverse @ precision[np.ix_(m, o)] @ residual[i, o]  # type: ignore[index]
            gain[i] = 0.5 * (len(m) * np.log(2 * np.pi) + np.linalg.slogdet(inverse)[1])
            missing.append((int(i), m, inverse))
        return residual, gain, missing


def _log_joint(part: _Part, log_weight: Floats) -> Floats:
    """log weight + log N(x; mean, covariance), (n, k); a component without weight is not looked at."""
    columns = np.full((len(part.X), len(part.means)), -np.inf)
    for c in np.flatnonzero(np.isfinite(log_weight)):
        columns[:, c] = log_weight[c] + _log_density(part, int(c))
    return columns


def _log_density(part: _Part, c: int) -> Floats:
    mean = part.means[c]
    if part.shape == "diagonal":
        variance = part.covariance[c]
        if not np.all(variance > 0):
            raise Singular(c)
        return np.asarray(-0.5 * np.nansum((part.X - mean) ** 2 / variance + np.log(2 * np.pi * variance), axis=1))
    root = part.root(c)
    residual, gain, _ = part.completed(c)
    white = np.linalg.solve(root, residual.T)
    log_scale = np.log(np.diagonal(root)).sum() + 0.5 * len(mean) * np.log(2 * np.pi)
    return np.asarray(gain - log_scale - 0.5 * np.sum(white**2, axis=0))


def shares(log_joint: Floats, rule: Rule) -> tuple[Floats, Floats]:
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


def _portable_sums(X: Any, weight: Any, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape,
                   rule: Rule) -> GaussianSums:  # fmt: skip
    parts = []
    for rows in _blocks(X) or [slice(0, 0)]:
        part = _Part(X[rows], means, covariance, shape)
        w = np.ones(len(part.X)) if weight is None else weight[rows]
        parts.append(_part_sums(part, w, log_weight, rule.rows(rows)))
    return GaussianSums(*(sum(getattr(p, name) for p in parts) for name in GaussianSums.__dataclass_fields__))


def _part_sums(part: _Part, w: Floats, log_weight: Floats, rule: Rule) -> GaussianSums:
    log_joint = _log_joint(part, log_weight)
    share, log_prob = shares(log_joint, rule)
    share *= w[:, None]
    k, d = part.means.shape
    first, gaps, second = np.zeros((k, d)), share.T @ part.gaps, np.zeros(part.covariance.shape)
    for c in np.flatnonzero(np.isfinite(log_weight)):
        first[c], second[c] = _component_sums(part, int(c), share[:, c])
    if part.shape == "tied":
        about = part.X - centre_of(part.means, log_weight)
        second = (about.T * w) @ about
    return GaussianSums(share.sum(axis=0), first, second, gaps, float(w @ log_prob))


def _component_sums(part: _Part, c: int, own: Floats) -> tuple[Floats, Floats]:
    """First and second moments about the mean of a component, whose weights of the rows are `own` (n,)."""
    if part.shape == "diagonal":
        residual = np.where(part.gaps, 0.0, part.X - part.means[c])
        return own @ residual, own @ residual**2
    residual, _, missing = part.completed(c)
    scatter = (residual.T * own) @ residual
    for i, m, inverse in missing:
        scatter[np.ix_(m, m)] += own[i] * inverse
    return own @ residual, scatter
