"""What acting on two classes costs whatever their prices are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidData
from ...params import check_argument
from ...resampling.cost_results import weights_for
from ...resampling.intervals import normal_quantile
from ...text import figure
from ...typing import AxesLike, Flags, Floats, WeightLike

if TYPE_CHECKING:
    from ...plots import BandsDisplay
    from ...plots.display import Columns


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve:
    """The mean cost of a row over t = c_FP / (c_FP + c_FN), (m,), the share of a false alarm in both costs.

    Both costs together are 1.
    `cost` is that of acting where P > t, with the ends `low` and `high` of its interval; `best` that of the threshold
    that would have been the best one here, and `fixed` that of the class that is always said. For probabilities that
    are true `cost` is near `best`; where it is above `fixed` it is cheaper to say one class always.
    Twice the area under `cost` is the Brier score (Hernández-Orallo, Flach and Ferri, 2011).
    """

    false_alarm: Floats  # (m,)
    cost: Floats  # (m,)
    low: Floats  # (m,)
    high: Floats  # (m,)
    best: Floats  # (m,)
    fixed: Floats  # (m,)
    positive: object
    level: float = 0.95

    @property
    def area(self) -> float:
        """Twice the area under `cost`."""
        return float(2 * np.trapezoid(self.cost, self.false_alarm))

    def table(self) -> Columns:
        """One row a price."""
        names = ("false_alarm", "cost", "low", "high", "best", "fixed")
        return {name: getattr(self, name) for name in names}

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """The three costs over the price of a false alarm; the band is the interval of what is paid."""
        from ...plots import Band, BandsDisplay

        lines = [
            Band("by the probabilities", self.false_alarm, self.cost, self.low, self.high),
            Band("best threshold", self.false_alarm, self.best, dashed=True),
            Band("always one class", self.false_alarm, self.fixed, dashed=True),
        ]
        return BandsDisplay(lines, "share of a false alarm in both costs", "mean cost").drawn(ax)

    def __repr__(self) -> str:
        return f"CostCurve({len(self.cost)} prices, area {figure(self.area)})"


def cost_curve(
    probability: Floats, yes: Flags, positive: object, sample_weight: WeightLike, points: int, level: float
) -> CostCurve:
    """The curve of probabilities (n,) of a class, and which rows are of it, (n,)."""
    check_argument("cost_curve", "points", points, integer=True, at_least=2, at_most=100_000)
    weight = weights_for(sample_weight, len(yes))
    p, yes = np.asarray(probability, dtype=np.float64), np.asarray(yes, dtype=bool)
    if len(p) != len(yes):
        raise InvalidData(f"cost_curve: X has {len(p)} rows but y has {len(yes)} entries.")
    total, prices = float(weight.sum()), np.linspace(0, 1, points)
    order = np.argsort(p, kind="stable")
    # At a threshold, misses are the rows of the class at or below it, false alarms the other ones above it.
    missed = np.concatenate([[0.0], np.cumsum((weight * yes)[order])]) / total
    alarms = (float(weight[~yes].sum()) - np.concatenate([[0.0], np.cumsum((weight * ~yes)[order])])) / total
    at = np.searchsorted(p[order], prices, side="right")
    cost = prices * alarms[at] + (1 - prices) * missed[at]
    squares = prices**2 * alarms[at] + (1 - prices) ** 2 * missed[at]
    half = normal_quantile(level) * np.sqrt(np.maximum(squares - cost**2, 0) / total)
    ends = np.flatnonzero(np.append(np.diff(p[order]) > 0, True)) + 1  # no threshold is between equal probabilities
    edges = np.concatenate([[0], ends])
    best = np.array([np.min(t * alarms[edges] + (1 - t) * missed[edges]) for t in prices])
    fixed = np.minimum(prices * alarms[0], (1 - prices) * missed[-1])
    return CostCurve(prices, cost, np.maximum(cost - half, 0), np.minimum(cost + half, np.maximum(prices, 1 - prices)),
                     best, fixed, positive, level)  # fmt: skip
