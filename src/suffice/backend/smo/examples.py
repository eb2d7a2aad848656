"""Arguments to try sequential minimal optimisation with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..examples import Arguments, Case
from .values import Programme


def pairs(case: Case) -> Iterator[Arguments]:
    """The programmes of classes, of numbers, of one class and with two sums; of all rows and of some."""
    if case.n < 2:
        return
    rng, n = case.rng(), case.n
    rows = rng.normal(size=(n, case.d))
    gram = case.laid_out(np.exp(-0.1 * ((rows[:, None] - rows) ** 2).sum(axis=2)) + 0.5 * np.eye(n))  # one minimum
    everything, y, cost = np.arange(n), rng.normal(size=n), rng.random(n) + 0.5
    sign = np.where(y > 0, 1.0, -1.0)
    zero = np.zeros(n)
    classes = Programme(everything, sign, np.minimum(sign, 0.0) * cost, np.maximum(sign, 0.0) * cost, 0.0, n)
    numbers = Programme(everything, y, -cost, cost, 0.1, n)
    start = np.minimum(cost, 0.4)
    one = Programme(everything, zero, zero, cost, 0.0, n)
    two = Programme(everything, zero, zero, cost, 0.0, n // 2)
    some = everything[::2]
    part = Programme(some, classes.linear[some], classes.low[some], classes.high[some], 0.0, len(some))
    lacking = -np.asarray(gram, dtype=np.float64) @ start
    for most in (2, 100_000):
        yield gram, [classes], [(zero, classes.linear)], 1e-13, most
        yield gram, [numbers, part], [(zero, y), (zero[some], part.linear)], 1e-13, most
        yield gram, [one, two], [(start, lacking), (start, lacking)], 1e-13, most
