"""How often intervals or sets hold the truth, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...resampling.cost_results import weights_for
from ...resampling.intervals import Interval, wilson
from ...text import figure
from ...typing import Flags, Floats, WeightLike


@dataclass(frozen=True)
class Coverage:
    """The share of rows whose truth is inside, with Wilson's interval, and the mean size of intervals or sets."""

    inside: Interval
    size: float
    level: float
    what: str

    @classmethod
    def of(cls, inside: Flags, size: Floats, sample_weight: WeightLike, level: float, what: str) -> Coverage:
        """From whether the truth of each row is inside, and how large its interval or set is."""
        weight = weights_for(sample_weight, len(inside))
        total = float(weight.sum())
        share = wilson(float(weight @ inside), total) if total > 0 else wilson(0, 0)
        return cls(share, float(np.average(size, weights=weight)), level, what)

    def __str__(self) -> str:
        asked = f"{figure(self.level)} were asked for"
        return f"{self.inside} of the rows are inside, {asked}; mean {self.what} {figure(self.size)}"
