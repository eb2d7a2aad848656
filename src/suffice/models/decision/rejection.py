"""What is gained by leaving the most doubtful rows to somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...resampling.cost_results import check_lengths, weights_for
from ...resampling.costs import Costs
from ...resampling.intervals import normal_quantile, wilson
from ...typing import AxesLike, Floats, Labels, Numbers, WeightLike

if TYPE_CHECKING:
    from ...plots import BandsDisplay
    from ...plots.display import Columns


@dataclass(frozen=True, eq=False, repr=False)
class RejectionCurve:
    """The mean cost of the rows that are decided, (m,), over the share that is not, (m,), and the cost of doubt there.

    Rows are left undecided from the one of largest expected cost on; `doubt` (m,) is that cost, so that a doubt of this
    cost leaves just these rows undecided. With costs of 1 for errors the mean cost is the rate of errors. `low` and
    `high` (m,) are the ends of its interval, mean ± z s / √n, or Wilson's where costs are one of two.
    """

    rejected: Floats
    cost: Floats
    doubt: Floats
    low: Floats
    high: Floats

    def table(self) -> Columns:
        """One row a share, nothing left undecided last."""
        return {name: getattr(self, name) for name in ("rejected", "cost", "low", "high", "doubt")}

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """The mean cost of what is decided, with its interval, over the share that is left undecided."""
        from ...plots import Band, BandsDisplay

        line = Band("decided rows", self.rejected, self.cost, self.low, self.high)
        return BandsDisplay([line], "share left undecided", "mean cost of the others").drawn(ax)

    def __repr__(self) -> str:
        return f"RejectionCurve({len(self.cost)} shares)"


def rejection_curve(
    expected: Numbers, codes: Labels, costs: Costs, sample_weight: WeightLike, level: float
) -> RejectionCurve:
    """The curve of actions of least expected cost, (n, a), where `codes` (n,) are the true classes."""
    expected, weight = np.asarray(expected, dtype=np.float64), weights_for(sample_weight, len(codes))
    check_lengths(expected, codes)
    action = np.argmin(expected, axis=1)
    least, paid = expected.min(axis=1), costs.costs[codes, action]
    order = np.argsort(least, kind="stable")
    last = np.append(np.diff(least[order]) > 0, True)  # rows of one expected cost are decided together
    sums = [np.cumsum(part[order])[last] for part in (weight, weight * paid, weight * paid**2)]
    some = sums[0] > 0
    decided, spent, squares = (part[some] for part in sums)
    mean = spent / decided
    spread, ends = np.maximum(squares / decided - mean**2, 0), (float(costs.costs.min()), float(costs.costs.max()))
    low, high = _ends(mean, spread, decided, bool(np.isin(paid, ends).all()), ends, level)
    return RejectionCurve(np.maximum(1 - decided / weight.sum(), 0), mean, least[order][last][some], low, high)


def _ends(
    mean: Floats, spread: Floats, n: Floats, two_valued: bool, ends: tuple[float, float], level: float
) -> tuple[Floats, Floats]:
    """The ends of the interval of each mean: Wilson's where costs are one of two, which has width at either of them."""
    least, most = ends
    if two_valued and most > least:
        rates = [wilson(r * m, m, level) for r, m in zip((mean - least) / (most - least), n, strict=True)]
        low, high = (np.array([getattr(one, end) for one in rates]) for end in ("low", "high"))
        return least + (most - least) * low, least + (most - least) * high
    half = normal_quantile(level) * np.sqrt(spread / np.maximum(n - 1, 1))
    return np.maximum(mean - half, least), np.minimum(mean + half, most)
