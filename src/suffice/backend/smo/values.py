"""The quadratic programmes of support vector machines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Floats, Whole


@dataclass(frozen=True)
class Programme:
    """Minimise ½ aᵀKa − linearᵀa + width Σ|aᵢ| with lowᵢ ≤ aᵢ ≤ highᵢ, (m,) each, and Σ a as it is at the start.

    Variable i belongs to row `rows[i]` of the table. Of the first `first` variables the sum stays, and of the others,
    so that ν-machines have two sums; it is m for all the rest. A width above 0 needs bounds on both sides of 0.
    """

    rows: Whole
    linear: Floats
    low: Floats
    high: Floats
    width: float
    first: int

    def __len__(self) -> int:
        return len(self.linear)


@dataclass(frozen=True)
class Solved:
    """The variables a (m,), what they lack, v = linear − Ka (m,), and how the work ended.

    `violation` is by how much the objective still falls when one variable rises and another falls, a unit each; `gap`
    by how much it is above its least value, at most. `levels` are the intercepts, one for each sum: what free variables
    lack on average, or the middle between what bounds allow.
    """

    a: Floats
    v: Floats
    violation: float
    pairs: int
    objective: float
    gap: float
    levels: tuple[float, float]

    def comparable(self) -> dict[str, object]:
        """What does not hang on which of two pairs comes first, where rounding decides between them."""
        return {"a": self.a, "v": self.v, "objective": self.objective, "levels": self.levels}


def reach(programme: Programme, a: Floats, v: Floats) -> tuple[Floats, Floats]:
    """How fast the objective falls when a variable rises, −∞ at its upper bound, and rises when it falls, ∞ at its
    lower bound."""
    rise = np.where(a < programme.high, v - np.where(a >= 0, programme.width, -programme.width), -np.inf)
    fall = np.where(a > programme.low, v - np.where(a > 0, programme.width, -programme.width), np.inf)
    return rise, fall


def standing(programme: Programme, a: Floats, v: Floats, pairs: int, violation: float | None = None) -> Solved:
    """Where variables stand."""
    rise, fall = reach(programme, a, v)
    worst, levels, gap = -np.inf, [0.0, 0.0], 0.0
    for k, some in enumerate((slice(0, programme.first), slice(programme.first, len(a)))):
        if some.stop > some.start:
            worst = max(worst, float(rise[some].max() - fall[some].min()))
            levels[k] = _level(rise[some], fall[some], a[some], programme.width)
            gap += _gap(programme, some, a[some], v[some] - levels[k])
    objective = float(-0.5 * a @ (v + programme.linear)) + programme.width * float(np.abs(a).sum())
    return Solved(a, v, worst if violation is None else violation, pairs, objective, gap, (levels[0], levels[1]))


def _level(rise: Floats, fall: Floats, a: Floats, width: float) -> float:
    free = np.isfinite(rise) & np.isfinite(fall) & ((a != 0) | (width == 0))
    if free.any():
        return float(0.5 * (rise[free] + fall[free]).mean())
    top, bottom = float(rise.max()), float(fall.min())
    return 0.5 * (top + bottom) if np.isfinite(top) and np.isfinite(bottom) else top if np.isfinite(top) else bottom


def _gap(programme: Programme, some: slice, a: Floats, r: Floats) -> float:
    """The sum of what each variable could still gain."""
    far = np.where(r < 0, programme.low[some], programme.high[some])
    with np.errstate(invalid="ignore"):
        best = np.where(r == 0, 0.0, np.maximum(np.abs(far) * (np.abs(r) - programme.width), 0.0))
    return float(np.sum(best - a * r + programme.width * np.abs(a)))
