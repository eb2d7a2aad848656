"""Posteriors in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, NumberLike, Reals, Whole


def comparable(log_joint: Floats, log_prior: Floats) -> Floats:
    """log P(c) + log p(x | c), (n, k), of which at least one in each row is finite and none is NaN or +∞.

    Where no class has a density above 0, or one that can be computed, the row says nothing: log P(c) is left.

    >>> comparable(np.array([[-2.0, -1.0], [-np.inf, -np.inf], [np.nan, -3.0]]), np.log([0.25, 0.75])).round(2)
    array([[-2.  , -1.  ],
           [-1.39, -0.29],
           [ -inf, -3.  ]])
    """
    with np.errstate(invalid="ignore"):
        if np.isfinite(log_joint).all():
            return log_joint
        found = np.where(np.isnan(log_joint), -np.inf, log_joint)
        infinite = np.isposinf(found)
        found = np.where(infinite.any(axis=1, keepdims=True), np.where(infinite, 0.0, -np.inf), found)
    return np.where(np.isneginf(found).all(axis=1, keepdims=True), log_prior, found)


def posterior(log_joint: Floats, log_prior: Floats) -> Floats:
    """P(c | x), (n, k): every row sums to 1."""
    shifted, total = _shifted(comparable(log_joint, log_prior))
    return np.asarray(np.exp(shifted) / total)


def log_posterior(log_joint: Floats, log_prior: Floats) -> Floats:
    """log P(c | x), (n, k)."""
    shifted, total = _shifted(comparable(log_joint, log_prior))
    return np.asarray(shifted - np.log(total))


def log_total(log_joint: Floats) -> Floats:
    """log Σ p(x, c), (n,); −∞ where no class has a density above 0."""
    top = log_joint.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(safe + np.log(np.exp(log_joint - safe[:, None]).sum(axis=1)))


def likeliest(log_joint: Floats, log_prior: Floats) -> Whole:
    """The class with the largest log P(c) + log p(x | c), (n,), the first among equals."""
    return np.asarray(np.argmax(comparable(log_joint, log_prior), axis=1))


def proportions(votes: Floats, otherwise: Floats) -> Floats:
    """Votes that are not negative, (n, k), as parts of their row's sum; `otherwise` (k,) where there are none."""
    top = votes.max(axis=1, keepdims=True)
    some = np.isfinite(top) & (top > 0)
    scaled = np.where(some, votes / np.where(some, top, 1.0), otherwise)  # the sum of very large votes overflows
    return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def rounded(values: NumberLike, dtype: np.dtype[np.generic]) -> Reals:
    """The values in the precision of the rows; what is too large for it becomes infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=dtype)


def rounded_logs(values: Floats, dtype: np.dtype[np.floating]) -> Reals:
    """Logarithms of probabilities in the precision of the rows: 0 where the probability is 1 in it.

    Written into `values`, where these have it already.
    """
    found = rounded(values, dtype)
    np.copyto(found, 0, where=found > -np.finfo(dtype).epsneg / 2)
    return found


def _shifted(joint: Floats) -> tuple[Floats, Floats]:
    """The logarithms less the largest of their row, (n, k), and the sums of their exponentials, (n, 1), from 1 to k."""
    shifted = joint - joint.max(axis=1, keepdims=True)
    return shifted, np.exp(shifted).sum(axis=1, keepdims=True)
