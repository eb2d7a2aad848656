"""Parzen windows: what a row at some distance counts, as a function of u = distance / radius."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """K(u), and whether it is 0 beyond u = 1; for windows that never end, log K(u), so that nothing underflows."""

    name: str
    ends: bool
    weigh: Callable[[Floats], Any]


WINDOWS = {
    window.name: window
    for window in (
        Window("constant", True, np.ones_like),
        Window("triangular", True, lambda u: 1 - u),
        Window("epanechnikov", True, lambda u: 1 - u**2),
        Window("biweight", True, lambda u: (1 - u**2) ** 2),
        Window("tricube", True, lambda u: (1 - u**3) ** 3),
        Window("gaussian", False, lambda u: -0.5 * u**2),
        Window("exponential", False, lambda u: -u),
    )
}
