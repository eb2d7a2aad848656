"""Scales on which a figure with bounds is nearly normal, so that Student's t holds there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..typing import Floats


@dataclass(frozen=True)
class Scale:
    """A growing function of a figure, and the way back."""

    name: str
    forward: Callable[[Any], Any]
    back: Callable[[Any], Any]


PLAIN = Scale("plain", lambda value: value, lambda value: value)


def scale_of(bounds: tuple[float, float]) -> Scale:
    """The usual scale of a figure between these bounds.

    A loss (0 to ∞) has the logarithm, R² (−∞ to 1) −log(1 − R²), a correlation (−1 to 1) Fisher's z, and a rate, or
    whatever else has two ends, the arcsine of its root. Without bounds nothing is changed.

    >>> round(float(scale_of((-1.0, 1.0)).forward(0.5)), 4)
    0.5493
    >>> [float(scale_of((-math.inf, 1.0)).back(x)) for x in (-math.inf, 0.0, math.inf)]
    [-inf, 0.0, 1.0]
    """
    low, high = bounds
    if math.isinf(low) and math.isinf(high):
        return PLAIN
    if math.isinf(high):
        return Scale("log", lambda v: _log(np.subtract(v, low)), lambda x: low + np.exp(x))
    if math.isinf(low):
        return Scale("log", lambda v: -_log(np.subtract(high, v)), lambda x: high - np.exp(np.negative(x)))
    if bounds == (-1.0, 1.0):
        return Scale("Fisher's z", _arctanh, np.tanh)
    width = high - low
    return Scale(
        "arcsine",
        lambda v: np.arcsin(np.sqrt(np.clip(np.subtract(v, low) / width, 0, 1))),
        lambda x: low + width * np.sin(np.clip(x, 0, math.pi / 2)) ** 2,
    )


def _log(value: Floats) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(value)


def _arctanh(value: Floats) -> object:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.arctanh(value)
