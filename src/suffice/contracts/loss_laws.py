"""The laws of losses: gradients and curvatures are derivatives, convex where said, above nothing, and likelihoods."""

from __future__ import annotations

import pickle

import numpy as np

from ..losses import Loss, as_loss
from ..losses.families import _FamilyLoss
from ..typing import Floats, Numbers

_CLASSES, _H = 4, 1e-5


def check_loss(loss: Loss, seed: int = 0) -> None:
    """Derivatives, convexity, bounds, likelihood, names and pickling of one loss."""
    rng, n = np.random.default_rng(seed), 60
    y = loss.example(rng, n)
    assert loss.refusal(y) == "", f"{loss}: refuses its own example"
    eta = _predictors(loss, rng, n)
    if isinstance(loss, _FamilyLoss):
        eta = np.abs(eta) * 0.4 + 0.1  # where every link has a mean
    value, gradient = loss.value_and_gradient(eta, y)
    assert value.shape == (n,), f"{loss}: the value of {n} rows has shape {value.shape}"
    assert np.all(value >= loss.least(y) - 1e-12), f"{loss}: lies below its least value"
    np.testing.assert_array_equal(value, loss.value(eta, y), err_msg=f"{loss}: value_and_gradient is another value")
    _check_gradient(loss, eta, y, gradient)
    if loss.has_curvature:
        _check_curvature(loss, eta, y)
    if loss.is_convex:
        _check_convex(loss, eta, y, rng)
    if loss.has_likelihood:
        shifted = eta + 0.01
        gained = loss.log_density(shifted, y) - loss.log_density(eta, y)
        np.testing.assert_allclose(gained, value - loss.value(shifted, y), atol=1e-10, err_msg=f"{loss}: no likelihood")
    assert as_loss(loss) is loss
    assert all(type(as_loss(name)) is type(loss) for name in type(loss).names), f"{loss}: names lead elsewhere"
    assert pickle.loads(pickle.dumps(loss)) == loss


def _predictors(loss: Loss, rng: np.random.Generator, n: int) -> Floats:
    return rng.normal(size=(n, _CLASSES) if loss.target == "classes" else n) * 1.5


def _directions(eta: Floats) -> list[Floats]:
    """One for each entry of η in a row."""
    if eta.ndim == 1:
        return [np.ones_like(eta)]
    return [np.broadcast_to(np.eye(eta.shape[1])[c], eta.shape) for c in range(eta.shape[1])]


def _check_gradient(loss: Loss, eta: Floats, y: Numbers, gradient: Floats) -> None:
    assert gradient.shape == eta.shape, f"{loss}: gradient of shape {gradient.shape}"
    for along in _directions(eta):
        rise = (loss.value(eta + _H * along, y) - loss.value(eta - _H * along, y)) / (2 * _H)
        own = np.sum(gradient * along, axis=-1) if eta.ndim == 2 else gradient
        np.testing.assert_allclose(own, rise, rtol=1e-5, atol=1e-6, err_msg=f"{loss}: gradient")


def _check_curvature(loss: Loss, eta: Floats, y: Numbers) -> None:
    value, gradient, curvature = loss.parts(eta, y)
    np.testing.assert_allclose(value, loss.value(eta, y), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gradient, loss.gradient(eta, y), rtol=1e-12, atol=1e-12)
    assert np.all(curvature >= 0), f"{loss}: negative curvature"
    assert np.all(curvature <= loss.steepest() * (1 + 1e-12)) or eta.ndim == 2, f"{loss}: steeper than it says"
    if loss.majorises:
        for step in (-2.0, -0.1, 0.3, 1.0):
            above = value + gradient * step + 0.5 * curvature * step**2
            assert np.all(loss.value(eta + step, y) <= above + 1e-10), f"{loss}: rises above its parabola"
        return
    at = loss.mean(eta) if isinstance(loss, _FamilyLoss) else y  # there the expected curvature is the true one
    for c, along in enumerate(_directions(eta)):
        rise = (loss.gradient(eta + _H * along, at) - loss.gradient(eta - _H * along, at)) / (2 * _H)
        own = curvature if eta.ndim == 1 else curvature[:, [c]] * (along - curvature)
        np.testing.assert_allclose(own, rise, rtol=1e-4, atol=1e-5, err_msg=f"{loss}: curvature")


def _check_convex(loss: Loss, eta: Floats, y: Numbers, rng: np.random.Generator) -> None:
    other = eta * 0.7 + 0.3
    middle = loss.value(0.5 * (eta + other), y)
    ends = 0.5 * (loss.value(eta, y) + loss.value(other, y))
    assert np.all(middle <= ends + 1e-10), f"{loss}: is not convex"
