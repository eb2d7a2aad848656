"""Coordinate descent on a matrix of products, with exact steps for the slopes that are not 0."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dposv

from ..backend import coordinate
from ..backend.coordinate import Costs
from ..typing import Codes, Floats
from .systems import solved

_FIRST, _MOST = 8, 128  # epochs between two exact steps
_TIMES = 20
_HALVINGS = 3
_SMALL = 64  # equations that are solved as they are: what rounding does to them is seen in the objective


def descended(G: Floats, pull: Floats, w: Floats, costs: Costs, tol: float) -> Floats:
    """The slopes that minimise ½ wᵀ G w − c·w + costs, from w with pull = c − G w.

    Between epochs the support and its signs are taken as they are, and the linear equations are solved that hold there
    if they are right: convergence does not depend on how correlated the columns are.
    """
    epochs, exact = _FIRST, False
    for _ in range(_TIMES):
        found = coordinate.gram(G, pull, w, costs, epochs, tol)
        if exact and found.gain <= tol:
            return found.w
        w, pull = found.w, found.left
        for _ in range(np.count_nonzero(w)):  # each makes a slope 0, or is the last
            before = w
            w, pull, exact = _exact(G, pull, w, costs)
            if exact or w is before:
                break
        epochs = min(2 * epochs, _MOST)
    return w


def _exact(G: Floats, pull: Floats, w: Floats, costs: Costs) -> tuple[Floats, Floats, bool]:
    """A step to the minimum over slopes with the present signs, the pull after it, and whether it got there.

    Where signs would change, those slopes become 0, if that lowers the objective; else it goes as far as none does.
    """
    support = np.flatnonzero(w)
    if not len(support):
        return w, pull, True
    own = w[support]
    system = G[np.ix_(support, support)]
    system.flat[:: len(support) + 1] += costs.squared[support]
    signed = costs.absolute[support] * np.sign(own)
    step = _solution(system, pull[support] - costs.squared[support] * own - signed)
    if step is None:
        return w, pull, False
    held = costs.positive | (costs.absolute[support] > 0)  # a slope that costs nothing may change its sign
    crosses = held & (own * (own + step) <= 0) & (step != 0)
    reach = np.where(crosses, -own / np.where(step == 0, 1.0, step), np.inf)
    lengths = [0.5**i for i in range(_HALVINGS)] if crosses.any() else [1.0]
    for length in (*lengths, min(1.0, float(reach.min()))):
        moved = np.where(reach <= length, 0.0, own + length * step) - own
        after = pull - G[:, support] @ moved
        gain = 0.5 * float(moved @ (pull[support] + after[support])) - _cost(own + moved, costs, support)
        if gain + _cost(own, costs, support) >= 0:
            break
    else:
        return w, pull, False
    found = w.copy()
    found[support] = own + moved
    return found, after, not crosses.any()


def _solution(system: Floats, right: Floats) -> Floats | None:
    """The solution of the equations, None where rounding leaves them none."""
    if len(right) <= _SMALL:
        _, found, failed = dposv(system, right)
        if not failed:
            return np.asarray(found)
    try:
        return solved(system, right, few=0)[0]  # many systems, whose answers are only proposed
    except np.linalg.LinAlgError:
        return None


def _cost(w: Floats, costs: Costs, places: Codes) -> float:
    return float(costs.absolute[places] @ np.abs(w) + 0.5 * costs.squared[places] @ (w * w))
