"""The laws of penalties: proximal maps are minima, gradients derivatives, and units change nothing but units."""

from __future__ import annotations

import pickle

import numpy as np

from ..backend.coordinate import Costs
from ..errors import InvalidParameter
from ..penalties import Penalty, as_penalty
from ..typing import Floats

_H = 1e-6


def check_penalty(penalty: Penalty, p: int = 6, seed: int = 0) -> None:
    """Proximal map, gradient, units, largest strength, names and pickling of one penalty of p slopes."""
    rng = np.random.default_rng(seed)
    for shape in ((p,), (p, 3)):
        w = rng.normal(size=shape)
        _check_prox(penalty, w, rng)
        if penalty.is_smooth:
            _check_gradient(penalty, w)
        if penalty.is_convex:
            _check_convex(penalty, w, rng.normal(size=shape))
    assert penalty.value(np.zeros(p)) == 0, f"{penalty}: slopes of 0 cost something"
    _check_units(penalty, np.abs(rng.normal(size=p)), rng.uniform(0.5, 2.0, p))
    _check_largest(penalty, rng.normal(size=p))
    _check_costs(penalty, np.abs(rng.normal(size=p)), rng)
    penalty.check_columns(p, "check_penalty")
    assert as_penalty(penalty) is penalty
    assert all(type(as_penalty(name)) is type(penalty) for name in type(penalty).names)
    assert pickle.loads(pickle.dumps(penalty)) == penalty
    assert penalty.of_strength(0.25).strength == 0.25


def _check_prox(penalty: Penalty, v: Floats, rng: np.random.Generator) -> None:
    """No other slopes that are tried cost less than those of the proximal map."""
    for step in (0.3, 1.0):
        best = penalty.prox(v, step)
        assert best.shape == v.shape, f"{penalty}: prox has shape {best.shape}"
        least = _cost(penalty, best, v, step)
        for other in (v, np.zeros_like(v), *(best + rng.normal(size=v.shape) * size for size in (1e-3, 0.1, 1.0))):
            assert least <= _cost(penalty, other, v, step) + 1e-9, f"{penalty}: prox is no minimum"


def _cost(penalty: Penalty, w: Floats, v: Floats, step: float) -> float:
    return 0.5 * float(np.sum((w - v) ** 2)) / step + penalty.value(w)


def _check_gradient(penalty: Penalty, w: Floats) -> None:
    gradient, along = penalty.gradient(w), np.ones_like(w)
    rise = (penalty.value(w + _H * along) - penalty.value(w - _H * along)) / (2 * _H)
    np.testing.assert_allclose(gradient.sum(), rise, rtol=1e-5, atol=1e-8, err_msg=f"{penalty}: gradient")
    curvature = penalty.curvature(len(w))
    full = np.diag(curvature) if curvature.ndim == 1 else curvature
    np.testing.assert_allclose(gradient, full @ w, rtol=1e-10, atol=1e-12, err_msg=f"{penalty}: curvature")


def _check_convex(penalty: Penalty, a: Floats, b: Floats) -> None:
    ends = 0.5 * (penalty.value(a) + penalty.value(b))
    assert penalty.value(0.5 * (a + b)) <= ends + 1e-12, f"{penalty}: is not convex"


def _check_units(penalty: Penalty, w: Floats, unit: Floats) -> None:
    try:
        other = penalty.in_units(unit)
    except InvalidParameter:
        return  # it says that it cannot
    np.testing.assert_allclose(other.value(w * unit), penalty.value(w), rtol=1e-12, err_msg=f"{penalty}: other units")


def _check_largest(penalty: Penalty, gradient: Floats) -> None:
    """At the largest strength a proximal step from 0 stays at 0, and just below it does not."""
    largest = penalty.largest(gradient)
    if not np.isfinite(largest):
        return
    held = penalty.of_strength(largest * 1.001).prox(-gradient, 1.0)
    free = penalty.of_strength(largest * 0.99).prox(-gradient, 1.0)
    weightless = penalty.of_strength(1e9).prox(-gradient, 1.0)  # slopes that no strength holds
    np.testing.assert_array_equal(held, weightless, err_msg=f"{penalty}: slopes at the largest strength")
    assert np.any(free != weightless), f"{penalty}: no slopes below the largest strength"


def _check_costs(penalty: Penalty, w: Floats, rng: np.random.Generator) -> None:
    """The costs of single slopes are the penalty itself, or a tangent that lies above it."""
    costs = penalty.costs(w)
    assert penalty.has_costs == (costs is not None), f"{penalty}: has_costs, and costs"
    if costs is None:
        return  # it is no such sum
    base = penalty.value(w) - _costing(costs, w)
    for size in (1e-3, 0.3, 3.0):
        other = np.abs(w + size * rng.normal(size=w.shape))
        above = base + _costing(costs, other) - penalty.value(other)
        assert above >= -1e-12, f"{penalty}: costs lie below it"
        assert not penalty.is_convex or abs(above) <= 1e-12 * (1 + penalty.value(other)), f"{penalty}: other costs"
    assert costs.positive == (penalty.value(-w) == np.inf), f"{penalty}: which slopes are allowed"


def _costing(costs: Costs, w: Floats) -> float:
    return float(np.sum(costs.absolute * np.abs(w) + 0.5 * costs.squared * w * w))
