"""How alike two points of a map look at which distance, by the distance that is near enough."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

from ...typing import Floats

_KNOTS = 300
_SPREADS = 3  # as far as the curve is fitted


def fitted_curve(min_dist: float, spread: float) -> tuple[float, float]:
    """The a and b of 1 / (1 + a d^2b) that is nearest to 1 up to `min_dist`, and falls by e at each `spread` beyond.

    >>> [round(x, 3) for x in fitted_curve(0.1, 1.0)]
    [1.577, 0.895]
    """
    d = np.linspace(0, _SPREADS, _KNOTS)  # in units of the spread
    wanted = np.exp(-np.maximum(d - min_dist / spread, 0.0))

    def left(logs: Floats) -> Floats:
        a, b = np.exp(logs)
        return np.asarray(1 / (1 + a * d ** (2 * b)) - wanted)

    a, b = np.exp(least_squares(left, np.zeros(2), xtol=1e-12, ftol=1e-12, gtol=1e-12).x)
    return float(a / spread ** (2 * b)), float(b)
