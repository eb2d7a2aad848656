"""What dual coordinate descent minimises, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from ...typing import Floats


@dataclass(frozen=True)
class Box:
    """½‖Σ aᵢ xᵢ‖² + Σ (½ bendᵢ aᵢ² − linearᵢ aᵢ + width |aᵢ|) with lowᵢ ≤ aᵢ ≤ highᵢ, one number a row, (n,).

    It is the dual of ½‖w‖² + Σ ℓ(xᵢ·w): of the hinge loss, and others that are made of straight lines or parabolas.
    """

    linear: Floats
    low: Floats
    high: Floats
    bend: Floats
    width: float = 0.0

    def times(self, cost: Floats) -> Box:
        """That of losses which count so much, (n,)."""
        return Box(self.linear, self.low * cost, self.high * cost, self.bend / cost, self.width)


@dataclass(frozen=True)
class DualState:
    """The variables a (n,), the slopes Σ aᵢ xᵢ (d,), the sum of all a, and how the last sweeps ended.

    `violation` is the largest slope of the objective along a variable that may still move; `sweeps` counts all so far,
    and `looks` the variables looked at, fewer than n in a sweep that leaves some out.
    """

    a: Floats
    slope: Floats
    total: float = 0.0
    violation: float = float("inf")
    sweeps: int = 0
    looks: int = 0

    def after(self, a: Floats, slope: Floats, violation: float, sweeps: int) -> DualState:
        """The state after so many more sweeps over all variables."""
        return DualState(a, slope, self.total, violation, self.sweeps + sweeps, self.looks + sweeps * len(a))
