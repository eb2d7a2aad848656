"""Coordinate descent on a matrix of products, with exact steps for the slopes that are not 0."""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from ..backend import coordinate
from ..backend.blas import blas_threads_for
from ..backend.coordinate import Costs
from ..typing import Codes, Flags, Floats
from .dependent import thinned
from .systems import solved

_FIRST, _MOST = 8, 128  # epochs between two exact steps
_TIMES = 20
_TINY, _LONG = 16, 1000  # columns, and epochs to begin with for so few
_HALVINGS = 3
_ROUNDING = 1e-12  # of what slopes cost
_DEPENDENT = 1e-12  # of the square of a column: less left by those before it is taken for rounding


def descended(G: Floats, pull: Floats, w: Floats, costs: Costs, tol: float) -> Floats:
    """The slopes that minimise ½ wᵀ G w − c·w + costs, from w with pull = c − G w.

    Between epochs the support and its signs are taken as they are, and the linear equations are solved that hold there
    if they are right: convergence does not depend on how correlated the columns are.
    """
    epochs, exact = _FIRST, False
    if len(w) <= _TINY:  # whose epochs take less time than an exact step is prepared in
        found = coordinate.gram(G, pull, w, costs, _LONG, tol)
        if found.gain <= tol:
            return found.w
        w, pull = found.w, found.left
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
    Where columns depend on each other, it leaves as many as do not, which costs no more.
    """
    support = np.flatnonzero(w)
    if not len(support):
        return w, pull, True
    own = w[support]
    rows = G[support]  # which are its columns, and lie in one piece
    system = rows[:, support]
    system.flat[:: len(support) + 1] += costs.squared[support]
    right = pull[support] - costs.squared[support] * own - costs.absolute[support] * np.sign(own)
    held = costs.positive | (costs.absolute[support] > 0)  # a slope that costs nothing may change its sign
    step, least = _solution(system, right), 0.0
    fewer = thinned(system, right, own, held) if step is None else None
    if fewer is not None:
        proposed, exact, least = [fewer], False, -_ROUNDING * _cost(own, costs, support)
    else:
        step = _damped(system, right) if step is None else step
        proposed, exact = ([], False) if step is None else _along(own, step, held)
    for other in proposed:
        after = pull - (other - own) @ rows
        gain = 0.5 * float((other - own) @ (pull[support] + after[support]))
        if gain - _cost(other, costs, support) + _cost(own, costs, support) >= least:
            return _with(w, support, other), after, exact
    return w, pull, False


def _along(own: Floats, step: Floats, held: Flags) -> tuple[list[Floats], bool]:
    """Slopes along a step, the farthest first, none of the held ones beyond 0; and whether all are where it ends."""
    crosses = held & (own * (own + step) <= 0) & (step != 0)
    reach = np.where(crosses, -own / np.where(step == 0, 1.0, step), np.inf)
    lengths = [0.5**i for i in range(_HALVINGS)] if crosses.any() else [1.0]
    lengths.append(min(1.0, float(reach.min())))
    return [np.where(reach <= length, 0.0, own + length * step) for length in lengths], not crosses.any()


def _with(w: Floats, support: Codes, own: Floats) -> Floats:
    """The slopes with others in the support."""
    found = w.copy()
    found[support] = own
    return found


def _solution(system: Floats, right: Floats) -> Floats | None:
    """The solution of the equations, None where they depend on each other.

    It is only proposed: what rounding does to it is seen in the objective.
    """
    with blas_threads_for(len(right) ** 3 / 3):
        factor, failed = dpotrf(system.T, lower=False, clean=False)
        if failed or not np.all(np.diagonal(factor) ** 2 > _DEPENDENT * np.diagonal(system)):
            return None
        return np.asarray(dpotrs(factor, right, lower=False)[0])


def _damped(system: Floats, right: Floats) -> Floats | None:
    """A solution of equations that depend on each other, None where rounding leaves them none."""
    try:
        return solved(system, right, few=0)[0]
    except np.linalg.LinAlgError:
        return None


def _cost(w: Floats, costs: Costs, places: Codes) -> float:
    return float(costs.absolute[places] @ np.abs(w) + 0.5 * costs.squared[places] @ (w * w))
