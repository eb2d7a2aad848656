"""How much a model leans on each column: what it loses when the cells of the column are shuffled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import stats

from ..params import check_argument
from ..randomness import generator
from ..resampling.intervals import Interval, check_level
from ..text import aligned, figure
from ..typing import AxesLike, Floats, RandomState, TableLike, TargetLike, WeightLike
from .changed_columns import ChangedColumns

if TYPE_CHECKING:
    from ..plots import IntervalsDisplay


class Scoring(Protocol):
    """A model that says how well it tells a target."""

    def score(self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None) -> float:
        """The higher the better."""


Scorer = Callable[[Scoring, TableLike, TargetLike], float]


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """By how much the score falls when a column is shuffled, for each column and repeat, (d, repeats)."""

    names: tuple[str, ...]
    score: float  # of the table as it is
    falls: Floats
    level: float = 0.95

    @property
    def values(self) -> Floats:
        """The mean fall of each column, (d,)."""
        return np.asarray(self.falls.mean(axis=1))

    @property
    def intervals(self) -> list[Interval]:
        """The mean falls, with Student's intervals over the repeats."""
        repeats = self.falls.shape[1]
        half = np.full(len(self.names), np.nan)
        if repeats > 1:
            half = stats.t.ppf((1 + self.level) / 2, repeats - 1) * self.falls.std(axis=1, ddof=1) / np.sqrt(repeats)
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
        """The falls of the most important columns with their intervals; dots are the repeats."""
        from ..plots import IntervalsDisplay

        some, intervals = self.ranking[:most], self.intervals
        return IntervalsDisplay(
            [self.names[j] for j in some], [intervals[j].value for j in some], [intervals[j].low for j in some],
            [intervals[j].high for j in some], "fall of the score", folds=[self.falls[j].tolist() for j in some],
            reference=0.0,
        ).drawn(ax)  # fmt: skip


def permutation_importance(
    model: Scoring,
    X: TableLike,
    y: TargetLike,
    *,
    columns: Sequence[str | int] | None = None,
    n_repeats: int = 10,
    scoring: Scorer | None = None,
    sample_weight: WeightLike = None,
    level: float = 0.95,
    random_state: RandomState = None,
) -> PermutationImportance:
    """How much the score of a fitted model falls when the cells of one column are shuffled among the rows.

    Give rows that the model did not learn from: on others it shows what the model uses, not what helps. Of columns that
    say the same, each alone seems to matter little. `scoring` takes the model, X and y; else it is `model.score`. The
    intervals tell of the shuffles, not of other rows.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.DecisionTreeClassifier(max_depth=1).fit(iris.matrix(), iris["species"])
    >>> found = sf.permutation_importance(model, iris.matrix(), iris["species"], random_state=0)
    >>> found.names[found.ranking[0]], float(found.values[0])
    ('x2', 0.0)
    """
    check_argument("permutation_importance", "n_repeats", n_repeats, integer=True, at_least=1)
    check_level(level)
    table, rng = ChangedColumns(X, "permutation_importance"), generator(random_state)
    places = range(len(table.names)) if columns is None else [table.place(column) for column in columns]

    def score(rows: TableLike) -> float:
        if scoring is not None:
            return float(scoring(model, rows, y))
        return float(model.score(rows, y) if sample_weight is None else model.score(rows, y, sample_weight))

    whole = score(X)
    orders = [rng.permutation(table.n) for _ in range(n_repeats)]
    falls = [[whole - score(table.taken([place], [order])) for order in orders] for place in places]
    return PermutationImportance(tuple(table.names[p] for p in places), whole, np.array(falls), level)
