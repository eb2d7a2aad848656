"""When a loop has converged: rules that look at its iterations so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from ..observing import Iteration
from ..params import param

Stop = Callable[[Sequence[Iteration]], bool]
LOOKS_BACK = 5  # how many objectives `still_to_gain` looks at
_ROUNDING = 4 * float(np.finfo(np.float64).eps)


def when_done(iterations: Sequence[Iteration]) -> bool:
    """No rule beside the step's own `done`."""
    return False


def small_change(tol: float) -> Stop:
    """Stop when the objective changes by at most `tol`, relative to its size."""

    def stop(iterations: Sequence[Iteration]) -> bool:
        if len(iterations) < 2:
            return False
        before, now = (done.objective for done in iterations[-2:])
        return abs(now - before) <= tol * max(1.0, abs(now))

    return stop


def small_part(tol: float) -> Stop:
    """Stop when the objective changes by at most `tol` of its size, however small that is.

    >>> two = [Iteration(1, 2e-9, 0.0, {}), Iteration(2, 1e-9, 0.0, {})]
    >>> small_part(0.1)(two), small_change(0.1)(two)
    (False, True)
    """

    def stop(iterations: Sequence[Iteration]) -> bool:
        if len(iterations) < 2:
            return False
        before, now = (done.objective for done in iterations[-2:])
        return abs(now - before) <= tol * abs(now)

    return stop


def small_part_of_first(tol: float) -> Stop:
    """Stop when the objective changes by at most `tol` of what it was at first: of one that falls to 0 slowly.

    >>> some = [Iteration(i, 1 / i**2, 0.0, {}) for i in range(1, 40)]
    >>> small_part_of_first(1e-3)(some), small_part(1e-3)(some)
    (True, False)
    """

    def stop(iterations: Sequence[Iteration]) -> bool:
        if len(iterations) < 2:
            return False
        before, now = (done.objective for done in iterations[-2:])
        return abs(now - before) <= tol * abs(iterations[0].objective)

    return stop


def little_to_gain(tol: float, falling: bool = False) -> Stop:
    """Stop when an objective that rises, or one that falls, has at most `tol` still to gain."""
    sign = -1.0 if falling else 1.0
    return lambda iterations: still_to_gain([sign * done.objective for done in iterations[-LOOKS_BACK:]]) <= tol


def gain_tol_param(default: float) -> float:
    """The `tol` of estimators that stop by `little_to_gain`."""
    doc = "Stop when the mean log likelihood of a row has less than this still to gain, by how the last steps shrank."
    declared: float = param(default, number=True, at_least=0, doc=doc)
    return declared


def still_to_gain(objectives: Sequence[float]) -> float:
    """How much a rising objective has still to gain, by its last five values; infinite while that cannot be told.

    Steps that shrink by a factor r sum up to step · r / (1 − r) more (Aitken's Δ² process). Near a saddle point steps
    shrink at first and grow later, and r rises on the way: so it is taken where it is going to, not below the one
    before, and the last two estimates must agree.

    >>> still_to_gain([0.0, 8.0, 12.0, 14.0, 15.0])
    2.0
    >>> still_to_gain([0.0, 0.3, 0.4, 0.5, 0.6]), still_to_gain([0.0, 0.5])
    (inf, inf)
    """
    steps = [after - before for before, after in pairwise(objectives[-LOOKS_BACK:])]
    if not steps:
        return np.inf
    if abs(steps[-1]) <= _ROUNDING * max(1.0, abs(objectives[-1])):
        return 0.0
    if steps[-1] < 0:  # not a rising one, or rounding: no more can be told than the change itself
        return float(-steps[-1])
    if len(steps) < LOOKS_BACK - 1 or min(steps) <= 0:
        return np.inf
    return max(_extrapolated(*steps[:3]), _extrapolated(*steps[1:]))


def _extrapolated(first: float, second: float, third: float) -> float:
    """What three steps say of the sum of all that follow."""
    earlier, now = second / first, third / second
    rate = max(earlier, 2 * now - earlier)
    return third * rate / (1 - rate) if rate < 1 else np.inf
