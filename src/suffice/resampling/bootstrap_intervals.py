"""Intervals from replicates: between their quantiles, and corrected for bias and acceleration."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from ..data.rows import as_column
from ..errors import InvalidData, InvalidParameter
from ..typing import Floats, Numbers
from .intervals import Interval, check_level, normal_quantile


def bca(
    value: float,
    replicates: Sequence[float] | Floats,
    jackknife: Sequence[float] | Floats,
    level: float = 0.95,
    counts: Numbers | None = None,
) -> Interval:
    """The bootstrap interval corrected for bias and acceleration (Efron, 1987), from its three ingredients.

    `replicates` are the values of resampled tables, `jackknife` those without each unit in turn; `counts` says for
    how many equal units each of the latter stands. The ends are quantiles of the replicates at

        Φ(z₀ + (z₀ + z) / (1 − a (z₀ + z))),   z₀ = Φ⁻¹(share of replicates below the value),
        a = Σ L³ / (6 (Σ L²)^1.5),   L = mean of the jackknife − its values.
    """
    check_level(level)
    if not isinstance(value, int | float | np.number):
        raise InvalidParameter(f"bca: value must be a number, the statistic of all rows; got {value!r}.")
    drawn = defined(replicates)
    if drawn is None or math.isnan(value):
        return Interval(value, math.nan, math.nan, level, "BCa")
    if drawn[0] == drawn[-1]:
        return Interval(value, float(drawn[0]), float(drawn[0]), level, "BCa")
    size = len(drawn)
    below = (np.searchsorted(drawn, value, "left") + np.searchsorted(drawn, value, "right")) / (2 * size)
    z0 = float(stats.norm.ppf(np.clip(below, 0.5 / size, 1 - 0.5 / size)))
    z = z0 + np.array([-1, 1]) * normal_quantile(level)
    at = np.asarray(stats.norm.cdf(z0 + z / (1 - _acceleration(jackknife, counts) * z)))
    low, high = (quantile(drawn, float(share)) for share in at)
    return Interval(value, low, high, level, "BCa")


def defined(replicates: Sequence[float] | Floats) -> Floats | None:
    """The values in order, without NaN and infinity; None where fewer than half, or fewer than 2, are left."""
    drawn = np.sort(as_column(replicates, "bca"))
    drawn = drawn[: np.searchsorted(drawn, np.inf)]  # NaN is sorted last
    return None if 2 * len(drawn) < np.size(replicates) or len(drawn) < 2 else drawn


def _acceleration(jackknife: object, counts: Numbers | None) -> float:
    values = as_column(jackknife, "bca").astype(np.float64)
    weight = np.ones(len(values)) if counts is None else as_column(counts, "bca").astype(np.float64)
    if weight.shape != values.shape:
        raise InvalidData(f"bca: counts must have one number for each of jackknife, {len(values)}; got {len(weight)}.")
    known = np.isfinite(values) & (weight > 0)
    if not known.any():
        return 0.0
    values, weight = values[known], weight[known]
    influence = np.average(values, weights=weight) - values
    squares = float(np.sum(weight * influence**2))
    return float(np.sum(weight * influence**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def quantile(drawn: Floats, share: float) -> float:
    """Between two order statistics on the scale of normal quantiles (Davison and Hinkley, 1997, eq. 5.8)."""
    size = len(drawn)
    at = share * (size + 1)
    k = int(at)
    if k < 1 or k >= size:
        return float(drawn[0] if k < 1 else drawn[-1])
    here, low, high = (float(stats.norm.ppf(p)) for p in (share, k / (size + 1), (k + 1) / (size + 1)))
    return float(drawn[k - 1] + (here - low) / (high - low) * (drawn[k] - drawn[k - 1]))
