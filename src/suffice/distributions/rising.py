"""Rising factorials Γ(x + s) / Γ(s), of counts whose rates or probabilities vary, also where s is large."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from ..typing import Floats, Numbers

_SERIES = 20.0  # from here on, Stirling's series is exact to the last digit


def log_rise(x: Numbers, s: Any) -> Floats:
    """log Γ(x + s) − log Γ(s) − x log s, which goes to 0 as s grows.

    >>> log_rise(np.array([3.0]), np.array([2.0])).round(4), np.log(2 * 3 * 4 / 2**3).round(4)
    (array([1.0986]), np.float64(1.0986))
    """
    large = (x + s - 0.5) * np.log1p(x / s) - x + _stirling(x + s) - _stirling(s)
    small = np.minimum(s, _SERIES)  # where it is not used, so that nothing overflows
    exact = gammaln(x + small) - gammaln(small) - x * np.log(small)
    return np.asarray(np.where(s < _SERIES, exact, large))


def digamma_rise(x: Numbers, s: float) -> Floats:
    """ψ(x + s) − ψ(s)."""
    small = np.minimum(s, _SERIES)
    large = np.log1p(x / s) - _digamma_series(x + s) + _digamma_series(s)
    return np.asarray(np.where(s < _SERIES, digamma(x + small) - digamma(small), large))


def _stirling(z: Floats) -> object:
    """What log Γ(z) is above (z − ½) log z − z + ½ log 2π, for large z."""
    u = (1 / z) ** 2
    return (1 / 12 - u * (1 / 360 - u * (1 / 1260 - u / 1680))) / z


def _digamma_series(z: Any) -> object:
    """log z − ψ(z) for large z."""
    u = (1 / z) ** 2
    return 1 / (2 * z) + u * (1 / 12 - u * (1 / 120 - u / 252))
