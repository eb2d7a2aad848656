"""Sums over linear predictors: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals
from ..weights import given_or_ones
from .values import LossTotals, Parts


def loss_sums(
    X: Reals, slope: Floats, intercept: float, y: Floats, weight: Floats | None, kind: str, parts: Parts, curved: bool
) -> LossTotals:
    """The sums of a loss at η = X slope + intercept, which kernels know by its kind and all others by its parts."""
    w = given_or_ones(weight, X.shape[0])
    value, gradient, curvature = parts(X.astype(np.float64, copy=False) @ slope + intercept, y)
    own = w * gradient
    along = np.asarray(X.T @ own, dtype=np.float64)
    return LossTotals(float(w.sum()), float(w @ value), float(own.sum()), along, curvature if curved else None)
