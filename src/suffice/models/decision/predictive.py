"""Quantiles of what a model says of a target, and of distributions: where too little and too much cost differently."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate, optimize, special

from ...distributions import Distribution
from ...errors import InvalidData, InvalidParameter, shown
from ...params import check_argument
from ...typing import Reals, TableLike

_MOST = 10_000_000  # whole numbers that are added up at the most
_DRAWS, _KNOTS = 4096, 65  # draws that say where a density is, and the pieces in which it is integrated
_WIDE = 10.0  # times the median gap between knots
_FAR = 1e12  # times the range of the draws: no quantile is sought beyond


def least_cost_number(distribution: Any, under: float = 1.0, over: float = 1.0) -> float:
    """The number of least expected cost under a distribution: its quantile q = under / (under + over).

    A unit too little costs `under`, a unit too much `over`. The distribution is one of the library of one column, such
    as a posterior predictive or a mixture; anything with `ppf`, such as those of `scipy.stats`; or draws, (n,).

    >>> from suffice.distributions import Gamma
    >>> demand = Gamma(30.0, 2.0).posterior_predictive()  # of counts: 30 sold in 2 days
    >>> least_cost_number(demand, under=4.0, over=1.0)
    19.0
    """
    for name, value in (("under", under), ("over", over)):
        check_argument("least_cost_number", name, value, number=True, above=0, at_most=1e150)
    q = under / (under + over)
    if isinstance(distribution, Distribution):
        return quantile(distribution, q)
    if callable(getattr(distribution, "ppf", None)):
        return float(distribution.ppf(q))
    draws = np.asarray(distribution, dtype=np.float64) if not isinstance(distribution, str) else np.empty(0)
    if draws.ndim != 1 or not len(draws) or not np.isfinite(draws).all():
        raise InvalidData(
            "least_cost_number: distribution must be a distribution of one column, something with ppf, or finite draws "
            f"(n,); got {shown(distribution)}."
        )
    return float(np.quantile(draws, q, method="inverted_cdf"))


def quantile(distribution: Distribution, q: float) -> float:
    """min {x : F(x) ≥ q} of a distribution with parameters and one column."""
    name = type(distribution).__name__
    if not distribution.has_parameters or distribution.n_columns not in (None, 1):
        raise InvalidParameter(f"least_cost_number: {name} must have parameters and one column.")
    support = distribution.supports()[0]
    if support.whole:
        return _of_counts(distribution, q, support.least)
    density = lambda x: float(np.exp(distribution.log_prob(np.array([[x]]))[0]))  # noqa: E731
    draws = np.asarray(distribution.sample(_DRAWS, random_state=0), dtype=np.float64)[:, 0]
    knots = _finer(np.unique(np.quantile(draws, np.linspace(0, 1, _KNOTS))))  # so that no peak is passed over
    pieces = [_area(density, a, b) for a, b in pairwise(knots.tolist())]
    below = _area(density, support.least, knots[0]) + np.concatenate([[0.0], np.cumsum(pieces)])
    if q <= below[0]:
        start, end, area = _leftwards(density, knots, support.least, q)
    elif q > below[-1]:
        start, end, area = _rightwards(density, knots, support.most, q, float(below[-1]))
    else:
        k = max(int(np.searchsorted(below, q)) - 1, 0)
        start, end, area = knots[k], knots[k + 1], below[k]

    def off(x: float) -> float:
        return area + _area(density, start, x) - q

    if off(end) <= 0:
        return float(end)
    return float(optimize.brentq(off, start, end, xtol=1e-13 * max(1.0, abs(start), abs(end))))


def _finer(knots: Reals) -> Reals:
    """Knots with others near the ends of wide gaps between them, where a density may fall steeply."""
    gaps = np.diff(knots)
    near = np.concatenate([10.0 ** np.arange(-6, 0), [0.5], 1 - 10.0 ** np.arange(-6, 0)])
    wide = np.flatnonzero(gaps > _WIDE * np.median(gaps)) if len(gaps) else np.empty(0, dtype=np.intp)
    return np.unique(np.concatenate([knots, *(knots[k] + gaps[k] * near for k in wide)]))


def _area(density: Callable[[float], float], low: float, high: float) -> float:
    return float(integrate.quad(density, low, high, epsabs=1e-14, epsrel=1e-11, limit=200)[0]) if low < high else 0.0


def _leftwards(density: Callable[[float], float], knots: Reals, least: float, q: float) -> tuple[float, float, float]:
    """Ends between which a quantile lies that is left of the first draw, and what lies below the first end."""
    if np.isfinite(least):
        return least, knots[0], 0.0
    end, step = knots[0], knots[-1] - knots[0]
    while (area := _area(density, -np.inf, end - step)) > q:
        end, step = end - step, 2 * step
    return end - step, end, area


def _rightwards(
    density: Callable[[float], float], knots: Reals, most: float, q: float, area: float
) -> tuple[float, float, float]:
    """The same right of the last draw, below which `area` lies."""
    if np.isfinite(most):
        return knots[-1], most, area
    start, step = knots[-1], knots[-1] - knots[0]
    while area + (more := _area(density, start, start + step)) < q and step < _FAR * (1 + knots[-1] - knots[0]):
        start, step, area = start + step, 2 * step, area + more
    return start, start + step, area


def _of_counts(distribution: Distribution, q: float, least: float) -> float:
    """Probabilities of whole numbers are added up, in blocks that grow."""
    start, size, area = int(least), 256, 0.0
    while start < _MOST:
        places = np.arange(start, start + size, dtype=np.float64)
        inside = places[places <= distribution.supports()[0].most]
        below = area + np.cumsum(np.exp(distribution.log_prob(inside[:, None])))
        found = np.flatnonzero(below >= q * (1 - 1e-12))
        if len(found) or len(inside) < size:
            return float(inside[found[0] if len(found) else -1])
        start, size, area = start + size, 2 * size, float(below[-1])
    raise InvalidData(f"least_cost_number: the quantile {q:g} of {type(distribution).__name__} is beyond {_MOST:,}.")


def has_distribution(model: object) -> bool:
    """Whether a regressor says how a new target is distributed: quantiles, intervals of targets or deviations."""
    interval = getattr(model, "predict_interval", None)
    of_targets = interval is not None and "of" in inspect.signature(interval).parameters
    return hasattr(model, "predict_quantiles") or of_targets or _tells_deviation(model)


def _tells_deviation(model: Any) -> bool:
    return "return_std" in inspect.signature(model.predict).parameters


def predicted_quantile(model: Any, X: TableLike, q: float) -> Reals:
    """The quantile q of a new target of each row, (n,), by what the model itself says of targets."""
    if hasattr(model, "predict_quantiles"):
        return np.asarray(model.predict_quantiles(X, [q]))[:, 0]
    interval = getattr(model, "predict_interval", None)
    if interval is not None and "of" in inspect.signature(interval).parameters:
        if abs(2 * q - 1) < 1e-12:
            return np.asarray(np.mean(interval(X, level=0.5, of="target"), axis=1))
        ends = np.asarray(interval(X, level=abs(2 * q - 1), of="target"))
        return np.asarray(ends[:, 1] if q > 0.5 else ends[:, 0])
    mean, deviation = model.predict(X, return_std=True)
    return np.asarray(mean + deviation * np.asarray(special.ndtri(q), dtype=np.asarray(mean).dtype))
