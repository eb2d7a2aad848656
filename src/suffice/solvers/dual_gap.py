"""How much an objective with a penalty on single slopes can still fall."""

from __future__ import annotations

import numpy as np

from ..backend.coordinate import Costs
from ..statistics import GradientSums
from ..typing import Floats
from .problem import Coefficients


def dual_gap(at: Coefficients, sums: GradientSums, costs: Costs, spread: Floats, quadratic: bool) -> float:
    """At least by how much the objective can still fall, by Fenchel's dual at the gradient of the loss, scaled.

    With c ≤ 1 that brings the gradient g within the constraints, it is (1 − c) ℓ and, for each slope, what Fenchel and
    Young's inequality leaves of its cost: p(w) + p*(−c g) + c g w. Losses enter by their value alone, as they are
    convex and at least 0. For slopes without any cost it is what a step of that slope alone would gain.
    """
    w, pull, absolute, squared = at.slope.ravel(), -sums.slope.ravel(), costs.absolute, costs.squared
    over = np.maximum(pull, 0.0) if costs.positive else np.abs(pull)
    bent, held = squared > 0, absolute > 0
    outside = (over > absolute) & held & ~bent
    scale = float((absolute[outside] / over[outside]).min()) if np.count_nonzero(outside) else 1.0
    left = absolute * np.abs(w) - scale * pull * w
    if np.count_nonzero(bent):
        beyond = np.maximum(scale * over - absolute, 0.0)[bent]
        left[bent] += 0.5 * (squared[bent] * w[bent] ** 2 + beyond**2 / squared[bent])
    free = ~(held | bent)
    if np.count_nonzero(free):
        step = np.where(w > 0, np.abs(pull), over) if costs.positive else over
        left[free] = np.where(spread > 0, 0.5 * (step / np.where(spread > 0, spread, 1.0)) ** 2, 0.0)[free]
    rest = (1 - scale) * sums.value * ((1 - scale) if quadratic else 1.0)
    return max(0.0, float(left.sum()) + rest + 0.5 * float(np.vdot(sums.offset, sums.offset)))  # below 0 by rounding
