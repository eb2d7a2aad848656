"""How far to go along a direction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..typing import Floats

_FALL, _BEND, _TRIALS = 1e-4, 0.9, 40  # Armijo's and Wolfe's constants for quasi-Newton directions


def searched(
    evaluate: Callable[[Floats], tuple[float, Floats]],
    at: Floats,
    direction: Floats,
    value: float,
    gradient: Floats,
    first: float,
    flat: float = _BEND,
) -> tuple[Floats, float, Floats] | None:
    """A point along the direction with Wolfe's conditions, its value and gradient; None where nothing is lower.

    The objective falls enough, f(t) ≤ f(0) + 1e-4 t f'(0), and its slope is flatter, |f'(t)| ≤ `flat` |f'(0)|. Lengths
    are bracketed, then cut by the cubic through both ends.
    """
    slope = float(gradient @ direction)
    slack = 4 * np.finfo(np.float64).eps * abs(value)
    low, low_value, low_slope = 0.0, value, slope
    high, high_value, high_slope = np.inf, np.inf, np.inf
    length, best = first, None
    for _ in range(_TRIALS):
        theta = at + length * direction
        here, own = evaluate(theta)
        bend = float(own @ direction) if np.isfinite(here) else np.inf
        if not here <= value + _FALL * length * slope + slack or (low > 0 and here > low_value):
            high, high_value, high_slope = length, here, bend
        else:
            best = theta, here, own
            if abs(bend) <= flat * abs(slope):
                return best
            if bend > 0:
                high, high_value, high_slope = length, here, bend
            else:
                low, low_value, low_slope = length, here, bend
        if np.isfinite(high) and high - low <= 1e-12 * high:
            break
        length = _next(low, low_value, low_slope, high, high_value, high_slope)
    return best


def _next(low: float, f_low: float, s_low: float, high: float, f_high: float, s_high: float) -> float:
    """Between both ends where the cubic through them is least, and not too close to either."""
    if not np.isfinite(high):
        return 4 * low if low > 0 else 1.0
    if not (np.isfinite(f_high) and np.isfinite(s_high)):
        return low + 0.1 * (high - low)
    width = high - low
    d = s_low + s_high - 3 * (f_high - f_low) / width
    square = d * d - s_low * s_high
    if square < 0:
        return low + 0.5 * width
    root = float(np.sqrt(square))
    below = s_high - s_low + 2 * root
    share = 1 - (s_high + root - d) / below if below != 0 else 0.5
    return low + width * min(max(share, 0.1), 0.9)
