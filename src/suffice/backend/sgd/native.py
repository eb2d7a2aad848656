"""The kernels of stochastic gradient descent; see `portable.py` for what each computes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...typing import Floats, Numbers, Whole
from ..native import kernels
from ..sparse.native import row_form
from ..threads import thread_count
from ..weights import doubles
from . import portable
from .values import ARRAYS, Descent, Descents, RowLoss, Rule

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
    found = state.copied()
    owed = np.array([state.owed])
    _call(X, y, weight, order, rule, state.t, 0, found, owed)
    return replace(state, **found, owed=float(owed[0]), t=state.t + -(-len(order) // rule.batch))


def epochs(X: Numbers, y: Floats, weight: Floats | None, orders: Whole, state: Descent, rule: Rule) -> Descents:
    """The states after several epochs, and before them."""
    if _code(rule.loss) is None:
        return portable.epochs(X, y, weight, orders, state, rule)
    known, count = vars(state), len(orders)
    found = {name: np.empty((count + 1, *known[name].shape)) for name in ARRAYS}
    for name in ARRAYS:
        found[name][0] = known[name]
    owed = np.full(count + 1, state.owed)
    _call(X, y, weight, orders, rule, state.t, count, found, owed)
    times = state.t + np.arange(count + 1) * -(-orders.shape[1] // rule.batch)
    return Descents(**found, owed=owed, t=times)


def _call(
    X: Numbers, y: Floats, weight: Floats | None, order: Whole, rule: Rule, t: int, epochs: int,
    found: dict[str, Floats], owed: Floats,
) -> None:  # fmt: skip
    known = _code(rule.loss)
    assert known is not None
    numbers = np.array([rule.rate.scale, rule.rate.shift, rule.rate.power, rule.l2, rule.l1, known[1]])
    whole = np.array([known[0], rule.batch, rule.fit_intercept, rule.average_from, t, epochs], dtype=np.int64)
    places = np.ascontiguousarray(order, dtype=np.int64).reshape(-1)
    form, rows = row_form(X)
    kernel = getattr(kernels(), "sgd_epoch" + form)
    kernel(*rows, doubles(y), doubles(weight), places, numbers, whole, thread_count(), *found.values(), owed)


def random_orders(rows: Whole, seed: int, first: int, count: int) -> Whole:
    """Random orders of rows, one an epoch."""
    found = np.empty((count, len(rows)), dtype=np.int64)
    kernels().random_orders(np.ascontiguousarray(rows), seed & (1 << 64) - 1, first, thread_count(), found)
    return found
