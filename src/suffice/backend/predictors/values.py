"""What the operations on linear predictors take and give."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...typing import Floats

KINDS = ("logistic", "poisson", "squared_hinge", "squared")  # losses that kernels know, in their order
Parts = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]  # of η and y: value, gradient and curvature


class LossTotals(NamedTuple):
    """Σw, Σ w ℓ, Σ w g, Σ w g x (d,), and the curvature h of each row (n,), None where nobody asked for it."""

    weight: float
    value: float
    offset: float
    slope: Floats
    curvature: Floats | None


class SoftmaxTotals(NamedTuple):
    """Σw, Σ w ℓ, Σ w g (k,), Σ w g x (d, k), and the probabilities of each row (n, k), None where nobody asked."""

    weight: float
    value: float
    offset: Floats
    slope: Floats
    share: Floats | None
