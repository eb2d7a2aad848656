"""Dual variables settled exactly: which of them are at a bound is guessed, solved for the others, and mended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backend.blas import blas_threads_for
from ..backend.dual import Box
from ..data.rows import is_sparse
from ..typing import Flags, Floats, Numbers

_ROUNDS = 12  # of guesses, while no more rows contradict them than before
_EDGE = 1e-9  # of a bound: nearer to it counts as at it
_OFF = 1e-11  # of the largest predictor: further off than by rounding
_MOST_FREE = 1000
_TIMES = 200  # passes over the rows that a system of free variables may take, by its operations
_DAMPING = 1e-12  # of the diagonal, where rows depend on each other
_REFINED, _EXACT = 5, 1e-14  # times that the trace of it is taken out, unless less is left


@dataclass(frozen=True)
class Settled:
    """Dual variables (n,), slopes (d,), intercept, and how many rows contradict them: if none, they are the minimum."""

    a: Floats
    slope: Floats
    intercept: float
    wrong: int = -1


def settled(X: Numbers, box: Box, a: Floats, with_intercept: bool) -> Settled | None:
    """The minimum that follows from which variables are at a bound, near given ones; None where too many are not.

    Rows whose variables are free lie on a kink or a parabola: xᵢ·w + b + bendᵢ aᵢ = linearᵢ − width sign(aᵢ). With
    w = Σ a x and Σ a = 0 that is one system for the free a and b. Those that leave their box stay at its edge, those
    of rows that would gain by leaving it become free, and it is solved again, as long as that settles more of them.
    """
    work = _Work.of(X, box, a, with_intercept)
    guess, found = work.guess(a), None
    with blas_threads_for(0):
        for _ in range(_ROUNDS):
            one = work.solved(guess) if work.is_small(guess) else None
            if one is None:
                break
            before = guess.count if found is None else found.wrong
            guess, found = work.mended(guess, one)
            if not 0 < found.wrong <= before:
                break
    return found


@dataclass(frozen=True)
class _Guess:
    """The free variables, (n,), their sides of 0 where |a| has a width, and where the others stay, (n,)."""

    free: Flags
    side: Floats
    held: Floats

    @property
    def count(self) -> int:
        """How many are free."""
        return int(np.count_nonzero(self.free))


@dataclass(frozen=True)
class _Work:
    """The rows and their box, and what counts as near a bound, (n,): where there is none, near 0."""

    X: Numbers
    box: Box
    edge: Floats
    with_intercept: bool

    @classmethod
    def of(cls, X: Numbers, box: Box, a: Floats, with_intercept: bool) -> _Work:
        """That of variables of this size."""
        widest = np.maximum(-box.low, box.high)
        far = np.isfinite(widest)
        edge = _EDGE * (widest if far.all() else np.where(far, widest, np.abs(a).max(initial=0.0)))
        return cls(X, box, edge, with_intercept)

    def guess(self, a: Floats) -> _Guess:
        """Those of variables near the right ones."""
        box, edge = self.box, self.edge
        at_low, at_high = a <= box.low + edge, a >= box.high - edge
        free = ~(at_low | at_high)
        if box.width:
            free &= np.abs(a) > edge
        held = np.where(at_low, box.low, np.where(at_high, box.high, 0.0))
        return _Guess(free, np.sign(a), held)

    def is_small(self, guess: _Guess) -> bool:
        """Whether its system takes less than many passes over the rows, and can have a solution."""
        m, (n, d) = guess.count, self.X.shape
        if m > d + 1 and not self.box.bend.any():  # so many rows lie on no plane
            return False
        cells = self.X.size  # of sparse rows those that are stored
        return 0 < m <= _MOST_FREE and m * m * (cells / n + m / 3) <= _TIMES * cells

    def solved(self, guess: _Guess) -> Settled | None:
        """The variables, slopes and intercept that follow; None where rounding makes the system worthless."""
        X, box, places = self.X, self.box, np.flatnonzero(guess.free)
        rows, slope = X[places], np.asarray(X.T @ guess.held) if guess.held.any() else np.zeros(X.shape[1])
        right = box.linear[places] - rows @ slope
        if box.width:
            right -= box.width * guess.side[places]
        products = rows @ rows.T
        system = np.asarray(products.toarray() if is_sparse(products) else products, dtype=np.float64)
        system.flat[:: len(places) + 1] += box.bend[places]
        found = _solution(system, right, -float(guess.held.sum()) if self.with_intercept else None)
        if found is None:
            return None
        a = guess.held.copy()
        a[places] = found[0]
        return Settled(a, slope + rows.T @ found[0], found[1])

    def mended(self, guess: _Guess, found: Settled) -> tuple[_Guess, Settled]:
        """The next guess, after what this one gave, and how many rows contradict it."""
        box, a, free = self.box, found.a, guess.free
        over, under = a > box.high + self.edge, a < box.low - self.edge
        leaving, held = over | under, np.where(over, box.high, np.where(under, box.low, guess.held))
        if box.width:
            turned = free & (a * guess.side < 0)
            leaving, held = leaving | turned, np.where(turned, 0.0, held)
        rises, falls = self._gaining(found)
        new = (rises | falls) & ~free
        side = np.where(a != 0, np.sign(a), np.where(rises, 1.0, -1.0)) if box.width else guess.side
        after = _Guess((free & ~leaving) | new, side, np.where(new, 0.0, held))
        inside = np.clip(a, box.low, box.high)
        return after, Settled(inside, found.slope, found.intercept, int(np.count_nonzero(new | leaving)))

    def _gaining(self, found: Settled) -> tuple[Flags, Flags]:
        """Which variables would lower the objective by rising, and which by falling, (n,), as far as bounds allow."""
        box, a, eta = self.box, found.a, np.asarray(self.X @ found.slope) + found.intercept
        off = _OFF * (float(np.abs(eta).max()) + float(np.abs(box.linear).max()))
        slope = eta - box.linear + box.bend * a
        if not box.width:
            return (slope < -off) & (a < box.high), (slope > off) & (a > box.low)
        up = slope + np.where(a >= 0, box.width, -box.width)
        down = slope - np.where(a <= 0, box.width, -box.width)
        return (up < -off) & (a < box.high), (down > off) & (a > box.low)


def _solution(system: Floats, right: Floats, total: float | None) -> tuple[Floats, float] | None:
    """The a and b with K a + b = right and Σ a = total, without a total those with b = 0; of many the smallest a.

    The trace of a damping that makes K positive is taken out by going on from the residuals.
    """
    from scipy.linalg.lapack import dpotrf, dpotrs

    if total is not None:  # which adds nothing where Σ a is that
        pull = float(np.diagonal(system).mean())
        system, right = system + pull, right + pull * total
    diagonal = np.diagonal(system)
    unit = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    system, right = system * unit * unit[:, None], right * unit
    damped = system.copy()
    damped.flat[:: len(unit) + 1] += _DAMPING * len(unit)
    factor, failed = dpotrf(damped.T, lower=False, clean=False, overwrite_a=True)
    if failed:
        return None
    a, b, rest, left = np.zeros_like(right), 0.0, right, total or 0.0
    way = None if total is None else dpotrs(factor, unit, lower=False)[0]
    for _ in range(_REFINED):
        step = dpotrs(factor, rest, lower=False)[0]
        if way is not None:
            up = (float(unit @ step) - left) / float(unit @ way)
            step, b = step - up * way, b + up
        a = a + step
        rest = right - system @ a - b * unit
        left = (total or 0.0) - float(unit @ a)
        if np.abs(rest).max() <= _EXACT * np.abs(right).max():
            break
    return (a * unit, b) if np.isfinite(a).all() else None
