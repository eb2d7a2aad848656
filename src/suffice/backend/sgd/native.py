"""The kernels of stochastic gradient descent; see `portable.py` for what each computes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...typing import CSR, Floats, Numbers, Whole
from ..native import kernels
from ..sparse.native import parts
from ..threads import thread_count
from ..weights import doubles
from . import portable
from .values import Descent, RowLoss, Rule

# Numbers of the losses in native/sgd/row_losses.hpp, with the name of their parameter.
_CODES = {
    "hinge": (0, ""),
    "squared_hinge": (1, ""),
    "logistic": (2, ""),
    "modified_huber": (3, ""),
    "perceptron": (4, ""),
    "squared": (5, ""),
    "huber": (6, "delta"),
    "epsilon_insensitive": (7, "epsilon"),
    "squared_epsilon_insensitive": (8, "epsilon"),
}


def _code(loss: RowLoss) -> tuple[int, float] | None:
    """The number of a loss and its parameter; None where the kernels do not know it."""
    known = _CODES.get(loss.names[0]) if loss.names else None
    return None if known is None else (known[0], float(getattr(loss, known[1])) if known[1] else 0.0)


def epoch(X: Numbers, y: Floats, weight: Floats | None, order: Whole, state: Descent, rule: Rule) -> Descent:
    """The state after the rows `order`, in batches."""
    if _code(rule.loss) is None:
        return portable.epoch(X, y, weight, order, state, rule)
    return _run(kernels().sgd_epoch, (np.ascontiguousarray(X),), y, weight, order, state, rule)


def epoch_csr(X: CSR, y: Floats, weight: Floats | None, order: Whole, state: Descent, rule: Rule) -> Descent:
    """The state after the rows `order`, in batches."""
    if _code(rule.loss) is None:
        return portable.epoch(X, y, weight, order, state, rule)
    return _run(kernels().sgd_epoch_csr, (*parts(X), X.shape[1]), y, weight, order, state, rule)


def _run(
    kernel: object, rows: tuple[object, ...], y: Floats, weight: Floats | None, order: Whole, state: Descent, rule: Rule
) -> Descent:
    found = state.copied()
    known = _code(rule.loss)
    assert known is not None
    code, parameter = known
    numbers = np.array([rule.rate.scale, rule.rate.shift, rule.rate.power, rule.l2, rule.l1, parameter, state.owed])
    whole = np.array([code, rule.batch, rule.fit_intercept, rule.average_from, state.t], dtype=np.int64)
    owed: float = kernel(  # type: ignore[operator]
        *rows, doubles(y), doubles(weight), np.ascontiguousarray(order, dtype=np.int64), numbers, whole, thread_count(),
        found["slope"], found["intercept"], found["slope_sum"], found["intercept_sum"], found["paid"], found["loss"],
        found["hits"],
    )  # fmt: skip
    return replace(state, **found, owed=owed, t=state.t + -(-len(order) // rule.batch))
