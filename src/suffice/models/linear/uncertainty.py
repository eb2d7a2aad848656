"""How sure the slopes of a regression are: computed when it is asked for, from the summary of the fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...statistics import Moments, RootMoments, SparseRows
from ...typing import Floats
from .estimable import Estimable
from .inverse import EPS, Inverse, determined, inverted, inverted_root, scaled_system, unit_of, unit_of_root
from .least_squares import root_of, scatter_of


@dataclass(frozen=True)
class Uncertainty:
    """In units of the noise variance: the variance of each slope (q, p), and of the slopes' part in the intercept (q,).

    `used` (q,) counts the degrees of freedom that the slopes use. Slopes that columns do not determine have NaN.
    """

    slopes: Floats
    at_zero: Floats
    used: Floats


def uncertainty(summary: Moments | RootMoments | SparseRows, p: int, alpha: Floats, centred: bool) -> Uncertainty:
    """Of the regression of the columns after the first p on those, with penalty alpha (q,)."""
    summary = _filled_in(summary)
    mean = summary.mean[:p]
    values, at = np.unique(alpha, return_inverse=True)
    with np.errstate(over="ignore", invalid="ignore"):  # slopes of columns below 1e-154 have no squares
        each = [inverse_of(summary, p, float(a), centred) for a in values]
        slopes, at_zero = (
            np.array([part.variances for part in each]),
            [part.variance_of(mean[None])[0] for part in each],
        )
    used = np.array([part.used for part in each])
    return Uncertainty(slopes[at], np.array(at_zero)[at], used[at])


def whole_inverse(summary: Moments | RootMoments | SparseRows, p: int, alpha: float, centred: bool) -> Inverse:
    """The inverse of the products of the first p columns with a penalty, (p, p)."""
    return _inverse(_filled_in(summary), p, alpha, centred)


def condition(summary: Moments | RootMoments | SparseRows, p: int, alpha: float, centred: bool) -> float:
    """The condition number of the columns scaled to length 1, with a penalty; infinite for dependent ones."""
    summary = _filled_in(summary)
    if isinstance(summary, RootMoments) and not _has_fewer_rows(summary, p, centred):
        return _inverse(summary, p, alpha, centred).condition
    if isinstance(summary, RootMoments) and alpha == 0:
        return np.inf
    S = scatter_of(summary, centred) if isinstance(summary, Moments) else _squared(root_of(summary, centred)[:, :p])
    Sxx = S[:p, :p]
    with np.errstate(over="ignore", divide="ignore"):
        system = scaled_system(Sxx, alpha, unit_of(Sxx, summary.mean[:p], summary.weight))
    if not np.isfinite(system).all():  # squares that overflow, or columns that are all but constant
        return np.inf
    values = np.linalg.eigvalsh(system)
    independent = values[0] > 10 * p * EPS * max(values[-1], 0.0)
    return float(np.sqrt(values[-1] / values[0])) if independent else np.inf


def _filled_in(summary: Moments | RootMoments | SparseRows) -> Moments | RootMoments:
    """Sparse rows as the smaller of their products and themselves."""
    if not isinstance(summary, SparseRows):
        return summary
    return summary.squared() if len(summary.row_weight) > len(summary.mean) else summary.filled()


def _squared(root: Floats) -> Floats:
    return root.T @ root


def _has_fewer_rows(summary: RootMoments, p: int, centred: bool) -> bool:
    return len(summary.root) + (not centred) < p


@dataclass(frozen=True)
class _FewRows:
    """The same as `Inverse` where there are fewer rows than columns, by a root of A Sxx A, (r, p)."""

    root: Floats
    used: float
    estimable: Estimable | None

    @property
    def variances(self) -> Floats:
        found = np.einsum("rp,rp->p", self.root, self.root)
        return np.asarray(found if self.estimable is None else np.where(self.estimable.each, found, np.nan))

    def variance_of(self, functions: Floats) -> Floats:
        parts = functions @ self.root.T
        return determined(np.einsum("nr,nr->n", parts, parts), functions, self.estimable)


def inverse_of(summary: Moments | RootMoments | SparseRows, p: int, alpha: float, centred: bool) -> Inverse | _FewRows:
    """What the variances of functions of the slopes follow from, with a penalty."""
    summary = _filled_in(summary)
    if not (isinstance(summary, RootMoments) and _has_fewer_rows(summary, p, centred)):
        return _inverse(summary, p, alpha, centred)
    _, s, Vt = np.linalg.svd(root_of(summary, centred)[:, :p], full_matrices=False)
    kept = s > p * EPS * s[0]
    s, Vt = s[kept], Vt[kept]
    root, used = (s / (s**2 + alpha))[:, None] * Vt, float(np.sum(s**2 / (s**2 + alpha)))
    return _FewRows(root, used, None if alpha > 0 else Estimable(Vt, np.ones(p)))


def _inverse(summary: Moments | RootMoments, p: int, alpha: float, centred: bool) -> Inverse:
    mean, weight = summary.mean[:p], summary.weight
    if isinstance(summary, Moments):
        Sxx = scatter_of(summary, centred)[:p, :p]
        return inverted(Sxx, alpha, unit_of(Sxx, mean, weight))
    Rx = root_of(summary, centred)[:, :p]
    return inverted_root(Rx, alpha, unit_of_root(Rx, mean, weight))[0]
