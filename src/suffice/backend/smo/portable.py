"""Sequential minimal optimisation in plain NumPy: readable, and the definition of what the kernel computes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...typing import Floats, Reals
from .values import Programme, Solved, reach, standing

_ROUNDING = 1e-13  # of a variable: as near to a bound as that is at it, for what is free decides the level
_FLAT, _TINY = 1e-12, 1e-100  # of k(x, x) + k(y, y): curvature that is 0 but for rounding; and where both are 0


def pairs(
    gram: Reals, programmes: Sequence[Programme], starts: Sequence[tuple[Floats, Floats]], tol: float, most: int
) -> list[Solved]:
    """Each programme from its start (a, v) on, at most so many pairs of variables, until the violation is within tol.

    The first of a pair is the variable that may rise and for which the objective falls most, the second the one that
    may fall and with which it then falls most, by the curvature along the pair (Fan, Chen and Lin, 2005).
    """
    return [
        _solved(np.asarray(gram[np.ix_(one.rows, one.rows)], dtype=np.float64), one, a.copy(), v.copy(), tol, most)
        for one, (a, v) in zip(programmes, starts, strict=True)
    ]


def _solved(K: Floats, programme: Programme, a: Floats, v: Floats, tol: float, most: int) -> Solved:
    diagonal = np.diagonal(K)
    ranges = slice(0, programme.first), slice(programme.first, len(a))
    for done in range(most + 1):
        rise, fall = reach(programme, a, v)
        own = max(ranges, key=lambda some: _violation(rise[some], fall[some]))  # the first of equals
        violation = _violation(rise[own], fall[own])
        if not violation > tol or done == most:
            return standing(programme, a, v, done, violation)
        i = own.start + int(np.argmax(rise[own]))
        apart = np.maximum(rise[i] - fall[own], 0.0)
        both = diagonal[i] + diagonal[own]
        curve = np.maximum(both - 2 * K[i, own], np.maximum(_FLAT * both, _TINY))
        j = own.start + int(np.argmax(apart**2 / curve))
        by = _move(programme, a, i, j, float(rise[i] - fall[j]) / float(curve[j - own.start]))
        v -= by * (K[i] - K[j])
    raise AssertionError


def _violation(rise: Floats, fall: Floats) -> float:
    return float(rise.max(initial=-np.inf) - fall.min(initial=np.inf))


def _move(programme: Programme, a: Floats, i: int, j: int, wanted: float) -> float:
    """Raise i and lower j by the same, as far as is wanted, or to where one of them meets a bound or a kink."""
    high = 0.0 if programme.width > 0 and a[i] < 0 else programme.high[i]
    low = 0.0 if programme.width > 0 and a[j] > 0 else programme.low[j]
    above, below = high - a[i], a[j] - low
    by = min(wanted, above, below)
    a[i] = high if by >= above - _ROUNDING * (abs(a[i]) + by) else a[i] + by
    a[j] = low if by >= below - _ROUNDING * (abs(a[j]) + by) else a[j] - by
    return float(by)
