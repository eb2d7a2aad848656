"""The operations of Gaussian mixtures: log densities, and EM that keeps no matrix of responsibilities."""

from __future__ import annotations

import numpy as np

from ...errors import InvalidData, InvalidParameter
from ...typing import Floats, Reals
from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .portable import responsibilities
from .values import GaussianSums, Rule, Shape, Singular, centre_of

__all__ = [
    "GaussianSums", "Rule", "Shape", "Singular", "centre_of", "component_log_probs", "component_sums",
    "diagonal_log_probs", "diagonal_sums", "gaussian_log_probs", "gaussian_sums", "has_missing", "moment_log_probs",
    "responsibilities",
]  # fmt: skip

has_missing = Operation(Native(native.has_missing), Portable(portable.has_missing, any_array=True))
component_log_probs = Operation(Native(native.component_log_probs), Portable(portable.component_log_probs))
moment_log_probs = Operation(
    Native(native.moment_log_probs, dtypes=(DOUBLE,)), Portable(portable.moment_log_probs, in_memory=True)
)
component_sums = Operation(Native(native.component_sums), Portable(portable.component_sums))
diagonal_log_probs = Operation(Native(native.diagonal_log_probs), Portable(portable.diagonal_log_probs))
diagonal_sums = Operation(Native(native.diagonal_sums), Portable(portable.diagonal_sums))


def gaussian_log_probs(X: Reals, means: Floats, covariance: Floats, log_weight: Floats, shape: Shape) -> Floats:
    """log weight + log N(x; mean, covariance), (n, k), −∞ for rows with an infinite cell and for a weight of zero.

    Missing cells are left out.
    """
    _check(X, means.shape[1], log_weight)
    if shape == "diagonal":
        return diagonal_log_probs(X, means, covariance, log_weight)
    missing = has_missing(X)
    covariance, shape = _untied(covariance, len(means), shape, missing)
    return component_log_probs(X, means, covariance, log_weight, shape, missing)


def gaussian_sums(
    X: Reals,
    weight: Floats | None,
    means: Floats,
    covariance: Floats,
    log_weight: Floats,
    shape: Shape,
    rule: Rule,
) -> GaussianSums:
    """Share the rows out among Gaussians and add them up; see `GaussianSums`."""
    k, d = means.shape
    _check(X, d, log_weight)
    if shape == "diagonal":
        return diagonal_sums(X, weight, means, covariance, log_weight, rule)
    missing = has_missing(X)
    tied = shape == "tied" and missing
    covariance, shape = _untied(covariance, k, shape, missing)
    found = component_sums(X, weight, means, covariance, log_weight, shape, rule, missing)
    return _pooled(found, means, log_weight) if tied else found


def _check(X: Reals, d: int, log_weight: Floats) -> None:
    """Refuse what the kernels could not read."""
    if X.ndim != 2 or X.shape[1] != d:
        raise InvalidData(f"Gaussian: rows must have {d} columns; got an array of shape {X.shape}.")
    if not np.isfinite(log_weight).any():
        raise InvalidParameter("Mixture: weights must hold a positive number; all are zero.")


def _untied(covariance: Floats, k: int, shape: Shape, missing: bool) -> tuple[Floats, Shape]:
    """With missing values every component completes its rows by itself, so a shared covariance is written out."""
    if shape == "tied" and missing:
        return np.ascontiguousarray(np.broadcast_to(covariance, (k, *covariance.shape))), "full"
    return covariance, shape


def _pooled(found: GaussianSums, means: Floats, log_weight: Floats) -> GaussianSums:
    """Second moments of each component about its mean as those of all about the centre."""
    centre = centre_of(means, log_weight)
    about = means - centre
    cross = np.einsum("ki,kj->ij", found.first, about)
    second = found.second.sum(axis=0) + cross + cross.T + (about.T * found.weight) @ about
    return GaussianSums(found.weight, found.first, second, found.missing, found.log_likelihood)
