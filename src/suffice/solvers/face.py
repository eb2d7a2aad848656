"""Newton's method on a face of the box, where a kernel is so ill-conditioned that pairs need millions of moves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..backend.blas import blas_threads_for
from ..backend.smo import Programme, Solved, pairs
from ..typing import Floats, Reals, Whole

_WORK, _CALL = 5e8, 2e6  # multiplications of a call, about; those that a step takes as long as at the least
_RIDGES = (1e-14, 1e-12, 1e-10, 1e-8, 1e-6)  # of the largest k(x, x), the first that makes the matrix positive
_NOTHING = 1e-14  # of the objective: a step that gains less is the last
_MET = 1e-12  # of a move: as near to a bound as that is at it
_PAIRS = 50_000  # moved before a face is tried


def settled(gram: Reals, programme: Programme, start: tuple[Floats, Floats], tol: float) -> Solved:
    """A programme solved by pairs of variables or, where that takes many of them, brought nearer by steps on faces."""
    (found,) = pairs(gram, [programme], [start], tol, _PAIRS)
    if found.violation <= tol or not found.pairs:
        return found
    a, v = on_face(gram, programme, found.a, found.v)
    return replace(found, a=a, v=v)


def on_face(gram: Reals, programme: Programme, a: Floats, v: Floats) -> tuple[Floats, Floats]:
    """The variables after steps among those that are free, and what they lack; the objective is no larger.

    Those at a bound, or at 0 where |a| has a width, stay there. A step is cut where it meets a bound, and the next is
    among the others.
    """
    K = np.asarray(gram[np.ix_(programme.rows, programme.rows)], dtype=np.float64)
    left = _WORK
    with blas_threads_for(K.size):  # one thread, so that any number gives the same bits
        while left > 0:
            face = _Face.of(programme, a, v)
            left -= len(face.places) ** 3 / 3 + K.size + _CALL
            move = face.step(K, a)
            if move is None:
                break
            a = a + move
            ends = np.where(move > 0, face.high, face.low)
            a = np.where((move != 0) & (np.abs(ends - a) <= _MET * np.abs(move)), ends, a)
            some = np.flatnonzero(move)
            v = v - K[:, some] @ move[some]
    return a, v


@dataclass(frozen=True)
class _Face:
    """The bounds between which the objective is one parabola, the free variables, their sums and slopes."""

    low: Floats
    high: Floats
    places: Whole  # (f,)
    sums: Floats  # (1 or 2, f)
    slope: Floats  # (f,)
    least: float  # a step that gains less is none

    @classmethod
    def of(cls, programme: Programme, a: Floats, v: Floats) -> _Face:
        low, high = programme.low, programme.high
        if programme.width > 0:  # there is a kink at 0
            low, high = np.where(a >= 0, np.maximum(low, 0.0), low), np.where(a <= 0, np.minimum(high, 0.0), high)
        places = np.flatnonzero((a > low) & (a < high))
        of_first = places < programme.first
        sums = np.array([own for own in (of_first, ~of_first) if own.any()], dtype=np.float64)
        slope = (v - programme.width * np.sign(a))[places]
        return cls(low, high, places, sums, slope, _NOTHING * abs(float(a @ (v + programme.linear))))

    def step(self, K: Floats, a: Floats) -> Floats | None:
        """By how much variables move (m,), as far as the objective falls or bounds allow; None where it does not."""
        if len(self.places) < 2:
            return None
        own = K[np.ix_(self.places, self.places)]
        way = self._direction(own)
        if way is None:
            return None
        gain, bend = float(self.slope @ way), float(way @ own @ way)
        limit = np.where(way > 0, self.high[self.places], self.low[self.places])
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(way == 0, np.inf, (limit - a[self.places]) / way)
        by = min(float(room.min()), gain / bend if bend > 0 else np.inf)
        if not (np.isfinite(by) and by * (gain - 0.5 * by * bend) > self.least):
            return None
        move = np.zeros(len(a))
        move[self.places] = by * way
        return move

    def _direction(self, own: Floats) -> Floats | None:
        """Newton's direction that keeps the sums, (f,); None of a kernel that is not positive.

        Where nothing bends it is so long that it leads to a bound.
        """
        factor = _factor(own)
        if factor is None:
            return None
        ways = cho_solve(factor, np.column_stack([self.slope, self.sums.T]), check_finite=False)
        levels = np.linalg.lstsq(self.sums @ ways[:, 1:], self.sums @ ways[:, 0], rcond=None)[0]
        way = ways[:, 0] - ways[:, 1:] @ levels
        way -= self.sums.T @ ((self.sums @ way) / self.sums.sum(axis=1))
        return way if np.isfinite(way).all() and self.slope @ way > 0 else None


def _factor(own: Floats) -> tuple[Floats, bool] | None:
    """The Cholesky factor of a matrix that is positive but for rounding."""
    largest = float(np.abs(np.diagonal(own)).max())
    for ridge in _RIDGES:
        bent = own.copy()
        bent[np.diag_indices(len(own))] += ridge * largest
        try:
            return cho_factor(bent, lower=True, overwrite_a=True, check_finite=False)  # type: ignore[no-any-return]
        except LinAlgError:
            continue
    return None
