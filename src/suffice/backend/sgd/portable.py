"""Stochastic gradient descent in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...typing import Floats, Numbers, Whole
from .values import Descent, Rule


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
