"""Dual coordinate descent in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import CSR, Floats, Numbers
from .values import Box, DualState

_MASK = (1 << 64) - 1


@dataclass
class Draws:
    """SplitMix64, by which rows are put in order."""

    state: int

    def below(self, n: int) -> int:
        """A number from 0 to n − 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return int(((z ^ (z >> 31)) >> 11) % n)

    def shuffle(self, rows: list[int]) -> None:
        """Fisher and Yates: of many rows, of blocks of 8, which lie side by side in memory."""
        size = 8 if len(rows) >= 256 else 1
        blocks = len(rows) // size
        for s in range(blocks - 1):
            t = s + self.below(blocks - s)
            if s != t:
                one, other = slice(s * size, (s + 1) * size), slice(t * size, (t + 1) * size)
                rows[one], rows[other] = rows[other], rows[one]


def _rows(X: Numbers | CSR) -> Floats:
    """Dense rows of doubles."""
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)  # type: ignore[union-attr]


def sweeps(
    X: Numbers, box: Box, intercept: float, spread: float, state: DualState, most: int, tol: float, seed: int
) -> DualState:
    """At most so many sweeps over all variables of a box in random order, until the violation is within tol.

    Predictors are xᵢ·w + intercept + spread Σ a. Variables at a bound, whose objective rises steeper into the box than
    any violation of the sweep before, are left out until those that are left have converged (Hsieh et al., 2008).
    """
    rows, a, slope, total = _rows(X), state.a.copy(), state.slope.copy(), state.total
    square = np.einsum("ij,ij->i", rows, rows) + spread + box.bend
    draws, steep, worst, done, looks = Draws(seed & _MASK), state.violation, state.violation, 0, state.looks
    active = list(range(len(rows)))
    while done < most:
        draws.shuffle(active)
        worst, kept, looks = 0.0, [], looks + len(active)
        for i in active:
            gradient = rows[i] @ slope + intercept + spread * total - box.linear[i] + box.bend[i] * a[i]
            violation, inward = _at(a[i], gradient, box.low[i], box.high[i], box.width)
            if violation == 0 and inward > (1 + 1e-9) * steep:  # rounding decides nothing
                continue
            kept.append(i)
            worst = max(worst, violation)
            if violation > 0 and square[i] > 0:
                moved = _least(a[i], gradient, square[i], box.low[i], box.high[i], box.width) - a[i]
                a[i] += moved
                slope += moved * rows[i]
                total += moved
        done += 1
        if worst <= tol and len(kept) == len(rows):
            break
        all_again = worst <= tol
        active = list(range(len(rows))) if all_again else kept
        steep = np.inf if all_again or worst == 0 else worst
    return DualState(a, slope, total, worst, state.sweeps + done, looks)


def _at(a: float, gradient: float, low: float, high: float, width: float) -> tuple[float, float]:
    """By how much the objective falls along a variable, and how steeply it rises into the box where it does not."""
    right = gradient + (width if a >= 0 else -width)
    left = gradient - (width if a <= 0 else -width)
    up = np.inf if a >= high else right
    down = np.inf if a <= low else -left
    return max(0.0, -up, -down), min(up, down)


def _least(a: float, gradient: float, square: float, low: float, high: float, width: float) -> float:
    """Where the objective along a variable is least."""
    z = a - gradient / square
    reach = width / square
    drawn = z - reach if z > reach else z + reach if z < -reach else 0.0
    return min(max(drawn, low), high)


def crammer_singer(
    X: Numbers, y: Floats, cost: Floats, intercept: Floats, spread: float, state: DualState, most: int, tol: float,
    seed: int,
) -> DualState:  # fmt: skip
    """Sweeps for the hinge loss of several classes: a (n, k) with Σ_c a_ic = 0 and a_ic ≤ costᵢ [c = yᵢ].

    Slopes are (d, k), and `state.total` stands for the largest of the sums of a, which are taken from a itself.
    """
    rows, a, slope = _rows(X), state.a.copy(), state.slope.copy()
    totals = a.sum(axis=0)
    square = np.einsum("ij,ij->i", rows, rows) + spread
    draws, worst, done = Draws(seed & _MASK), state.violation, 0
    order = list(range(len(rows)))
    while done < most:
        draws.shuffle(order)
        worst = 0.0
        for i in order:
            if not square[i] > 0:
                continue
            own = int(y[i])
            gradient = rows[i] @ slope + intercept + spread * totals + 1.0
            gradient[own] -= 1.0
            bound = np.zeros(len(gradient))
            bound[own] = cost[i]
            free = a[i] < bound
            worst = max(worst, float(gradient.max() - np.min(gradient, initial=np.inf, where=free)))
            moved = _shared(gradient - square[i] * a[i], square[i], bound, own) - a[i]
            a[i] += moved
            slope += np.outer(rows[i], moved)
            totals += moved
        done += 1
        if worst <= tol:
            break
    return state.after(a, slope, worst, done)


def _shared(b: Floats, square: float, bound: Floats, own: int) -> Floats:
    """The a ≤ bound that sum to 0 and minimise ½ square ‖a‖² + b·a (Keerthi et al., 2008)."""
    level = b.copy()
    level[own] += square * bound[own]
    level = np.sort(level)[::-1]
    beta, r = level[0] - square * bound[own], 1
    while r < len(level) and beta < r * level[r]:
        beta += level[r]
        r += 1
    return np.asarray(np.minimum(bound, (beta / r - b) / square))
