"""Sums over linear predictors: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals, Whole
from ..weights import given_or_ones
from .values import LossTotals, Parts, SoftmaxTotals


def loss_sums(
    X: Reals, slope: Floats, intercept: float, y: Floats, weight: Floats | None, kind: str, parts: Parts, curved: bool
) -> LossTotals:
    """The sums of a loss at η = X slope + intercept, which kernels know by its kind and all others by its parts."""
    w = given_or_ones(weight, X.shape[0])
    value, gradient, curvature = parts(X.astype(np.float64, copy=False) @ slope + intercept, y)
    own = w * gradient
    along = np.asarray(X.T @ own, dtype=np.float64)
    return LossTotals(float(w.sum()), float(w @ value), float(own.sum()), along, curvature if curved else None)


def softmax_sums(
    X: Reals, slope: Floats, intercept: Floats, y: Whole, weight: Floats | None, curved: bool
) -> SoftmaxTotals:
    """The sums of the softmax loss of classes y at η = X slope + intercept, slope (d, k), and the probabilities."""
    w = given_or_ones(weight, X.shape[0])
    eta = X.astype(np.float64, copy=False) @ slope + intercept
    top = eta.max(axis=1, keepdims=True)
    e = np.exp(eta - top)
    total = e.sum(axis=1, keepdims=True)
    rows, share = np.arange(len(y)), e / total
    value = np.log(total[:, 0]) + top[:, 0] - eta[rows, y]
    own = share * w[:, None]
    own[rows, y] -= w
    along = np.asarray(X.T @ own, dtype=np.float64)
    return SoftmaxTotals(float(w.sum()), float(w @ value), own.sum(axis=0), along, share if curved else None)
