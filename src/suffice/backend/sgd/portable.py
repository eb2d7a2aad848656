"""Stochastic gradient descent in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...typing import Floats, Numbers, Whole
from ..dual.portable import Draws
from .values import ARRAYS, Descent, Descents, Rule

_STRIDE = 0xD1B54A32D192ED03  # between the seeds of two epochs


def epoch(X: Numbers, y: Floats, weight: Floats | None, order: Whole, state: Descent, rule: Rule) -> Descent:
    """Stochastic gradient descent over the rows `order`, in batches.

    Targets of one predictor are what the loss takes; of k > 1 predictors they are codes, and each takes its own for 1.
    """
    found = state.copied()
    for c in range(len(found["intercept"])):
        target = y if len(found["intercept"]) == 1 else np.where(y == c, 1.0, -1.0)
        _one(X, target, weight, order, state, rule, {name: values[c : c + 1] for name, values in found.items()})
    updates = state.t + np.arange(1, -(-len(order) // rule.batch) + 1)
    owed = state.owed + rule.l1 * sum(rule.rate.at(int(t)) for t in updates)
    return replace(state, **found, owed=owed, t=state.t + len(updates))


def epochs(X: Numbers, y: Floats, weight: Floats | None, orders: Whole, state: Descent, rule: Rule) -> Descents:
    """Several epochs, each with its own order of the rows, (epochs, n), and losses and hits of its own."""
    states, nothing = [state], np.zeros_like(state.loss)
    for order in orders:
        states.append(epoch(X, y, weight, order, replace(states[-1], loss=nothing, hits=nothing), rule))
    arrays = {name: np.stack([getattr(one, name) for one in states]) for name in ARRAYS}
    return Descents(**arrays, owed=np.array([one.owed for one in states]), t=np.array([one.t for one in states]))


def random_orders(rows: Whole, seed: int, first: int, count: int) -> Whole:
    """Random orders of rows, (count, n), those of the epochs from `first` on (Fisher and Yates)."""
    found = np.tile(np.asarray(rows, dtype=np.int64), (count, 1))
    for e, order in enumerate(found):
        draws = Draws((seed + (first + e) * _STRIDE) & (1 << 64) - 1)
        for s in range(len(order) - 1):
            t = s + draws.below(len(order) - s)
            order[s], order[t] = order[t], order[s]
    return found


def _one(
    X: Numbers, y: Floats, weight: Floats | None, order: Whole, state: Descent, rule: Rule, own: dict[str, Floats]
) -> None:
    """One predictor, whose arrays are changed in their place."""
    slope, paid, owed = own["slope"][0], own["paid"][0], state.owed
    for t, first in enumerate(range(0, len(order), rule.batch), state.t + 1):
        places = order[first : first + rule.batch]
        rows = X[places]
        s = np.ones(len(places)) if weight is None else weight[places]
        value, gradient = rule.loss.value_and_gradient(np.asarray(rows @ slope + own["intercept"][0]), y[places])
        own["loss"][0] += s @ value
        own["hits"][0] += np.count_nonzero(gradient)
        rate, pull = rule.rate.at(t), gradient * s / len(places)
        slope *= max(0.0, 1.0 - rate * rule.l2)
        slope -= rate * (rows.T @ pull)
        own["intercept"][0] -= rate * pull.sum() * rule.fit_intercept
        if rule.l1 > 0:
            owed += rate * rule.l1
            _draw_to_zero(slope, paid, owed, _stored(rows))
        if rule.average_from and t >= rule.average_from:
            own["slope_sum"][0] += slope
            own["intercept_sum"][0] += own["intercept"][0]
    if rule.l1 > 0:
        _draw_to_zero(slope, paid, owed, np.arange(len(slope)))


def _stored(rows: Numbers) -> Whole:
    """The columns that some cell is stored of."""
    return np.unique(rows.indices) if hasattr(rows, "indices") else np.arange(rows.shape[1])


def _draw_to_zero(slope: Floats, paid: Floats, owed: float, some: Whole) -> None:
    before, done = slope[some], paid[some]
    above, below = np.maximum(before - (owed + done), 0.0), np.minimum(before + (owed - done), 0.0)
    after = np.where(before > 0, above, np.where(before < 0, below, 0.0))
    slope[some], paid[some] = after, done + after - before
