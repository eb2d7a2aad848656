"""How much a model leans on each of its columns, judged several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from ..params import check_argument
from ..resampling import Interval
from ..text import aligned, figure
from ..typing import AxesLike, Floats

if TYPE_CHECKING:
    from ..plots import IntervalsDisplay


@dataclass(frozen=True, eq=False)
class ColumnImportances:
    """The importance of each column in each of several judgements, (d, repeats); `what` says what it is."""

    names: tuple[str, ...]
    each: Floats
    what: str
    level: float = 0.95

    @property
    def values(self) -> Floats:
        """The mean of each column, (d,)."""
        return np.asarray(self.each.mean(axis=1))

    @property
    def intervals(self) -> list[Interval]:
        """The means, with Student's intervals over the repeats."""
        repeats = self.each.shape[1]
        half = np.full(len(self.names), np.nan)
        if repeats > 1:
            half = stats.t.ppf((1 + self.level) / 2, repeats - 1) * self.each.std(axis=1, ddof=1) / np.sqrt(repeats)
        pairs = zip(self.values.tolist(), half.tolist(), strict=True)
        return [Interval(value, value - h, value + h, self.level, "Student's t") for value, h in pairs]

    @property
    def ranking(self) -> list[int]:
        """The columns, the most important first."""
        found: list[int] = np.argsort(-self.values, kind="stable").tolist()
        return found

    def __str__(self) -> str:
        intervals, head = self.intervals, ("column", "importance", f"{100 * self.level:g} % interval")
        rows = [
            (self.names[j], figure(intervals[j].value), f"{figure(intervals[j].low)} to {figure(intervals[j].high)}")
            for j in self.ranking
        ]
        return aligned([head, *rows])

    def plot(self, ax: AxesLike = None, most: int = 20) -> IntervalsDisplay:
        """The importances of the first columns with their intervals; dots are the repeats."""
        from ..plots import IntervalsDisplay

        check_argument(type(self).__name__, "most", most, integer=True, at_least=1)
        some, intervals = self.ranking[:most], self.intervals
        return IntervalsDisplay(
            [self.names[j] for j in some], [intervals[j].value for j in some], [intervals[j].low for j in some],
            [intervals[j].high for j in some], self.what, folds=[self.each[j].tolist() for j in some], reference=0.0,
        ).drawn(ax)  # fmt: skip
