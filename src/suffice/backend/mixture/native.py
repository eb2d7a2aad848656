"""The kernels of Gaussian mixtures; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import GaussianSums, Rule, Shape, Singular

_CODES = {"full": 0, "tied": 1, "diagonal": 2}


def has_missing(X: Reals) -> bool:
    """Whether a cell is missing."""
    at = kernels().first_bad(X, False, thread_count())
    if at < 0:
        return False
    return bool(np.isnan(X[divmod(at, X.shape[1])]) or np.isnan(X).any())  # an infinite cell may come first


def component_log_probs(
    X: Reals, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape, has_missing: bool
) -> Floats:
    """log weight + log N(x; mean, covariance)."""
    out = np.empty((len(X), len(means)))
    bad = kernels().gaussian_log_probs(
        X, doubles(means), doubles(covariance), doubles(log_weight), _CODES[shape], has_missing, thread_count(), out
    )
    if bad >= 0:
        raise Singular(bad)
    return out


def diagonal_log_probs(X: Reals, means: Floats, variance: Floats, log_weight: Floats) -> Floats:
    """log weight + log N(x; mean, diagonal variance)."""
    return component_log_probs(X, means, variance, log_weight, "diagonal", True)


def moment_log_probs(scatter: Floats, shift: Floats, weight: Floats, covariance: Floats) -> Floats:
    """Σ w log N(x; m, covariance) of rows summed up."""
    out = np.empty(len(weight))
    bad = kernels().moment_log_probs(
        doubles(scatter), doubles(shift), doubles(weight), doubles(covariance), thread_count(), out
    )
    if bad >= 0:
        raise Singular(bad)
    return out


def component_sums(
    X: Reals, weight: Floats | None, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape,
    rule: Rule, has_missing: bool,
) -> GaussianSums:  # fmt: skip
    """Share the rows out and add them up."""
    k, d = means.shape
    second = np.zeros({"full": (k, d, d), "tied": (d, d), "diagonal": (k, d)}[shape])
    total, first, cells, log_likelihood = np.zeros(k), np.zeros((k, d)), np.zeros((k, d)), np.zeros(1)
    bad = kernels().mixture_sums(
        X, doubles(weight), doubles(means), doubles(covariance), doubles(log_weight), _CODES[shape], has_missing,
        rule.hard, rule.labels, doubles(rule.uniforms), thread_count(), total, first, second, cells, log_likelihood,
    )  # fmt: skip
    if bad >= 0:
        raise Singular(bad)
    return GaussianSums(total, first, second, cells, float(log_likelihood[0]))


def diagonal_sums(
    X: Reals, weight: Floats | None, means: Floats, variance: Floats, log_weight: Floats, rule: Rule
) -> GaussianSums:
    """Share the rows out and add up their columns."""
    return component_sums(X, weight, means, variance, log_weight, "diagonal", rule, True)
