"""Backpropagation is the derivative: what `gradients` says of each layer, by finite differences of `mean_loss`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .. import params
from ..estimator import Estimator
from ..typing import TableLike, TargetLike
from .results import fresh

_PROBES = 6  # parameters of each array that are moved
_STEP = 1e-6


def net_gradient_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For nets with a target."""
    if hasattr(cls, "gradients") and hasattr(cls, "mean_loss"):
        yield "gradients_are_derivatives", partial(_of_class, cls)


def _of_class(cls: type[Estimator]) -> None:
    X, y = cls.example(np.random.default_rng(5), 40)
    weight = np.random.default_rng(6).uniform(0.5, 2.0, 40)
    gradients_are_derivatives(fresh(cls).set_params(max_iter=3).fit(X, y), X, y, weight)


def gradients_are_derivatives(
    model: Any,
    X: TableLike,
    y: TargetLike,
    weight: np.ndarray[tuple[int], np.dtype[np.float64]] | None = None,
) -> None:
    """Move single parameters of a fitted net, and compare the change of its loss with `gradients`."""
    moved, rng = copy.deepcopy(model), np.random.default_rng(0)
    params.forget_derived(moved)  # views, which would be copies now
    found = model.gradients(X, y, sample_weight=weight)
    assert found, "the net has no parameters"
    size = max(float(np.abs(values).max()) for values in found.values())
    for name, gradient in found.items():
        cells = moved.parameters_[name].reshape(-1)  # a view of what the net computes with
        for at in rng.choice(cells.size, min(_PROBES, cells.size), replace=False).tolist():
            here, losses = cells[at], []
            for step in (_STEP, -_STEP):
                cells[at] = here + step
                losses.append(moved.mean_loss(X, y, sample_weight=weight))
            cells[at] = here
            measured = (losses[0] - losses[1]) / (2 * _STEP)
            gap = abs(measured - gradient.reshape(-1)[at])
            assert gap <= 1e-4 * size + 1e-8, f"{name}, number {at}: {gradient.reshape(-1)[at]}, measured {measured}"
