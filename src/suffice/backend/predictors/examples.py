"""Arguments to try the operations on linear predictors with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats
from ..examples import Arguments, Case
from .values import NewtonLimits, RowLoss


def _squared(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    return 0.5 * (y - eta) ** 2, eta - y, np.ones_like(eta)


def _squared_hinge(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    short = np.maximum(1 - y * eta, 0.0)
    return short * short, -2 * y * short, np.where(short > 0, 2.0, 0.0)


def _logistic(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    share = 1 / (1 + np.exp(y * eta))
    return np.logaddexp(0.0, -y * eta), -y * share, share * (1 - share)


def _poisson(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    mean = np.exp(eta)
    return mean - y * eta - y + y * np.log(np.where(y > 0, y, 1.0)), mean - y, mean


def _gamma(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    share = y * np.exp(-eta)
    return eta - np.log(y) + share - 1, 1 - share, np.ones_like(eta)


def _tweedie(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    first, second = y * np.exp(-0.5 * eta), np.exp(0.5 * eta)
    return -4 * np.sqrt(y) + 2 * first + 2 * second, second - first, second


def _observed_gamma(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    value, gradient, _ = _gamma(eta, y)
    return value, gradient, 1 - gradient


def _observed_tweedie(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    value, gradient, second = _tweedie(eta, y)
    return value, gradient, second - 0.5 * gradient


def _squared_insensitive(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    over = np.maximum(np.abs(eta - y) - 0.3, 0.0)
    return over * over, 2 * np.sign(eta - y) * over, np.where(over > 0, 2.0, 0.0)


def _kink(x: Floats) -> tuple[Floats, Floats, Floats]:
    within = np.clip(x + 0.5, 0.0, 1.0)
    return within * within / 2 + np.maximum(x - 0.5, 0.0), within, np.where(np.abs(x) < 0.5, 1.0, 0.0)


def _rounded_hinge(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    value, slope, bend = _kink(1 - y * eta)
    return value, -y * slope, bend


def _rounded_insensitive(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    above, below = _kink(eta - y - 0.3), _kink(y - eta - 0.3)
    return above[0] + below[0], above[1] - below[1], above[2] + below[2]


_LOSSES = (
    RowLoss("squared", _squared),
    RowLoss("squared_hinge", _squared_hinge),
    RowLoss("logistic", _logistic),
    RowLoss("poisson", _poisson),
    RowLoss("gamma", _gamma),
    RowLoss("gamma", _observed_gamma, (1.0, 0.0)),
    RowLoss("tweedie", _tweedie, (1.5, 0.0)),
    RowLoss("tweedie", _observed_tweedie, (1.5, 1.0)),
    RowLoss("squared_insensitive", _squared_insensitive, (0.3, 0.0)),
    RowLoss("rounded_hinge", _rounded_hinge, (0.5, 0.0)),
    RowLoss("rounded_insensitive", _rounded_insensitive, (0.3, 0.5)),
)


def _target(loss: RowLoss, case: Case, rng: np.random.Generator) -> Floats:
    counts = rng.poisson(2.0, case.n).astype(np.float64)
    if loss.kind in ("squared_hinge", "logistic", "rounded_hinge"):
        return np.where(counts > 1, 1.0, -1.0)
    return counts + (0.5 if loss.kind == "gamma" else 0.0)


def loss_sums(case: Case) -> Iterator[Arguments]:
    """Every loss that the kernels know, with and without weights and curvatures."""
    for loss in _LOSSES:
        rng = case.rng()
        X, slope = case.rows(rng), rng.normal(size=case.d) / (1 + case.d)
        y = _target(loss, case, rng)
        yield X, slope, 0.3, y, None, loss, True
        yield X, slope, -0.1, y, case.weight(rng), loss, False


def row_parts(case: Case) -> Iterator[Arguments]:
    """Every loss that the kernels know, with and without weights."""
    for loss in _LOSSES:
        rng = case.rng()
        eta, y = rng.normal(size=case.n), _target(loss, case, rng)
        yield eta, y, None, loss
        yield eta, y, case.weight(rng), loss


def class_parts(case: Case) -> Iterator[Arguments]:
    """Two classes and more, with and without weights."""
    for k in (2, 5):
        rng = case.rng()
        raw, y = rng.normal(size=(k, case.n)), rng.integers(0, k, case.n).astype(np.float64)
        yield raw, y, None, RowLoss("softmax", softmax_parts)
        yield raw, y, case.weight(rng), RowLoss("softmax", softmax_parts)


def softmax_parts(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Of classes y: losses, gradients and probabilities at predictors (n, k)."""
    share = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    own = np.arange(eta.shape[1]) == y[:, None]
    return -np.log(share[own]), share - own, share


def newton_steps(case: Case) -> Iterator[Arguments]:
    """Two steps with every loss that the kernels know, halved or searched along, with and without an intercept."""
    for loss in _LOSSES:
        rng = case.rng()
        X, slope = case.rows(rng), rng.normal(size=case.d) / (1 + case.d)
        y, penalty, level = _target(loss, case, rng), rng.random(case.d) + 0.5, np.asarray(0.2)
        halved, searched = NewtonLimits(0.0, 1.0, 0.0, 2), NewtonLimits(0.0, -1.0, 0.1, 2)
        yield X, y, None, loss, penalty, True, slope, level, halved
        yield X, y, case.weight(rng), loss, penalty, False, slope, level, searched


def softmax_sums(case: Case) -> Iterator[Arguments]:
    """Two classes to many, with and without weights and probabilities."""
    for k, curved in ((2, True), (3, False), (11, True)):
        rng = case.rng()
        X, slope = case.rows(rng), rng.normal(size=(case.d, k)) / (1 + case.d)
        codes = rng.integers(0, k, case.n)
        yield X, slope, rng.normal(size=k), codes, None if curved else case.weight(rng), curved


def softmax_steps(case: Case) -> Iterator[Arguments]:
    """Two steps for three classes, with and without an intercept, weights and a margin."""
    rng = case.rng()
    X, y = case.rows(rng), case.groups(rng, 3)
    slope, level, penalty = rng.normal(size=(case.d, 3)) / (1 + case.d), rng.normal(size=3), rng.random(case.d) + 0.5
    yield X, y, None, (0.0, 1.0), penalty, True, slope, level, NewtonLimits(0.0, -1.0, 0.0, 2)
    yield X, y, case.weight(rng), (1.0, 0.3), penalty, False, slope, level, NewtonLimits(0.0, 1.0, 0.1, 2)
