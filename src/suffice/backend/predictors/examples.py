"""Arguments to try the operations on linear predictors with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats
from ..examples import Arguments, Case


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


def loss_sums(case: Case) -> Iterator[Arguments]:
    """Every loss that the kernels know, with and without weights and curvatures."""
    losses = {"squared": _squared, "squared_hinge": _squared_hinge, "logistic": _logistic, "poisson": _poisson}
    for kind, parts in losses.items():
        rng = case.rng()
        X, slope = case.rows(rng), rng.normal(size=case.d) / (1 + case.d)
        y = rng.poisson(2.0, case.n).astype(np.float64)
        y = y if kind in ("squared", "poisson") else np.where(y > 1, 1.0, -1.0)
        yield X, slope, 0.3, y, None, kind, parts, True
        yield X, slope, -0.1, y, case.weight(rng), kind, parts, False


def softmax_sums(case: Case) -> Iterator[Arguments]:
    """Two classes to many, with and without weights and probabilities."""
    for k, curved in ((2, True), (3, False), (11, True)):
        rng = case.rng()
        X, slope = case.rows(rng), rng.normal(size=(case.d, k)) / (1 + case.d)
        codes = rng.integers(0, k, case.n)
        yield X, slope, rng.normal(size=k), codes, None if curved else case.weight(rng), curved
